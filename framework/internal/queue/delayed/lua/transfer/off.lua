-- transfer/off: moves what is due; Java's list is left alone.
-- Needs: transfer inspect
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer

-- move(found) moves elements, and returns their due entries.
local function move(found)
  local good, payloads, entries, bad = sort_chunk(found)
  if #good > 0 then
    push(good, payloads)
  end
  for i = 1, #bad do
    bury(unpack(bad[i]))
  end
  return entries
end

-- move_all() moves what is due, in growing chunks.
local function move_all()
  if limit <= 0 then
    inspect()
  end
  local chunk = 8
  while may_go_on() do
    local want = fitting(chunk)
    local found = due_elements(want)
    if #found == 0 then
      break
    end
    redis.call('ZREM', KEYS[1], 'duequeue:nothing')
    due_entries(move(found))
    look()
    if #found < 2 * want then
      break
    end
    chunk = math.min(chunk * 2, 128)
    if spent > 0 then -- as many as fit into the rest of the time
      local fit = math.floor((budget - spent) * (moved + malformed + stuck) / spent)
      chunk = math.min(chunk, math.max(fit, 1))
    end
  end
end

move_all()
return told()
