-- findready: looks for a message among those on the ready list, by its due record. Writes
-- nothing. Needs: types clock stopwatch expire index attempts.
-- Needs: types clock stopwatch layout duerecord attempts
-- KEYS: 1 queue  2 due list
-- ARGV: 1 kind u or n and 8 bytes of the id that its element had
--       2 how many of the records, from the newest one on, were looked at  3 most to look at
--       4 µs after which no more are looked at
-- Reply: {'1' found, '0' not among these, 'end' nor among any, looked at, µs}
-- Only the last records, as many as messages are ready, are those of ready messages.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list')
if wrong then
  return wrong
end
local _, seconds, micros = clock_now()
local spent = stopwatch(seconds, micros)
local seen, most, budget = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local left = math.min(redis.call('LLEN', KEYS[1]), redis.call('LLEN', KEYS[2])) - seen
local id, found, looked = string.sub(ARGV[1], 2), 'end', 0
while found == 'end' and left > 0 do
  if looked >= most or looked > 0 and (spent() or 0) >= budget then
    found = '0'
    break
  end
  local n = math.min(left, 100)
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], -(seen + n), -(seen + 1))) do
    if string.find(entry, id, DUE_ID, true) == DUE_ID then
      local kind = due_kind(entry)
      if kind ~= '-' and kind ~= 'x' and record_field(kind, id) == ARGV[1] then
        found = '1'
      end
    end
  end
  seen, left, looked = seen + n, left - n, looked + n
end
return {found, looked, spent() or 0}
