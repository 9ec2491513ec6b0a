-- push: put one payload at the end of the ready list, due now.
-- Needs: types clock digest due trace
-- KEYS: 1 ready list  2 due list  3 traces
-- ARGV: 1 payload  2 '1' to write a due record
--        3 trace context (25 bytes) or ''  4 how long the trace record lives, in ms
-- Reply: {length of the ready list, seconds, microseconds}
--
-- The records follow what Java needs, and a failure there is not the push's.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list', KEYS[3], 'zset')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local length = redis.call('RPUSH', KEYS[1], ARGV[1])
local id = '\0\0\0\0\0\0\0\0'
if ARGV[2] == '1' then
  pcall(function()
    due_append(KEYS[2], {due_entry(due_record('x', now, now, id), ARGV[1])})
    due_bound(KEYS[2], length, now)
  end)
end
if ARGV[3] ~= '' then
  pcall(function()
    trace_append(KEYS[3], digest(ARGV[1]), trace_record('x', now, now, id, ARGV[3], now + tonumber(ARGV[4])), now)
  end)
end
return {length, seconds, micros}
