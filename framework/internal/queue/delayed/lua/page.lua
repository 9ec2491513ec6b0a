-- page: some pending elements in the order in which they fall due.
-- Needs: types rank some ownid
-- KEYS: 1 timeout set  2 attempts
-- ARGV: 1 score and 2 element looked at last, both '' to begin
--        3 most elements  4 most bytes, give or take one element
--        5 how many to pass over to begin  6 most bytes of an element: of a larger one comes the
--        beginning
-- Reply: {score, element, own ID or '', bytes of the element ...}, see ownid
--
-- What is removed or added meanwhile moves nothing: a walk meets each element that
-- stays exactly once. It changes nothing.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'hash')
if wrong then
  return wrong
end
local limit, max_bytes, cut = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local rank, known = tonumber(ARGV[5]), redis.call('HLEN', KEYS[2]) > 0
if ARGV[1] ~= '' then
  rank = rank_after(KEYS[1], ARGV[1], ARGV[2])
end
local out = {}
read_some(limit, max_bytes, function(i)
  local found = redis.call('ZRANGE', KEYS[1], rank + i, rank + i, 'WITHSCORES')
  local element = found[1]
  if element then
    local shown = string.sub(element, 1, cut)
    out[#out + 1] = found[2]
    out[#out + 1] = shown
    out[#out + 1] = known and own_id(KEYS[2], element) or ''
    out[#out + 1] = #element
    return shown
  end
end)
return out
