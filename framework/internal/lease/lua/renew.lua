-- renew: moves the deadline of a session that is still registered.
-- Needs: clock.
-- KEYS: 1 sessions
-- ARGV: 1 session  2 lease ms
-- Reply: {1 renewed or 0 lost, now ms}
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
local now = clock_now()
if not known then
  return {0, ms_text(now)}
end
redis.call('ZADD', KEYS[1], 'XX', ms_text(now + tonumber(ARGV[2])), ARGV[1])
return {1, ms_text(now)}
