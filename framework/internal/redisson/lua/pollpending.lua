-- pollpending: take the messages that fall due first out of the delayed structures,
-- before they are due.
--
-- keys   1 timeout set, 2 pending list, 3 trace hash
-- args   1 most elements, at most 100, 2 '1' where the pending list is kept exact
--        3 most bytes, give or take one element
-- reply  {score, element ...}; the caller holds the only copy
--
-- The first write is ZREM, a removing one. What fits no layout is no message, and
-- stays for the transfer, which puts it into the dead store.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
local limit, max_bytes = 2 * tonumber(ARGV[1]), tonumber(ARGV[3])
local out, bytes, rank = {}, 0, 0
local traced = redis.call('EXISTS', KEYS[3]) == 1
-- Another 100 that fit no layout are as far as it looks.
while #out < limit and bytes < max_bytes and rank < 100 do
  local found = redis.call('ZRANGE', KEYS[1], rank, rank, 'WITHSCORES')
  local element = found[1]
  if not element then
    break
  end
  local payload, kind, id = element_parse(element, true)
  if not payload then
    rank = rank + 1
  else
    redis.call('ZREM', KEYS[1], element)
    if ARGV[2] == '1' then
      redis.pcall('LREM', KEYS[2], 1, element)
    end
    out[#out + 1] = found[2]
    out[#out + 1] = element
    bytes = bytes + #element
    if traced then
      pcall(trace_pop, KEYS[3], {payload}, {kind .. id}, now)
    end
  end
end
return out
