-- presencewrite: a process says how it serves a queue. Now and then a few others are looked at: those
-- that have been silent for long are removed.
-- Needs: types clock
-- KEYS: 1 processes
-- ARGV: 1 id of the process  2 ms after which it says so again  3 lease ms  4 what it says
--       5 most processes
-- Reply: 1 written, 0 there is no room
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local key, id, now = KEYS[1], ARGV[1], clock_now()
local again, lease, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local new = redis.call('HEXISTS', key, id) == 0
local full = new and redis.call('HLEN', key) >= most
redis.call('HDEL', key, '') -- a removing no-op, so that a full Redis accepts the rest
if full or now % 4 == 0 then
  local others = redis.call('HRANDFIELD', key, full and 20 or 3, 'WITHVALUES')
  for i = 1, #others, 2 do
    local written = tonumber(string.sub(others[i + 1], 1, 16)) or 0
    local keeps = (tonumber(string.sub(others[i + 1], 17, 26)) or 0) + (tonumber(string.sub(others[i + 1], 27, 36)) or 0)
    if now > written + keeps or written > now + keeps then
      redis.call('HDEL', key, others[i])
    end
  end
  full = new and redis.call('HLEN', key) >= most
end
if full then
  return 0
end
redis.call('HSET', key, id, string.format('%016.0f%010.0f%010.0f', now, again, lease) .. ARGV[4])
local left = redis.pcall('PTTL', key) -- refused: readers leave out what is over
if type(left) == 'number' and left < again + lease then
  redis.pcall('PEXPIRE', key, string.format('%.0f', 2 * (again + lease)))
end
return 1
