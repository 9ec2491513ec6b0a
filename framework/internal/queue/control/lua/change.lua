-- change: sets what operators want of all processes, and tells these.
-- Needs: types settings clock
-- KEYS: 1 control
-- ARGV: 1 version of what comes of it  2 channel  3 name of the queue
--       4 how many fields to remove  5... these, then triples: field, 'is' or 'in', value;
--         with 'in' the value is ms from now
-- Reply: see settings
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local key, now, first = KEYS[1], clock_now(), 5 + tonumber(ARGV[4])
redis.call('HDEL', key, '') -- a removing no-op, so that a full Redis accepts the rest
over(key, now)
for i = 5, first - 1 do
  redis.call('HDEL', key, ARGV[i])
end
for i = first, #ARGV, 3 do
  local value = ARGV[i + 2]
  if ARGV[i + 1] == 'in' then
    value = ms_text(now + tonumber(value))
  end
  redis.call('HSET', key, ARGV[i], value)
end
over(key, now) -- one that ended before it began
stamp(key, ARGV[1])
redis.pcall('PUBLISH', ARGV[2], '=' .. ARGV[3]) -- who does not hear it sees it within a sweep
return settings(key, now)
