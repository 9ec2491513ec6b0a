-- acquire: takes Redisson's lock, or holds it once more. It may be sent again: holds are counted up to ARGV 3.
-- KEYS: 1 lock  2 fencing token
-- ARGV: 1 holder  2 lease in ms  3 how often the holder holds it afterwards  4 "1" to count the fencing token
-- Reply: {1, token, 0 without} where it is held now, {0, ms that are left of another's lease, -1 without end},
--        {-1} where it is a read-write lock
local holds = redis.call('HGET', KEYS[1], ARGV[1])
if not holds and redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HEXISTS', KEYS[1], 'mode') == 1 then
    return {-1}
  end
  return {0, redis.call('PTTL', KEYS[1])}
end
local token = 0
if ARGV[4] == '1' then
  if not holds then
    redis.call('INCR', KEYS[2])
  end
  token = tonumber(redis.call('GET', KEYS[2]) or 0)
end
if tonumber(holds or 0) < tonumber(ARGV[3]) then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, token}
