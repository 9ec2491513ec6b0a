-- moveall: transfers that do not look at Java's list.
-- Needs: transfer inspect

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
