-- cancel: take one pending element out of the delayed structures.
--
-- keys   1 timeout set, 2 pending list, 3 trace hash
--        4 dedup record, only where the message is named by its key
-- args   1 due ms, 2 the bytes the element begins with; both '' with key 4; or
--        1 '' and 2 the whole element, whatever its score
--        3 '1' when the pending list is kept exact
-- reply  {status, element or '', due ms as text, seconds, microseconds}
--        status 'removed'; 'gone': it is no longer pending; 'ambiguous': two
--        elements begin so, nothing was changed; 'unknown key': no record.
--
-- Safe beside any Java or Go that transfers at that moment: either side takes it
-- out of the set, in one step. The first write is ZREM, so that a full Redis can be
-- relieved. Nothing is published: who wakes for a head that is gone finds the next.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local score, element, trouble = ARGV[1], nil, nil
if KEYS[4] then
  wrong = wrong_type(KEYS[4], 'string')
  if wrong then
    return wrong
  end
  element = dedup_read(redis.call('GET', KEYS[4]))
  if not element then
    return {'unknown key', '', '', seconds, micros}
  end
  score = redis.call('ZSCORE', KEYS[1], element)
  if not score then
    return {'gone', '', '', seconds, micros}
  end
elseif score == '' then
  element = ARGV[2]
  score = redis.call('ZSCORE', KEYS[1], element)
  if not score then
    return {'gone', '', '', seconds, micros}
  end
else
  element, trouble = locate(KEYS[1], score, ARGV[2])
  if not element then
    return {trouble or 'gone', '', '', seconds, micros}
  end
end
redis.call('ZREM', KEYS[1], element)
-- From here on it is cancelled, whatever fails.
if ARGV[3] == '1' then
  redis.pcall('LREM', KEYS[2], 1, element)
end
if KEYS[4] then
  redis.pcall('DEL', KEYS[4])
end
trace_gone(KEYS[3], element, now)
return {'removed', element, score, seconds, micros}
