-- transfer: move what is due to the ready list.
--
-- keys   1 timeout set, 2 pending list, 3 ready list, 4 due hash, 5 dead store
-- args   1 most elements to move, 2 most bytes to move
--        3 '1' when the queue's codec writes empty payloads
--        4 '1' to write due records
--        5 microseconds after which no further chunk is begun
--        6 what becomes of the pending list, Java's view: 'exact', 'unordered',
--          'lazy' or 'off'; see View in view.go
-- reply  {moved, malformed, length of the ready list, score of the new head or '',
--         seconds, microseconds, bytes moved, microseconds spent (0 where the
--         server stops its clock in scripts), '' or why the dead store refused}
--
-- Order of writes. A ZREM of nothing comes first, so that a full Redis can be
-- drained. Then, chunk by chunk: LREM from Java's view, RPUSH to the ready list,
-- ZREM; then what is malformed, one by one: to the dead store, ZREM, LREM. A
-- command that is refused stops the script before anything is copied, or after
-- what is copied was removed: nothing is lost and nothing doubled.
-- The due records come after all of that and cannot fail the transfer.
--
-- An LREM costs a walk of the list from its head to the element. Where many are due
-- at one ms, or where any order will do, a chunk of the list's head is taken instead:
-- what is due in it is moved, the rest is put back. Then RPUSH and ZREM come before
-- the list is touched.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'hash', KEYS[5], 'stream')
if wrong then
  return wrong
end

local limit, max_bytes, budget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
local view = ARGV[6]
local exact = view == 'exact' or view == 'unordered'
local empty_ok, track = ARGV[3] == '1', ARGV[4] == '1'
local now, seconds, micros = clock_now()
local now_text = ms_text(now)
local written = string.format('%016.0f', now)
local moved, malformed, bytes, spent = 0, 0, 0, 0
local ready, stuck, refused = nil, 0, ''

-- bury(element, score, body, detail): to the dead store and out of the rest.
local function bury(element, score, body, detail)
  local due = ''
  if string.byte(score, 1) ~= 45 then
    due = ms_text(math.floor(tonumber(score)))
  end
  local ok, err = pcall(dead_add, KEYS[5], {
    body = body, reason = 'malformed', detail = detail, due = due,
    digest = digest(body), at = now_text,
  })
  if not ok then
    stuck = stuck + 1
    refused = (type(err) == 'table' and err.err or tostring(err)) .. ' command=XADD'
    return
  end
  redis.call('ZREM', KEYS[1], element)
  malformed = malformed + 1
  if exact then
    redis.call('LREM', KEYS[2], 1, element)
  end
end

-- sort_chunk(found) returns what can be moved, as elements, payloads, due fields
-- and due records, and what is malformed, as arguments for bury.
local function sort_chunk(found)
  local good, payloads, fields, records, bad = {}, {}, {}, {}, {}
  for i = 1, #found, 2 do
    local element, score = found[i], found[i + 1]
    local payload, kind, id = element_parse(element, empty_ok)
    bytes = bytes + #element
    if not payload then
      bad[#bad + 1] = {element, score, element, kind}
    elseif string.byte(score, 1) == 45 then
      bad[#bad + 1] = {element, score, payload, 'score ' .. score .. ' is negative: now + delay overflowed'}
    else
      local n = #good + 1
      good[n], payloads[n] = element, payload
      if track then
        fields[n] = due_field(payload)
        if #score == 13 and not string.find(score, '%D') then
          -- Today's ms: due_record, without formatting a number.
          records[n] = kind .. '000' .. score .. written .. id
        else
          records[n] = due_record(kind, math.floor(tonumber(score)), now, id)
        end
      end
    end
  end
  return good, payloads, fields, records, bad
end

local fresh = false

-- push(good, payloads) puts them on the ready list and takes them out of the set.
local function push(good, payloads)
  local length = redis.call('RPUSH', KEYS[3], unpack(payloads))
  redis.call('ZREM', KEYS[1], unpack(good))
  fresh = ready == nil and length == #good
  ready = length
  moved = moved + #good
end

local least_drain, drains = 32, exact

-- drain(found, want) moves what is due among the first elements of the list, where
-- that promises more than one LREM for each of found. It returns due fields and
-- records, or nil when nothing was done.
local function drain(found, want)
  local first = found[2]
  if #found < 2 * want or view == 'exact' and found[#found] ~= first then
    return nil
  end
  local head = redis.call('LRANGE', KEYS[2], 0, want - 1)
  if #head == 0 then
    drains = false
    return nil
  end
  local scores = redis.call('ZMSCORE', KEYS[1], unpack(head))
  local picked, rest, seen = {}, {}, {}
  for i = 1, #head do
    local score = scores[i]
    -- An element may stand there twice: old Redissons sent offers again. Once it is
    -- moved the other one is a ghost.
    if score and not seen[head[i]] and (score == first or view == 'unordered' and tonumber(score) <= now) then
      picked[#picked + 1] = head[i]
      picked[#picked + 1] = score
      seen[head[i]] = true
    else
      rest[#rest + 1] = head[i]
    end
  end
  if #picked * 2 < #head then
    drains = false -- fewer than a quarter
    return nil
  end
  local before = bytes
  local good, payloads, fields, records, bad = sort_chunk(picked)
  if #bad > 0 then
    bytes = before
    return nil
  end
  push(good, payloads)
  redis.call('LTRIM', KEYS[2], #head, -1)
  if #rest > 0 then
    local back = {}
    for i = #rest, 1, -1 do
      back[#back + 1] = rest[i]
    end
    redis.call('LPUSH', KEYS[2], unpack(back))
  end
  return fields, records
end

local chunk = 8
while moved + malformed < limit and bytes < max_bytes and spent < budget do
  local want = math.min(chunk, limit - moved - malformed)
  if bytes > 0 then
    want = math.max(1, math.min(want, math.floor((max_bytes - bytes) * (moved + malformed) / bytes)))
  end
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_text, 'WITHSCORES', 'LIMIT', stuck, want)
  if #found == 0 then
    break
  end
  redis.call('ZREM', KEYS[1], 'duequeue:nothing')
  fresh = false
  local fields, records, bad
  if drains and want >= least_drain and stuck == 0 then
    fields, records = drain(found, want)
  end
  if not fields then
    local good, payloads
    good, payloads, fields, records, bad = sort_chunk(found)
    if #good > 0 then
      if exact then
        for i = 1, #good do
          redis.call('LREM', KEYS[2], 1, good[i])
        end
      end
      push(good, payloads)
    end
    for i = 1, #bad do
      bury(unpack(bad[i]))
    end
  end
  if track and #fields > 0 then
    pcall(due_append, KEYS[4], fields, records, fresh)
  end
  local _, s, u = clock_now()
  spent = (s - seconds) * 1000000 + (u - micros)
  if #found < 2 * want then
    break
  end
  chunk = math.min(chunk * 2, 256)
end

-- trim() takes finished elements off the head of a list that is not kept exact. When
-- they are more than half, live ones at the head go to the end, so that the
-- finished ones behind them are reached: some steps for each message moved.
local function trim()
  local length, live = redis.call('LLEN', KEYS[2]), redis.call('ZCARD', KEYS[1])
  if length <= live then
    return
  end
  local head = redis.call('LRANGE', KEYS[2], 0, math.min(2 * moved + 16, 256) - 1)
  local scores = redis.call('ZMSCORE', KEYS[1], unpack(head))
  local gone, rest = 0, {}
  if length - live > math.max(live, 256) then
    gone = #head
    for i = 1, #head do
      if scores[i] then
        rest[#rest + 1] = head[i]
      end
    end
  else
    while gone < #head and not scores[gone + 1] do
      gone = gone + 1
    end
  end
  if gone > 0 then
    redis.call('LTRIM', KEYS[2], gone, -1)
  end
  if #rest > 0 then
    redis.call('RPUSH', KEYS[2], unpack(rest))
  end
end
if view == 'lazy' then
  -- What the view lacks delays nothing.
  pcall(trim)
end

if not ready then
  ready = redis.call('LLEN', KEYS[3])
end
-- Now and then, and whenever nothing was due, a look at leftovers.
if track and (moved == 0 or micros % 16 == 0) then
  pcall(due_sweep, KEYS[4], now, ready)
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {moved, malformed, ready, head[2] or '', seconds, micros, bytes, spent, refused}
