-- forget: looks at some records of messages and removes those that are over: of messages
-- that Java took while they waited for a retry, which tells nobody.
-- Needs: types clock attempts hash
-- KEYS: 1 attempts  2 names  3 ids
-- ARGV: 1 how many to look at
-- Reply: {removed, left}
local wrong = wrong_type(KEYS[1], 'hash', KEYS[2], 'hash', KEYS[3], 'zset')
if wrong then
  return wrong
end
begin(KEYS[1])
local gone = attempts_sweep(KEYS[1], KEYS[2], KEYS[3], clock_now(), tonumber(ARGV[1]))
return {gone, redis.call('HLEN', KEYS[1])}
