-- strike: removes records from a page of the journal.
-- Needs: types journal
-- KEYS: 1 journal
-- ARGV: 1 the page as it was  2 the page without them, '' where nothing is left of it
--   3 how many records these are
-- Reply: 1, or 0 where the page was not there any more
local wrong = wrong_type(KEYS[1], 'zset')
if wrong then
  return wrong
end
local at, total = redis.call('ZSCORE', KEYS[1], ARGV[1]), journal_total(KEYS[1])
if not at then
  return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1], at, ARGV[2])
end
journal_note(KEYS[1], total - tonumber(ARGV[3]))
return 1
