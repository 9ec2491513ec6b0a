-- write: adds pages to the journal of a queue, or deletes what it need not keep.
-- Needs: types clock journal journaladd
-- KEYS: 1 journal
-- ARGV: 1 how long records are kept in ms, '' to write only where there is a journal
--   2 most records  3... of each page: time of its last record in ms, number of records, text;
--   with the first some of those that are too old or too many go, and the journal begins
--   where there is none
-- Reply: {number of records, '-1' where there is no journal}
local wrong = wrong_type(KEYS[1], 'zset')
if wrong then
  return wrong
end
local keep, most = tonumber(ARGV[1]), tonumber(ARGV[2])
if not keep and redis.call('EXISTS', KEYS[1]) == 0 then
  return {'-1'}
end
if #ARGV > 2 then
  journal_add(KEYS[1], keep, most, 3)
end
local total = journal_total(KEYS[1])
if keep then
  local aged = redis.call('ZCOUNT', KEYS[1], 0, string.format('(%.0f', clock_now() - keep))
  total = journal_trim(KEYS[1], total, function(left, i)
    return (i <= aged or left > most) and i <= 32
  end)
  journal_note(KEYS[1], total)
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
end
return {string.format('%.0f', total)}
