-- pollpending: take the messages that fall due first out of the delayed structures,
-- before they are due.
-- Needs: types element attempts ownid tracechange
-- KEYS: 1 timeout set  2 pending list  3 traces  4 attempts  5 names  6 ids
-- ARGV: 1 most elements, at most 100  2 '1' where the pending list is kept
--        3 most bytes, give or take one element
-- Reply: {score, element, own ID or '' ...}, see ownid; the caller holds the only copy
--
-- The first write is ZREM, a removing one. What fits no layout is no message, and
-- stays for the transfer, which puts it into the dead store.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'zset', KEYS[4], 'hash', KEYS[5], 'hash',
  KEYS[6], 'zset')
if wrong then
  return wrong
end
local limit, max_bytes = 3 * tonumber(ARGV[1]), tonumber(ARGV[3])
local out, bytes, rank = {}, 0, 0
local known = redis.pcall('EXISTS', KEYS[4]) == 1
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
    local read, own = pcall(own_id, KEYS[4], element)
    out[#out + 1] = read and own or ''
    if known then
      pcall(record_drop, KEYS[4], KEYS[5], KEYS[6], record_field(kind, id))
    end
    trace_gone(KEYS[3], element)
  end
end
return out
