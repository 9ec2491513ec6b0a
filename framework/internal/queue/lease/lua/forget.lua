-- forget: looks at some records of messages and removes those that are over: of messages
-- that Java took, which tells nobody.
-- Needs: types clock attempts vanished hash
-- KEYS: 1 attempts  2 names  3 ids  4 timeout set  5 ready list
-- ARGV: 1 how many to look at
-- Reply: {removed, left}
local wrong = wrong_type(KEYS[1], 'hash', KEYS[2], 'hash', KEYS[3], 'zset', KEYS[4], 'zset', KEYS[5], 'list')
if wrong then
  return wrong
end
begin(KEYS[1])
local now = clock_now()
local by_others = vanished(KEYS[4], KEYS[5], KEYS[3], now)
local gone = attempts_sweep(KEYS[1], KEYS[2], KEYS[3], now, tonumber(ARGV[1]), by_others)
return {gone, redis.call('HLEN', KEYS[1])}
