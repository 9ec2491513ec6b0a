-- letters: some dead letters, the oldest first, with the beginnings of their payloads.
-- Needs: types
-- KEYS: 1 dead store
-- ARGV: 1 first and 2 last id, as of XRANGE  3 most letters  4 most bytes, give or take one letter
--        5 most bytes of a payload: of a larger one comes the beginning
-- Reply: {id, bytes of the payload, {field, value ...} ...}. It changes nothing.
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
local from, most, max_bytes, cut = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local out, bytes = {}, 0
while #out < 3 * most and bytes < max_bytes do
  local found = redis.call('XRANGE', KEYS[1], from, ARGV[2], 'COUNT', 1)[1]
  if not found then
    break
  end
  local fields, whole = found[2], 0
  for i = 2, #fields, 2 do
    if fields[i - 1] == 'body' then
      whole = #fields[i]
      fields[i] = string.sub(fields[i], 1, cut)
      bytes = bytes + (whole - #fields[i]) / 8 -- reading without sending costs, too
    end
    bytes = bytes + #fields[i]
  end
  out[#out + 1], out[#out + 2], out[#out + 3] = found[1], whole, fields
  from = '(' .. found[1]
end
return out
