-- note: notes that something was so just now.
-- Needs: types clock
-- KEYS: 1 control
-- ARGV: 1 field
-- Reply: ms of Redis
--
-- It is no change of what operators have set: the version stays.
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
redis.call('HSET', KEYS[1], ARGV[1], ms_text(now))
return now
