-- look: which leases have ended, and when does the next one.
-- Needs: clock
-- KEYS: 1 sessions  2 leases
-- ARGV: 1 the own session, left out  2 at most so many  3 ms of the own lease, which is that
--       of sessions whose own is not known
-- Reply: {now ms, next deadline ms or '', session, session...}
--
-- Where the clock went back, deadlines that were set before lie further ahead than their
-- lease: those sessions get one from now, and the living ones renew it. So do sessions
-- whose deadline is gone with the key.
local now, own = clock_now(), tonumber(ARGV[3])
-- Both fail on a wrong type before anything is written.
local unknown = redis.call('HLEN', KEYS[2]) > redis.call('ZCARD', KEYS[1])
local far = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ms_text(now + own), '+inf', 'WITHSCORES')
if unknown or #far > 0 then
  redis.call('ZREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
end
for i = 1, #far, 2 do
  local most = now + (tonumber(redis.call('HGET', KEYS[2], far[i])) or own)
  if tonumber(far[i + 1]) > most then
    redis.call('ZADD', KEYS[1], ms_text(most), far[i])
  end
end
local all = unknown and redis.call('HGETALL', KEYS[2]) or {}
for i = 1, #all, 2 do
  if not redis.call('ZSCORE', KEYS[1], all[i]) then
    redis.call('ZADD', KEYS[1], ms_text(now + tonumber(all[i + 1])), all[i])
  end
end
local reply = {ms_text(now), ''}
for _, s in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms_text(now), 'LIMIT', 0, tonumber(ARGV[2]) + 1)) do
  if s ~= ARGV[1] then
    reply[#reply + 1] = s
  end
end
local later = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ms_text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 2)
for i = 1, #later, 2 do
  if later[i] ~= ARGV[1] then
    reply[2] = later[i + 1]
    break
  end
end
return reply
