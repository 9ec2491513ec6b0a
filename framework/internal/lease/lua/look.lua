-- look: which leases have ended, and when does the next one. Writes nothing.
-- Needs: clock.
-- KEYS: 1 sessions
-- ARGV: 1 the own session, left out  2 at most so many
-- Reply: {now ms, next deadline ms or '', session, session...}
local now = clock_now()
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
