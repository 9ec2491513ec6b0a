-- journaladd: adds pages to the journal of a queue.
-- Needs: journal
-- Function: journal_add(key, keep, most, pages)
--
-- Time, number of records and text of each page stand in ARGV from pages on. A page that is there
-- already was sent again. Records are kept for keep ms, most of them; where keep is nil nothing is
-- deleted. Nothing here may fail a take: it calls this by pcall.
local total, now = journal_total(key), 0
for i = pages, #ARGV, 3 do
  if redis.call('ZADD', key, ARGV[i], ARGV[i + 2]) == 1 then
    total = total + tonumber(ARGV[i + 1])
  end
  now = math.max(now, tonumber(ARGV[i]))
end
if keep then
  total = journal_trim(key, keep, most, now, total)
end
journal_note(key, total)
if keep then
  redis.call('PEXPIRE', key, string.format('%.0f', keep))
end
