-- refund: takes failures back from payloads, one for each time a field is given,
-- never below none.
-- Needs: types clock attempts base hash.
-- KEYS: 1 attempts
-- ARGV: 1... fields (SHA-1 of whole payloads in hex)
-- Reply: number of payloads whose count went down
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local fields, times, updated, refunded, now = {}, {}, {}, 0, clock_now()
for i = 1, #ARGV do
  if not times[ARGV[i]] then
    fields[#fields + 1] = ARGV[i]
  end
  times[ARGV[i]] = (times[ARGV[i]] or 0) + 1
end
for i, value in ipairs(hmget(KEYS[1], fields)) do
  local d, f, x, history = attempts_parse(value, now)
  if f > 0 then
    updated[fields[i]] = attempts_text(d, math.max(f - times[fields[i]], 0), x, history, now)
    refunded = refunded + 1
  end
end
begin(KEYS[1])
put(KEYS[1], updated)
return refunded
