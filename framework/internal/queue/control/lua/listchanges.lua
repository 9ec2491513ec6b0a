-- listchanges: the changes of many messages that have not come to their end.
-- Needs: types
-- KEYS: 1 changes
-- ARGV: none
-- Reply: {ms of Redis now, ID, value ...}, see save
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local now = redis.call('TIME')
local out = { string.format('%d', now[1] * 1000 + math.floor(now[2] / 1000)) }
for _, text in ipairs(redis.call('HGETALL', KEYS[1])) do
  out[#out + 1] = text
end
return out
