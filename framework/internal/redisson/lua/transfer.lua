-- transfer: move what is due to the ready list.
--
-- keys   1 timeout set, 2 pending list, 3 ready list, 4 due hash, 5 dead store
-- args   1 most elements to move, 2 most bytes to move
--        3 '1' when the queue's codec writes empty payloads
--        4 '1' to write due records
--        5 microseconds after which no further chunk is begun
-- reply  {moved, malformed, length of the ready list, score of the new head or '',
--         seconds, microseconds, bytes moved, microseconds spent (0 where the
--         server stops its clock in scripts), '' or why the dead store refused}
--
-- Order of writes. A ZREM of nothing comes first, so that a full Redis can be
-- drained. Then, chunk by chunk: malformed ones to the dead store, LREM from
-- Java's view, RPUSH to the ready list, ZREM. A command that is refused stops the
-- script before its chunk is pushed; what is pushed is always removed.
-- The due records come after all of that and cannot fail the transfer.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'hash', KEYS[5], 'stream')
if wrong then
  return wrong
end

local limit, max_bytes, budget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
local empty_ok, track = ARGV[3] == '1', ARGV[4] == '1'
local now, seconds, micros = clock_now()
local now_text = ms_text(now)
local moved, malformed, bytes, spent = 0, 0, 0, 0
local ready, stuck, refused = nil, 0, ''

-- bury(body, score, detail): to the dead store; false if refused.
local function bury(body, score, detail)
  local due = ''
  if string.byte(score, 1) ~= 45 and tonumber(score) then
    due = ms_text(math.floor(tonumber(score)))
  end
  local ok, err = pcall(dead_add, KEYS[5], {
    body = body, reason = 'malformed', detail = detail, due = due,
    digest = digest(body), at = now_text,
  })
  if not ok then
    refused = type(err) == 'table' and err.err or tostring(err)
  end
  return ok
end

-- sort_chunk(found) buries what is malformed and returns what can be moved:
-- elements to remove, elements to push, their payloads, due fields and records.
local function sort_chunk(found)
  local gone, good, payloads, fields, records = {}, {}, {}, {}, {}
  for i = 1, #found, 2 do
    local element, score = found[i], found[i + 1]
    local payload, kind, id = element_parse(element, empty_ok)
    bytes = bytes + #element
    if not payload or string.byte(score, 1) == 45 then
      local buried
      if payload then
        buried = bury(payload, score, 'score ' .. score .. ' is negative: now + delay overflowed')
      else
        buried = bury(element, score, kind)
      end
      if buried then
        malformed = malformed + 1
        gone[#gone + 1] = element
      else
        stuck = stuck + 1
      end
    else
      local n = #good + 1
      good[n], payloads[n], gone[#gone + 1] = element, payload, element
      if track then
        fields[n] = due_field(payload)
        records[n] = due_record(kind, math.floor(tonumber(score)), now, id)
      end
    end
  end
  return gone, good, payloads, fields, records
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
  local gone, good, payloads, fields, records = sort_chunk(found)
  for i = 1, #good do
    redis.call('LREM', KEYS[2], 1, good[i])
  end
  local fresh = false
  if #good > 0 then
    local length = redis.call('RPUSH', KEYS[3], unpack(payloads))
    fresh = ready == nil and length == #good
    ready = length
    moved = moved + #good
  end
  if #gone > 0 then
    redis.call('ZREM', KEYS[1], unpack(gone))
  end
  -- LREM on the garbage in Java's view, now that it is safe elsewhere.
  if #gone > #good then
    local kept = {}
    for i = 1, #good do
      kept[good[i]] = true
    end
    for i = 1, #gone do
      if not kept[gone[i]] then
        redis.call('LREM', KEYS[2], 1, gone[i])
      end
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

if not ready then
  ready = redis.call('LLEN', KEYS[3])
end
-- Now and then, and whenever nothing was due, a look at leftovers.
if track and (moved == 0 or micros % 16 == 0) then
  pcall(due_sweep, KEYS[4], now, ready)
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {moved, malformed, ready, head[2] or '', seconds, micros, bytes, spent, refused}
