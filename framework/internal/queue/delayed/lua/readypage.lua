-- readypage: some ready messages, one after the other.
-- Needs: types
-- KEYS: 1 ready list  2 due list
-- ARGV: 1 index of the first, from the head from 0 on, from the end from -1 on
--        2 most messages  3 most bytes, give or take one message  4 most bytes of a body: of a larger
--        one comes the beginning
-- Reply: {body, its bytes, due entry at the same place or '' ...}: towards the end of the list
--        from an index of the head, towards the head from one of the end
--
-- It reads one message first, and then as many at once as may fit by the largest so far, at
-- most 8: each look at the middle of a long list costs a walk to it. It changes nothing.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list')
if wrong then
  return wrong
end
local at, limit, max_bytes, cut = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local backwards = at < 0
local out, bytes, largest, size = {}, 0, 1, 1

local function read(key, n)
  if backwards then
    return redis.call('LRANGE', key, at - n + 1, at)
  end
  return redis.call('LRANGE', key, at, at + n - 1)
end

while #out < 3 * limit and bytes < max_bytes do
  local n = math.min(size, limit - #out / 3)
  local bodies, dues = read(KEYS[1], n), backwards and read(KEYS[2], n) or {}
  for i = 1, #bodies do
    if bytes >= max_bytes then
      return out
    end
    local j, k = i, 0
    if backwards then
      j, k = #bodies - i + 1, #dues - i + 1
    end
    out[#out + 1] = string.sub(bodies[j], 1, cut)
    out[#out + 1] = #bodies[j]
    out[#out + 1] = dues[k] or ''
    bytes = bytes + #out[#out - 2] + #out[#out]
    largest = math.max(largest, #bodies[j])
  end
  if #bodies < n then
    break
  end
  at = backwards and at - n or at + n
  size = math.max(1, math.min(2 * size, 8, math.floor((max_bytes - bytes) / largest)))
end
return out
