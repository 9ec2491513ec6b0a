-- attempts: counters per payload, field = sha1hex(payload),
-- value = "delivered,failed,died".

-- attempts_parse(value) returns the three numbers; zeros for a missing or
-- unreadable value.
local function attempts_parse(value)
  if not value then
    return 0, 0, 0
  end
  local delivered, failed, died = string.match(value, '^(%d+),(%d+),(%d+)$')
  return tonumber(delivered) or 0, tonumber(failed) or 0, tonumber(died) or 0
end

local function attempts_text(delivered, failed, died)
  return string.format('%d,%d,%d', delivered, failed, died)
end
