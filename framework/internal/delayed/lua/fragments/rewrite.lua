-- rewrite: a list is read once, and many of its elements are left out.

-- next_step(n, count, size) returns how many to take after n, of which count came and
-- had size bytes: about a megabyte at a time.
local function next_step(n, count, size)
  return math.max(1, math.min(2 * n, 256, math.floor(1048576 * count / math.max(size, 1))))
end

-- list_without(list, gone) takes each element of the list from its head and puts it back
-- at its end unless gone names it: the order stays.
local function list_without(list, gone)
  local left = redis.call('LLEN', list)
  local n = 16
  while left > 0 do
    local head = redis.call('LRANGE', list, 0, math.min(left, n) - 1)
    local rest, size = {}, 0
    for i = 1, #head do
      size = size + #head[i]
      if gone[head[i]] then
        gone[head[i]] = nil -- one entry, as LREM would
      else
        rest[#rest + 1] = head[i]
      end
    end
    if #rest > 0 then
      redis.call('RPUSH', list, unpack(rest))
    end
    redis.call('LTRIM', list, #head, -1)
    left = left - #head
    n = next_step(n, #head, size)
  end
end
