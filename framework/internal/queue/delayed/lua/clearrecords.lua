-- clearrecords: drops some of the records of messages that were cleared.
-- Needs: types clock attempts locate
-- KEYS: 1 what was cleared  2 attempts  3 names  4 ids
-- ARGV: 1 cursor of HSCAN  2 how many records to look at, give or take some
-- Reply: the next cursor, '0' at the end: then what was cleared is gone, too
--
-- What was pending when it was cleared is over: nobody has it, and nobody brings it back.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'hash', KEYS[3], 'hash', KEYS[4], 'zset')
if wrong then
  return wrong
end
local page = redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ARGV[2])
for i = 1, #page[2], 2 do
  local field, value = page[2][i], page[2][i + 1]
  local m = record_read(value, 0)
  if m and m.due > 0 then
    local prefix = string.sub(field, 2)
    if string.byte(field, 1) == 110 then
      prefix = '\8' .. prefix
    end
    local element, trouble = locate(KEYS[1], ms_text(m.due), prefix)
    if element or trouble then
      record_forget(KEYS[2], KEYS[3], KEYS[4], field, value)
    end
  end
end
if page[1] == '0' then
  redis.call('UNLINK', KEYS[1])
end
return page[1]
