-- read: pages of the journal of a queue, the newest first.
-- Needs: types journal
-- KEYS: 1 journal
-- ARGV: 1 from which time on back, in ms, or '+inf'  2 how many pages of that time to pass over
--   3 most pages
-- Reply: {number of all records, then of each page: its time, its text}
local wrong = wrong_type(KEYS[1], 'zset')
if wrong then
  return wrong
end
local out = {string.format('%.0f', journal_total(KEYS[1]))}
local most = tonumber(ARGV[3])
if most > 0 then
  local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], 0, 'WITHSCORES', 'LIMIT', ARGV[2], most)
  for i = 1, #found, 2 do
    out[#out + 1] = found[i + 1]
    out[#out + 1] = found[i]
  end
end
return out
