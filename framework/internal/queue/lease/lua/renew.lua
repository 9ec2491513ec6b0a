-- renew: moves the deadline of a session that nobody has ended. A key that was deleted, of
-- the deadlines or of the leases, gets its entry back.
-- Needs: clock
-- KEYS: 1 sessions  2 leases  3 fetches of the session
-- ARGV: 1 session  2 lease ms  3 register it where others have ended it 0|1
-- Reply: {1 renewed or 0 lost, now ms, sessions at the queue, fetches of this one, or -1 where
--         their key is none of a set}
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
local leased = redis.call('HGET', KEYS[2], ARGV[1])
local fetches = redis.pcall('SCARD', KEYS[3])
if type(fetches) ~= 'number' then
  fetches = -1
end
redis.call('ZREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
local now = clock_now()
if not known and not leased and ARGV[3] == '0' then
  return {0, ms_text(now), redis.call('ZCARD', KEYS[1]), fetches}
end
redis.call('ZADD', KEYS[1], ms_text(now + tonumber(ARGV[2])), ARGV[1])
if not leased then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
return {(known or leased) and 1 or 0, ms_text(now), redis.call('ZCARD', KEYS[1]), fetches}
