-- forgetfields: what is known of messages that are done goes with them.
-- Needs: attempts hex
-- Function: forget_fields(attempts, names, ids, fields)
-- fields are those of counters, separated by one space.
fields = hex_bytes(fields)
for at = 1, #fields, 10 do
  record_drop(attempts, names, ids, string.sub(fields, at, at + 8))
end
