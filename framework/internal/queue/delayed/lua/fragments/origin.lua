-- origin: the due time in the ID of a message that is pending.
-- Needs: layout

-- id_due(attempts, id, score) returns it for an element with an id of ours: its score,
-- unless it was retried, rescheduled or redriven since, which its record knows; see attempts.
local function id_due(attempts, id, score)
  local value = redis.pcall('HGET', attempts, 'u' .. id)
  local at = type(value) == 'string' and string.find(value, ';', 1, true)
  return at and tonumber(string.sub(value, at + RECORD_ORIGIN, at + RECORD_ORIGIN_END)) or score
end
