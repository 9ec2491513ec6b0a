-- page: some pending elements in the order in which they fall due.
--
-- keys   1 timeout set
-- args   1 score and 2 element looked at last, both '' to begin
--        3 most elements, 4 most bytes, give or take one element
-- reply  {score, element, score, element ...}
--
-- What is removed or added meanwhile moves nothing: a walk meets each element that
-- stays exactly once. It changes nothing.
local wrong = wrong_type(KEYS[1], 'zset')
if wrong then
  return wrong
end
local limit, max_bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local rank = 0
if ARGV[1] ~= '' then
  rank = rank_after(KEYS[1], ARGV[1], ARGV[2])
end
-- Chunks grow while elements are small, so that the script holds few large ones.
local out, bytes, chunk = {}, 0, 1
while #out < 2 * limit and bytes < max_bytes do
  local found = redis.call('ZRANGE', KEYS[1], rank, rank + chunk - 1, 'WITHSCORES')
  for i = 1, #found, 2 do
    if #out < 2 * limit and bytes < max_bytes then
      out[#out + 1] = found[i + 1]
      out[#out + 1] = found[i]
      bytes = bytes + #found[i]
    end
  end
  if #found < 2 * chunk then
    break
  end
  rank = rank + chunk
  chunk = math.max(1, math.min(8, 2 * chunk, math.floor((max_bytes - bytes) * #out / (2 * bytes + 1))))
end
return out
