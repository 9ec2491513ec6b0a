-- dueat: the due record of a message that is taken from the middle.
-- Needs: layout duerecord due

-- due_at(key, body, place, ready, now) finds the record of the message at this place, from 0,
-- among the ready ones, as due_match does for the head: at its own place, or else once
-- within the window. It returns the records (of that one body) and the function that
-- removes the entry, which leaves those of all other messages.
local function due_at(key, body, place, ready, now)
  local name = due_name(body)
  local at = math.max(redis.call('LLEN', key) - ready, 0) + place
  local first = math.max(at - DUE_NEAR, 0)
  local entries, found, several = redis.call('LRANGE', key, first, at + DUE_NEAR), nil, false
  for i, entry in ipairs(entries) do
    if string.sub(entry, ENTRY_NAME) == name then
      if first + i - 1 == at then
        found, several = entry, false
        break
      end
      several = found ~= nil
      found = found or entry
    end
  end
  if not found or several then
    return {}, function() end
  end
  local record = string.sub(found, 1, DUE_BYTES)
  return {due_known(record) and record or nil}, function()
    redis.call('LREM', key, 1, found)
    due_bound(key, ready - 1, now)
  end
end
