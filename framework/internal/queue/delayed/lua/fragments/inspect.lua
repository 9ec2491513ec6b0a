-- inspect: a transfer that moves nothing, since the ready list is full.
-- Needs: transfer element

-- inspect() looks at as many elements as a transfer of Redisson does, and puts what is
-- malformed into the dead store: Redisson would stop at it and push what comes before it
-- again and again.
local function inspect()
  local at, n, size = 0, 8, 0
  while at < 100 and size < max_bytes and walked < walks and spent + longest < budget do
    local found = redis.call('ZRANGEBYSCORE', KEYS[1], 0, now_text, 'WITHSCORES', 'LIMIT', at, n)
    for i = 1, #found, 2 do
      local payload, reason = element_parse(found[i], empty_ok)
      size = size + #found[i]
      local before_it = malformed
      if not payload and walked < walks and spent + longest < budget then
        redis.call('ZREM', KEYS[1], 'duequeue:nothing')
        shelve(found[i], found[i + 1], found[i], reason)
        late()
      end
      at = at + 1 - (malformed - before_it)
    end
    if #found < 2 * n then
      break
    end
    n = math.max(1, math.min(2 * n, 64, math.floor((max_bytes - size) * #found / 2 / math.max(size, 1))))
  end
end
