-- locate: an element of the timeout set by its due time and the bytes it begins
-- with. O(log n), also where very many elements share one due time.

-- begins_before(element, prefix) compares bytes; Lua's own order depends on the
-- locale of the server.
local function begins_before(element, prefix)
  for i = 1, #prefix do
    local a, b = string.byte(element, i) or -1, string.byte(prefix, i)
    if a ~= b then
      return a < b
    end
  end
  return false
end

-- locate(key, score, prefix) returns the element, or nil; and 'ambiguous' when two
-- elements begin so.
local function locate(key, score, prefix)
  local low = redis.call('ZCOUNT', key, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', key, '-inf', score)
  local last = high
  while low < high do
    local middle = math.floor((low + high) / 2)
    if begins_before(redis.call('ZRANGE', key, middle, middle)[1], prefix) then
      low = middle + 1
    else
      high = middle
    end
  end
  if low >= last then
    return nil
  end
  local found = redis.call('ZRANGE', key, low, math.min(low + 1, last - 1))
  if string.sub(found[1], 1, #prefix) ~= prefix then
    return nil
  end
  if found[2] and string.sub(found[2], 1, #prefix) == prefix then
    return nil, 'ambiguous'
  end
  return found[1]
end
