-- again: answers a take whose first reply was lost: the bodies and the parts of the reply,
-- from the list of the fetch.
-- Needs: attempts header base hash counters
-- Function: again(list, now)
local header = redis.call('LINDEX', list, 0)
local dues, traces = header_parts(header)
local bodies, seen, suspect = redis.call('LRANGE', list, 1, -1), {}, 0
if redis.call('HLEN', KEYS[6]) > 0 then
  local fields, nonce = {}, nonce_of(list)
  for i = 1, #bodies do
    local kind, _, id = slot_id(header_due(dues, i), nonce, i, 0)
    fields[i] = record_field(kind, id)
  end
  for i, v in ipairs(hmget(KEYS[6], fields)) do
    local m = record_read(v, now)
    if m then
      seen[#seen + 1] = counters(i, fields[i], m)
      if m.died >= 2 and #bodies == 1 then
        suspect = 1
      end
    end
  end
end
return bodies, dues, traces, table.concat(seen, ';'), suspect, header_taken(header)
