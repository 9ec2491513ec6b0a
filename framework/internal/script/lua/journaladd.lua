-- journaladd: adds pages to the journal of a queue.
-- Needs: journal
-- Function: journal_add(key, keep, most, pages)
--
-- Time, number of records and text of each page stand in ARGV from pages on. A page that is there
-- already was sent again. Some of the oldest records beyond most go; those that are too old go
-- by write, which engines call each minute, and which lets the key live on. Where keep is nil
-- nothing is deleted. Nothing here may fail a take: it calls this by pcall.
local before = journal_total(key)
local total = before
for i = pages, #ARGV, 3 do
  if redis.call('ZADD', key, ARGV[i], ARGV[i + 2]) == 1 then
    total = total + tonumber(ARGV[i + 1])
  end
end
if keep and total > most then
  total = journal_trim(key, total, function(left, i)
    return left > most and i <= 8
  end)
end
journal_note(key, total)
if keep and before == 0 then
  redis.call('PEXPIRE', key, string.format('%.0f', keep))
end
