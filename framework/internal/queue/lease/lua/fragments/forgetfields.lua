-- forgetfields: what is known of messages that were handled goes with them, but that their key
-- stays taken.
-- Needs: clock attempts hex
-- Function: forget_fields(attempts, names, ids, fields)
-- fields are those of counters, separated by one space.
fields = hex_bytes(fields)
local now = clock_now()
for at = 1, #fields, 10 do
  local field = string.sub(fields, at, at + 8)
  local value = redis.call('HGET', attempts, field)
  if value then
    record_handled(attempts, names, ids, field, value, now)
  end
end
