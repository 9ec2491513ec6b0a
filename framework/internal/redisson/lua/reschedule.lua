-- reschedule: give one pending element another due time.
--
-- keys   1 timeout set, 2 channel, 3 trace hash
--        4 dedup record, only where the message is named by its key
-- args   1 due ms, 2 the bytes the element begins with; both '' with key 4
--        3 new due ms
--        4 '1' when this is a resend, whose first try may have been executed
--        5 how long after its due time the trace record lives, in ms
-- reply  {status, head (1 or 0), element or '', seconds, microseconds}
--        status 'moved'; 'gone': it is no longer pending; 'ambiguous': two elements
--        begin so, nothing was changed; 'unknown key': no record.
--
-- The element keeps its bytes, so that the pending list needs no change: one ZADD of
-- O(log n). Published is the new due time when the element is the head then. Where it
-- was the head before, others wake at the old time, find nothing due and sleep again.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[3], 'hash')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local old, due = ARGV[1], ARGV[3]
local element, trouble, until_due
if KEYS[4] then
  wrong = wrong_type(KEYS[4], 'string')
  if wrong then
    return wrong
  end
  element, until_due = dedup_read(redis.call('GET', KEYS[4]))
  old = element and redis.call('ZSCORE', KEYS[1], element)
  if not old then
    return {element and 'gone' or 'unknown key', 0, '', seconds, micros}
  end
else
  element, trouble, old = locate(KEYS[1], old, ARGV[2])
  if not element and not trouble and ARGV[4] == '1' then
    element, trouble, old = locate(KEYS[1], due, ARGV[2])
  end
  if not element then
    return {trouble or 'gone', 0, '', seconds, micros}
  end
end
redis.call('ZADD', KEYS[1], 'XX', due, element)
local head = 0
local rank = redis.pcall('ZRANK', KEYS[1], element)
if rank == 0 or failed(rank) then
  head = 1
  local published = redis.pcall('PUBLISH', KEYS[2], due)
  if failed(published) then
    redis.pcall('ZADD', KEYS[1], 'XX', old, element)
    return refusal('PUBLISH', published)
  end
end
if KEYS[4] then
  -- The window stays as it is, unless it lasts until the message is due.
  local record = dedup_record(tonumber(due), element, until_due)
  if until_due then
    redis.pcall('SET', KEYS[4], record, 'PX', ms_text(math.max(tonumber(due) - now, 1)))
  else
    redis.pcall('SET', KEYS[4], record, 'KEEPTTL')
  end
end
trace_moved(KEYS[3], element, tonumber(due), tonumber(ARGV[5]))
return {'moved', head, element, seconds, micros}
