-- expiry: for how long Redis still keeps the keys of a queue that Java writes, too. Writes nothing.
-- KEYS: 1 timeout set  2 pending list  3 ready list
-- ARGV: none
-- Reply: {ms that are left of each key: -1 where it has no end, -2 where there is no key, -3
--         where this user may not ask}
local left = {}
for i = 1, 3 do
  local ms = redis.pcall('PTTL', KEYS[i])
  left[i] = type(ms) == 'number' and ms or -3
end
return left
