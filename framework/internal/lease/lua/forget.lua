-- forget: looks at some counters and removes those that are over: of messages that Java
-- took or that were cancelled while they waited for a retry, which tells nobody.
-- Needs: types clock attempts base hash.
-- KEYS: 1 attempts
-- ARGV: 1 how many to look at
-- Reply: {removed, left}
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
begin(KEYS[1])
local gone = attempts_sweep(KEYS[1], clock_now(), tonumber(ARGV[1]))
return {gone, redis.call('HLEN', KEYS[1])}
