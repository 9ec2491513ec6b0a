-- locate: an element of the timeout set by its due time and the bytes it begins
-- with. O(log n), also where very many elements share one due time.
-- Needs: clock

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

-- locate_odd looks among scores that no Redisson writes: a fraction below a whole ms
-- and, for ms 0, what is negative.
local function locate_odd(key, score, prefix)
  local from = '(' .. ms_text(tonumber(score) - 1)
  if tonumber(score) == 0 then
    from = '-inf'
  end
  local found = redis.call('ZRANGEBYSCORE', key, from, '(' .. score, 'WITHSCORES', 'LIMIT', 0, 100)
  local at
  for i = 1, #found, 2 do
    if string.sub(found[i], 1, #prefix) == prefix then
      if at then
        return nil, 'ambiguous'
      end
      at = i
    end
  end
  if at then
    return found[at], nil, found[at + 1]
  end
  return nil
end

-- locate(key, score, prefix) returns the element, nil and its score in the set; or
-- nil; or nil and 'ambiguous' when two elements begin so.
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
    return locate_odd(key, score, prefix)
  end
  local found = redis.call('ZRANGE', key, low, math.min(low + 1, last - 1))
  if string.sub(found[1], 1, #prefix) ~= prefix then
    return locate_odd(key, score, prefix)
  end
  if found[2] and string.sub(found[2], 1, #prefix) == prefix then
    return nil, 'ambiguous'
  end
  return found[1], nil, score
end
