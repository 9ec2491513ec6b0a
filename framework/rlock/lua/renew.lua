-- renew: lets a held lock last for its whole lease again.
-- KEYS: 1 lock
-- ARGV: 1 holder  2 lease in ms
-- Reply: {1}, or {0} where the holder holds it no more
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return {0}
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1}
