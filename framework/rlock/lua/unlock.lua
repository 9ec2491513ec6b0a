-- unlock: frees Redisson's lock, whoever holds it. It may be sent again.
-- KEYS: 1 lock  2 channel
-- ARGV: none
-- Reply: {1} where it was held, {0} where not, {-1} where it is a read-write lock
if redis.call('HEXISTS', KEYS[1], 'mode') == 1 then
  return {-1}
end
local held = redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], '0')
redis.pcall('SPUBLISH', KEYS[2], '0')
return {held}
