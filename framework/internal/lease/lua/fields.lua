-- fields: what is known of messages that are done goes with them; needs hex, attempts.
-- The body of a function forget_fields(attempts, names, ids, fields), so that its helpers
-- are made only when it runs. fields, as of counters, are separated by one space.
fields = hex_bytes(fields)
for at = 1, #fields, 10 do
  record_drop(attempts, names, ids, string.sub(fields, at, at + 8))
end
