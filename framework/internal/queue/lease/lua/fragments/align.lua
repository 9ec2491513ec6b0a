-- align: finds due records where entries and messages do not stand side by side.
-- Needs: due
-- Function: align(bodies, staged, ready, now, since)
-- It returns the slots of the header, none where no record is known, and the function that
-- forgets what was found.
local records, forget = due_match(KEYS[7], KEYS[1], bodies, staged, ready, now, since)
if next(records) == nil then
  return records, forget
end
for i = 1, #bodies do
  records[i] = records[i] or DUE_NONE
end
return records, forget
