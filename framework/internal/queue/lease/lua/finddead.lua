-- finddead: looks for a message among the newest entries of the dead store. Writes nothing.
-- Needs: types clock stopwatch
-- KEYS: 1 dead store
-- ARGV: 1 its ID as text, '' where unknown  2 its key, '' for none
--       3 the entry looked at last, '' to begin at the newest
--       4 most entries and 5 most bytes to look at, give or take one entry
--       6 µs after which no further entry is looked at
-- Reply: {entry or '', entry looked at last, '' at the oldest, its ID, ms of its death, µs}
-- One entry at a time: how large the next one is shows when it has been read.
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
local _, seconds, micros = clock_now()
local spent = stopwatch(seconds, micros)
local last, left, bytes, budget = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local looked = 0
while looked < left and bytes > 0 do
  if looked > 0 and looked % 64 == 0 and (spent() or 0) >= budget then
    break
  end
  local found = redis.call('XREVRANGE', KEYS[1], last == '' and '+' or '(' .. last, '-', 'COUNT', 1)
  for _, e in ipairs(found) do
    local m = {}
    for j = 1, #e[2], 2 do
      m[e[2][j]] = e[2][j + 1]
      bytes = bytes - #e[2][j + 1]
    end
    last = e[1]
    if ARGV[1] ~= '' and m.id == ARGV[1] or ARGV[2] ~= '' and m.key == ARGV[2] then
      return {last, last, m.id or '', m.at or '', spent() or 0}
    end
  end
  if #found == 0 then
    return {'', '', '', '', spent() or 0}
  end
  looked = looked + 1
end
return {'', last, '', '', spent() or 0}
