-- cancel: take one pending element out of the delayed structures.
-- Needs: types clock element attempts pendingfind tracechange
-- KEYS: 1 timeout set  2 pending list  3 traces  4 attempts  5 names  6 ids
-- ARGV: 1 due ms and 2 name of an ID: kind u or n and 8 bytes; or 1 '' and 2 'k' .. key;
--        or 1 '' and 2 'e' .. the whole element, whatever its score
--        3 '1' when the pending list is kept
-- Reply: {status, element or '', due ms as text, seconds, microseconds, field of the
--        record, due ms and name of the ID, key, ms at which it was handled; the last five
--        '' where unknown}
--        status 'removed'; 'gone': it is no longer pending; 'ambiguous': two
--        elements begin so, nothing was changed; 'unknown key': no such message.
--
-- Safe beside any Java or Go that transfers at that moment: either side takes it
-- out of the set, in one step. The first write is ZREM, so that a full Redis can be
-- relieved. Nothing is published: who wakes for a head that is gone finds the next.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'zset', KEYS[4], 'hash', KEYS[5], 'hash',
  KEYS[6], 'zset')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local f
if string.byte(ARGV[2], 1) == 101 then
  local element = string.sub(ARGV[2], 2)
  f = {element = element, score = redis.call('ZSCORE', KEYS[1], element)}
  if not f.score then
    return {'gone', '', '', seconds, micros, '', '', '', '', ''}
  end
  local payload, kind, id = element_parse(element, true)
  f.field = payload and kind ~= 'x' and record_field(kind, id) or ''
  f.m = record_read(redis.call('HGET', KEYS[4], f.field), now)
else
  f = pending_find(KEYS[1], KEYS[4], KEYS[5], ARGV[1], ARGV[2], now)
  if not f.element then
    return {f.trouble, '', '', seconds, micros, pending_told(f)}
  end
end
redis.call('ZREM', KEYS[1], f.element)
-- From here on it is cancelled, whatever fails.
if ARGV[3] == '1' then
  redis.pcall('LREM', KEYS[2], 1, f.element)
end
if f.field ~= '' then
  pcall(record_drop, KEYS[4], KEYS[5], KEYS[6], f.field)
end
trace_gone(KEYS[3], f.element)
return {'removed', f.element, f.score, seconds, micros, pending_told(f)}
