-- forgetrecords: removes records of messages that nobody has any more, by their key or by the ids
-- that their elements had. Those of messages that are pending, or known to be ready or in flight,
-- stay.
-- Needs: types attempts vanished keyholder
-- KEYS: 1 timeout set  2 ready list  3 due list  4 attempts  5 names  6 ids
-- ARGV: 1 cursor of HSCAN  2 how many records to look at, give or take some
--        3 '1' to change nothing  4 the key, '' where fields are given
--        5... fields: then it looks at these records alone
-- Reply: {next cursor, '0' at the end, field of each record that was removed, or would be}
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'hash', KEYS[5], 'hash', KEYS[6], 'zset')
if wrong then
  return wrong
end
local page = {'0', {}}
for i = 5, #ARGV do
  page[2][2 * i - 9] = ARGV[i]
  page[2][2 * i - 8] = redis.call('HGET', KEYS[4], ARGV[i])
end
if #ARGV < 5 then
  page = redis.call('HSCAN', KEYS[4], ARGV[1], 'COUNT', ARGV[2])
end
local out = {page[1]}
redis.call('HDEL', KEYS[4], '') -- a removing no-op, so that a full Redis accepts the rest
for i = 1, #page[2], 2 do
  local field, value = page[2][i], page[2][i + 1]
  local m = record_read(value, 0)
  if m and (ARGV[4] == '' or m.key == ARGV[4]) and not record_element(KEYS[1], field, m)
    and not record_out(KEYS[2], KEYS[3], KEYS[6], field, m) then
    out[#out + 1] = field
    if ARGV[3] ~= '1' then
      record_forget(KEYS[4], KEYS[5], KEYS[6], field, value)
    end
  end
end
-- A name that leads nowhere.
local name = 'k' .. ARGV[4]
local field = ARGV[4] ~= '' and ARGV[3] ~= '1' and redis.call('HGET', KEYS[5], name)
if field and not redis.call('HGET', KEYS[4], field) then
  redis.call('HDEL', KEYS[5], name)
end
return out
