-- handback: ends a session and gives all it holds back to the head of the queue,
-- oldest first. Each body is moved by one command, so that none is in two places.
-- Needs: types clock digest records due attempts dead base hash header giveback.
-- KEYS: 1 queue  2 sessions  3 stage  4 fetches  5 attempts  6 due  7 trace  8 dead
--       9... lists of the session's fetches
-- ARGV: 1 session
--       2 why: 'reap' a session whose lease ended (charges a death)
--              'orphan' what is left of a session that is not registered
--              'close' the own session, whatever its lease
--       3 close: how long it stays registered, in ms; 0 not at all. A blocking move
--         whose connection was closed may still bring in a message, which the reaper
--         of another process then finds in the stage
-- Reply: {what, bodies, from the stage, dead, deadline or now ms}
--   what: 'done'; 'alive' the session is registered (reap: and its lease holds);
--   'gone' no such session; 'again' it has a fetch that KEYS lack: read its set anew
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'zset', KEYS[3], 'list', KEYS[4], 'set',
  KEYS[5], 'hash', KEYS[6], 'hash', KEYS[7], 'hash', KEYS[8], 'stream')
local given = {}
for i = 9, #KEYS do
  wrong = wrong or wrong_type(KEYS[i], 'list')
  given[nonce_of(KEYS[i])] = true
end
if wrong then
  return wrong
end
local queue, sessions, stage, fetches, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local session, why, now = ARGV[1], ARGV[2], clock_now()
local deadline = redis.call('ZSCORE', sessions, session)
if why == 'reap' then
  if not deadline then
    return {'gone', 0, 0, 0, ms_text(now)}
  end
  if tonumber(deadline) > now then
    return {'alive', 0, 0, 0, ms_text(tonumber(deadline))}
  end
elseif why == 'orphan' and deadline then
  return {'alive', 0, 0, 0, ms_text(tonumber(deadline))}
end
for _, nonce in ipairs(redis.call('SMEMBERS', fetches)) do
  if not given[nonce] then
    return {'again', 0, 0, 0, ms_text(now)}
  end
end

begin(attempts)
local staged = redis.call('LLEN', stage)
for _ = 1, staged do
  redis.call('LMOVE', stage, queue, 'RIGHT', 'LEFT')
end

local lists = {}
for i = 9, #KEYS do
  local header = redis.call('LINDEX', KEYS[i], 0)
  if header then
    lists[#lists + 1] = {KEYS[i], header_fetch(header), header}
  end
end
table.sort(lists, function(a, b)
  if a[2] ~= b[2] then
    return a[2] > b[2]
  end
  return a[1] > b[1]
end)

local bodies, buried, dues, traced, seen = 0, 0, {}, {}, {}
-- charge(field, begun) counts one delivery, and one death when reaped, once per payload.
-- Nil for a suspect whose handler had not begun: it is not what killed the process, nor
-- where its twin is.
local function charge(field, begun)
  if seen[field] and seen[field][3] >= 3 and not begun then
    return nil
  end
  if not seen[field] then
    local d, f, x, history = attempts_parse(redis.call('HGET', attempts, field), now)
    if why == 'reap' and x >= 2 and not begun then
      return nil
    end
    if why == 'reap' then
      x = x + 1
    end
    seen[field] = {d + 1, f, x, history}
  end
  return seen[field]
end
for _, l in ipairs(lists) do
  local list, nonce = l[1], nonce_of(l[1])
  local slots, entries = header_parts(l[3])
  entries = header_traces(entries)
  local all = redis.call('LRANGE', list, 1, -1)
  for index = #all, 1, -1 do
    local body = all[index]
    if settled(nonce, body) then
      redis.call('RPOP', list)
    else
      local rec, trace, c = header_due(slots, index), entries[index], nil
      if why ~= 'close' then
        c = charge(redis.sha1hex(body), string.sub(l[3], 1, 1) == '2')
      end
      if c and c[3] >= 3 then
        bury(KEYS[8], now, body, 'crash-loop', 'was in flight in ' .. c[3] .. ' processes that died',
          c[1], c[2], c[3], rec, trace, c[4])
        redis.call('RPOP', list)
        buried = buried + 1
      else
        redis.call('LMOVE', list, queue, 'RIGHT', 'LEFT')
        bodies = bodies + 1
        front(dues, due_field(body), rec)
        if trace then
          front(traced, digest(body), trace)
        end
      end
    end
  end
  redis.call('DEL', list)
end

local counted = {}
for field, c in pairs(seen) do
  if c[3] >= 3 then
    counted[field] = ''
  else
    counted[field] = attempts_text(c[1], c[2], c[3], c[4], now)
  end
end
put(attempts, counted)
give_back(KEYS[6], dues)
give_back(KEYS[7], traced)
redis.call('DEL', fetches)
redis.call('ZREM', sessions, session)
if why == 'close' and tonumber(ARGV[3]) > 0 then
  redis.call('ZADD', sessions, ms_text(now + tonumber(ARGV[3])), session)
end
return {'done', bodies, staged, buried, ms_text(now)}
