-- again: answers a take whose first reply was lost, as the body of a function
-- again(list, now): the bodies and the parts of the reply, from the list of the fetch.
local dues, traces = header_parts(redis.call('LINDEX', list, 0))
local bodies, seen, suspect = redis.call('LRANGE', list, 1, -1), {}, 0
if redis.call('HLEN', KEYS[6]) > 0 then
  local fields = {}
  for i, b in ipairs(bodies) do
    fields[i] = redis.sha1hex(b)
  end
  for i, v in ipairs(hmget(KEYS[6], fields)) do
    if v then
      local _, _, x = attempts_parse(v, now)
      seen[#seen + 1] = counters(i, fields[i], v, now)
      if x >= 2 and #bodies == 1 then
        suspect = 1
      end
    end
  end
end
return bodies, dues, traces, table.concat(seen, ';'), suspect
