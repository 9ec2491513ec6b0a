-- savechange: keeps how far a change of many messages is, where it is still its owner's.
-- Needs: types
-- KEYS: 1 changes
-- ARGV: 1 ID of the change  2 its owner until now, '' for a new one  3 its owner from now on, '' to
--        forget it  4 how far it is  5 ms for which the changes are kept  6 most changes
-- Reply: ms of Redis; 0 where it has another owner, or is gone
--
-- A value is owner, ms of Redis when it was saved, and the rest, with blanks between. Where there are
-- too many, the one goes that was saved the longest ago.
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local before = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] ~= '' and (not before or string.match(before, '^(%S+)') ~= ARGV[2]) then
  return 0
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 1
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if not before and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then
  local all, oldest, since = redis.call('HGETALL', KEYS[1]), nil, nil
  for i = 1, #all, 2 do
    local at = tonumber(string.match(all[i + 1], '^%S+ (%d+)')) or 0
    if not since or at < since then
      oldest, since = all[i], at
    end
  end
  redis.call('HDEL', KEYS[1], oldest)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. string.format('%d', ms) .. ' ' .. ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return ms
