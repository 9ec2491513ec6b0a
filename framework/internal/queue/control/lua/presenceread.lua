-- presenceread: what the processes of a queue say of themselves.
-- Needs: types clock
-- KEYS: 1 processes
-- ARGV: none
-- Reply: {ms now, then id and record of each}
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local now, reply = clock_now(), redis.call('HGETALL', KEYS[1])
table.insert(reply, 1, ms_text(now))
return reply
