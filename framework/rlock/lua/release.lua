-- release: ends a hold of Redisson's lock. It may be sent again. Redisson of a Cluster listens to the sharded channel.
-- KEYS: 1 lock  2 channel
-- ARGV: 1 holder  2 lease in ms  3 how often the holder holds it afterwards
-- Reply: {1} where the lock is free now, {0} where the holder holds it still, {-1} where it did not hold it
local holds = redis.call('HGET', KEYS[1], ARGV[1])
if not holds then
  return {-1}
end
local left = tonumber(ARGV[3])
if left > 0 then
  if tonumber(holds) > left then
    redis.call('HSET', KEYS[1], ARGV[1], left)
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {0}
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], '0')
redis.pcall('SPUBLISH', KEYS[2], '0')
return {1}
