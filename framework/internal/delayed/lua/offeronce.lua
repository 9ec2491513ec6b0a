-- offeronce: an offer with a key, of which the window holds one.
-- Needs: types clock refusal layout digest trace index attempts dedup origin add tracechange
-- KEYS: 1 timeout set  2 pending list  3 channel  4 ready list  5 traces
--        6 dedup record, see the fragment dedup; it lives as long as the window
--        7 attempts  8 names  9 ids
-- ARGV: 1 to 7 as offer
--        8 what happens to a message whose key is taken:
--          'keep': the first one stays, this one is not added
--          'replace': this one takes the place of the first, if that is still pending
--          'extend': the first one gets this one's due time, if it is still pending
--        9 window in ms from now; '' for until the message is due
--        10 '1' where the pending list is kept exact
--        11 the key
-- Reply: {status, due ms as text, head (1 or 0), seconds, microseconds, 8 bytes, due ms of
--        the ID}
--        status as offer; and 'kept', 'replaced' (and added), 'extended'. The 8 bytes
--        begin the element that stands for the key now.
--
-- A resend finds its own element in the record and answers 'pending', also after the
-- message was delivered: within the window an outcome is never unknown.
--
-- The window is one thing, the name another: the key names the message, in its record (see
-- attempts), until that is done, or until the key names a later one.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'list', KEYS[5], 'zset', KEYS[6], 'string',
  KEYS[7], 'hash', KEYS[8], 'hash', KEYS[9], 'zset')
if wrong then
  return wrong
end
local element = ARGV[1]
local mine = string.sub(element, 1, ELEMENT_ID_END)
local _, seconds, micros = clock_now()
local now = seconds * 1000 + math.ceil(micros / 1000)
local age = tonumber(ARGV[4])
local delay = tonumber(ARGV[3])
local due = delay
if ARGV[2] == 'in' then
  due = now + math.max(delay - (age or 0), 0)
else
  delay = due - now + (age or 0)
end
local due_text = ms_text(due)
if due >= 9007199254740992 then
  return {'range', due_text, 0, seconds, micros, mine, due_text}
end
local window = tonumber(ARGV[9]) or due - now
window = math.max(window, 1)

-- remember(held, origin) writes the record; it returns an error reply or nil.
local function remember(held, origin)
  local set = redis.pcall('SET', KEYS[6], dedup_record(due, origin, held, ARGV[9] == ''), 'PX', ms_text(window))
  if failed(set) then
    return refusal('SET', set)
  end
end

-- name(held, origin) lets the key name it, and its ID lead to where it is pending; it
-- returns an error reply or nil, and unname() undoes it.
local unname
local function name(held, origin)
  local id = string.sub(held, 1, ELEMENT_ID_END)
  local field, by_key = 'u' .. id, 'k' .. ARGV[11]
  local record, named = redis.call('HGET', KEYS[7], field), redis.call('HGET', KEYS[8], by_key)
  unname = function()
    for _, was in ipairs({{KEYS[7], field, record}, {KEYS[8], by_key, named}}) do
      if was[3] then
        redis.pcall('HSET', was[1], was[2], was[3])
      else
        redis.pcall('HDEL', was[1], was[2])
      end
    end
  end
  local ok, err = pcall(function()
    local m = record_read(record, now) or record_new('u', origin, id)
    m.key, m.due, m.digest = ARGV[11], due, m.digest or redis.sha1hex(string.sub(held, ELEMENT_PAYLOAD))
    record_put(KEYS[7], KEYS[8], field, m, now)
  end)
  if not ok then
    unname()
    return refusal('HSET', {err = type(err) == 'table' and err.err or tostring(err)})
  end
end

-- found_again(held) lets a take know it again by its payload.
local function found_again(held)
  pcall(function()
    local field = 'u' .. string.sub(held, 1, ELEMENT_ID_END)
    local m = record_read(redis.call('HGET', KEYS[7], field), now)
    index_add(KEYS[9], m.digest, m.failed, field, m.kept - now)
  end)
end

local old, _, first_due, origin = dedup_read(redis.call('GET', KEYS[6]))
local first, score
if old then
  first, score = string.sub(old, 1, ELEMENT_ID_END), redis.call('ZSCORE', KEYS[1], old)
  first_due = score or first_due
  if old == element then
    return {'pending', first_due, 0, seconds, micros, mine, origin}
  elseif ARGV[8] == 'keep' then
    return {'kept', first_due, 0, seconds, micros, first, origin}
  elseif not score and age and age >= delay then
    -- An earlier try may have extended it, and it was delivered since.
    return {'unknown', due_text, 0, seconds, micros, mine, due_text}
  end
elseif age and age >= window then
  -- The record may have run out meanwhile.
  local there = redis.call('ZSCORE', KEYS[1], element)
  if there then
    return {'pending', there, 0, seconds, micros, mine, id_due(KEYS[7], mine, there)}
  elseif age >= delay then
    return {'unknown', due_text, 0, seconds, micros, mine, due_text}
  end
end

if score and ARGV[8] == 'extend' then
  local moved = redis.pcall('ZADD', KEYS[1], 'XX', due_text, old)
  if failed(moved) then
    return refusal('ZADD', moved)
  end
  local head, refused = add_publish(old, due_text)
  local problem = head and name(old, tonumber(origin))
  if head and not problem then
    problem = remember(old, tonumber(origin))
    if problem then
      unname()
    end
  end
  if not head or problem then
    redis.pcall('ZADD', KEYS[1], 'XX', score, old)
    return problem or refusal('PUBLISH', refused)
  end
  found_again(old)
  trace_moved(KEYS[5], old, due, tonumber(ARGV[6]), now)
  return {'extended', due_text, head, seconds, micros, first, origin}
end

if score then
  -- May the first one be removed? Asked before anything is added, by a removal of
  -- nothing; and before that a write that changes nothing, which a full Redis refuses.
  local full = redis.pcall('ZADD', KEYS[1], 'XX', score, old)
  if failed(full) then
    return refusal('ZADD', full)
  end
  local may = redis.pcall('ZREM', KEYS[1], 'duequeue:nothing')
  if failed(may) then
    return refusal('ZREM', may)
  end
end
local head, problem = add(element, due_text, ARGV[7])
if problem == 'taken' then
  return {'taken', due_text, 0, seconds, micros, mine, due_text}
elseif not head then
  return problem
end
problem = name(element, due)
if not problem then
  problem = remember(element, due)
  if problem then
    unname()
  end
end
if problem then
  redis.pcall('ZREM', KEYS[1], element)
  if ARGV[7] == '1' then
    redis.pcall('LREM', KEYS[2], -1, element)
  end
  return problem
end
found_again(element)
local status = 'added'
if score then
  -- The new one is in: what fails from here on doubles, and never loses.
  redis.call('ZREM', KEYS[1], old)
  if ARGV[10] == '1' then
    redis.pcall('LREM', KEYS[2], 1, old)
  end
  status = 'replaced'
  pcall(record_drop, KEYS[7], KEYS[8], KEYS[9], 'u' .. first)
  trace_gone(KEYS[5], old)
end
if ARGV[5] ~= '' then
  pcall(function()
    local trace = trace_record('u', due, now, mine, ARGV[5], due + tonumber(ARGV[6]))
    local live = redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[4])
    trace_append(KEYS[5], digest(string.sub(element, ELEMENT_PAYLOAD)), trace, now, live)
  end)
end
pcall(attempts_sweep, KEYS[7], KEYS[8], KEYS[9], now, 2)
return {status, due_text, head, seconds, micros, mine, due_text}
