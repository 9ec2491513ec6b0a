-- rank: places in a sorted set, by score and member.

-- compare(a, b) orders bytes as Redis orders members; Lua's own order depends on
-- the locale of the server.
local function compare(a, b)
  for at = 1, math.min(#a, #b), 64 do
    local x = {string.byte(a, at, at + 63)}
    local y = {string.byte(b, at, at + 63)}
    for i = 1, math.min(#x, #y) do
      if x[i] ~= y[i] then
        return x[i] - y[i]
      end
    end
  end
  return #a - #b
end

-- rank_after(key, score, element) returns the rank of the first member behind that
-- place, whether or not the element is still there.
local function rank_after(key, score, element)
  if redis.call('ZSCORE', key, element) == score then
    return redis.call('ZRANK', key, element) + 1
  end
  local low = redis.call('ZCOUNT', key, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', key, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', key, middle, middle)
    if compare(found[1], element) <= 0 then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end
