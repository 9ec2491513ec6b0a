-- pollpending: take the messages that fall due first out of the delayed structures,
-- before they are due.
--
-- keys   1 timeout set, 2 pending list, 3 trace hash
-- args   1 most elements, at most 100, 2 '1' where the pending list is kept exact
-- reply  {score, element ...}; the caller holds the only copy
--
-- The first write is ZREM, a removing one.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
local found = redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1, 'WITHSCORES')
local out = {}
for i = 1, #found, 2 do
  local element = found[i]
  redis.call('ZREM', KEYS[1], element)
  if ARGV[2] == '1' then
    redis.pcall('LREM', KEYS[2], 1, element)
  end
  out[#out + 1] = found[i + 1]
  out[#out + 1] = element
  pcall(function()
    local payload, kind, id = element_parse(element, true)
    if payload and redis.call('EXISTS', KEYS[3]) == 1 then
      trace_pop(KEYS[3], {payload}, {kind .. id}, now)
    end
  end)
end
return out
