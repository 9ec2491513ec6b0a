-- look: which leases have ended, and when does the next one.
-- Needs: clock.
-- KEYS: 1 sessions  2 leases
-- ARGV: 1 the own session, left out  2 at most so many  3 ms of the own lease: where a
--       deadline lies further ahead each is compared with its session's lease
-- Reply: {now ms, next deadline ms or '', session, session...}
--
-- Where the clock went back, deadlines that were set before lie further ahead than their
-- lease: those sessions get one from now, and the living ones renew it. So do sessions
-- whose deadline is gone with the key.
local now = clock_now()
local latest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
-- Both fail on a wrong type before anything is written.
if redis.call('HLEN', KEYS[2]) > redis.call('ZCARD', KEYS[1]) or latest and tonumber(latest) > now + tonumber(ARGV[3]) then
  redis.call('ZREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
  local all = redis.call('HGETALL', KEYS[2])
  for i = 1, #all, 2 do
    local most = now + tonumber(all[i + 1])
    local deadline = redis.call('ZSCORE', KEYS[1], all[i])
    if not deadline or tonumber(deadline) > most then
      redis.call('ZADD', KEYS[1], ms_text(most), all[i])
    end
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
