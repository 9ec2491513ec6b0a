-- attempts: counters per payload, field = sha1hex(payload),
-- value = "delivered,failed,died", and behind it ";" and the history of a message
-- that was redriven, see history.

-- attempts_parse(value) returns the three numbers and the history; zeros and '' for a
-- missing or unreadable value.
local function attempts_parse(value)
  if not value then
    return 0, 0, 0, ''
  end
  local counts, history = value, ''
  local at = string.find(value, ';', 1, true)
  if at then
    counts = string.sub(value, 1, at - 1)
    history = string.sub(value, at + 1)
  end
  local delivered, failed, died = string.match(counts, '^(%d+),(%d+),(%d+)$')
  return tonumber(delivered) or 0, tonumber(failed) or 0, tonumber(died) or 0, history
end

local function attempts_text(delivered, failed, died, history)
  local counts = string.format('%d,%d,%d', delivered, failed, died)
  if history and history ~= '' then
    return counts .. ';' .. history
  end
  return counts
end
