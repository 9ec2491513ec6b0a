-- reschedule: give one pending element another due time.
-- Needs: types clock refusal element attempts pendingfind tracechange
-- KEYS: 1 timeout set  2 channel  3 traces  4 attempts  5 names  6 ids
-- ARGV: 1 due ms and 2 name of an ID: kind u or n and 8 bytes; or 1 '' and 2 'k' .. key
--        3 new due ms
--        4 how long after its due time the trace record lives, in ms
-- Reply: {status, head (1 or 0), seconds, microseconds, field of the record, due ms and
--        name of the ID, key, ms at which it was handled; the last five '' where unknown}
--        status 'moved'; 'gone': it is no longer pending; 'ambiguous': two elements
--        begin so, nothing was changed; 'unknown key': no such message.
--
-- The element keeps its bytes, so that the pending list needs no change: O(log n). Where it
-- is now is written to its record, so that its ID finds it, and a repetition of this too.
-- Published is the new due time when the element is the head then. Where it was the head
-- before, others wake at the old time, find nothing due and sleep again.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[3], 'zset', KEYS[4], 'hash', KEYS[5], 'hash', KEYS[6], 'zset')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local due = ARGV[3]
local f = pending_find(KEYS[1], KEYS[4], KEYS[5], ARGV[1], ARGV[2], now)
if not f.element then
  return {f.trouble, 0, seconds, micros, pending_told(f)}
end
local element, old = f.element, f.score
-- undo(reply) is for what is refused before anybody was told.
local function undo(command, reply)
  redis.pcall('ZADD', KEYS[1], 'XX', old, element)
  return refusal(command, reply)
end
local held, m = redis.call('HGET', KEYS[4], f.field), f.m
if not m then
  m = record_new(string.sub(f.field, 1, 1), tonumber(ARGV[1]), string.sub(f.field, 2))
end
redis.call('ZADD', KEYS[1], 'XX', due, element)
m.due = tonumber(due)
if not m.digest then
  m.digest = redis.sha1hex((element_parse(element, true)))
end
local text = record_text(m, now)
local set = redis.pcall('HSET', KEYS[4], f.field, text)
if failed(set) then
  return undo('HSET', set)
end
f.m = m
local head = 0
local rank = redis.pcall('ZRANK', KEYS[1], element)
if rank == 0 or failed(rank) then
  head = 1
  local published = redis.pcall('PUBLISH', KEYS[2], due)
  if failed(published) then
    if held then
      redis.pcall('HSET', KEYS[4], f.field, held)
    else
      redis.pcall('HDEL', KEYS[4], f.field)
    end
    return undo('PUBLISH', published)
  end
end
pcall(record_wait, KEYS[4], KEYS[5], KEYS[6], f.field, m, now)
trace_moved(KEYS[3], element, tonumber(due), tonumber(ARGV[4]), now)
pcall(attempts_sweep, KEYS[4], KEYS[5], KEYS[6], now, 2)
return {'moved', head, seconds, micros, pending_told(f)}
