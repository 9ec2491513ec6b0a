-- untried: which message a probe of the breaker takes.
-- Needs: index
-- Function: untried(queue, only)
-- Among the first 100 ready ones, and the first batch by bytes, it is the first that was
-- never handed out, for one that has failed before tells less; else the head, where only is
-- false. It writes nothing, and returns the body, nil where there is none, and its place
-- from 0.
local ready, bytes = redis.call('LLEN', queue), 0
if ready > 0 and (only or ready > 1) and redis.call('HLEN', KEYS[6]) > 0 then
  for i = 0, 99 do
    local b = redis.call('LINDEX', queue, i)
    if not b or bytes >= tonumber(ARGV[9]) then
      break
    end
    bytes = bytes + #b
    local known = index_find(KEYS[12], redis.sha1hex(b), 1)[1]
    local value = known and redis.call('HGET', KEYS[6], known[2])
    if not value or string.sub(value, 1, 4) == '0,0,' then
      return b, i
    end
  end
  if only then
    return nil, 0
  end
end
return redis.call('LINDEX', queue, 0) or nil, 0
