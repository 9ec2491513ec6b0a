-- nextletter: hand out a dead letter that nobody was told of, or whose telling failed.
-- Needs: types deadgroup makegroup
-- KEYS: 1 dead store
-- ARGV: 1 ms after which a letter that was handed out, and not told, is handed out again
-- Reply: {} where there is none, else {entry, its fields and values}
--
-- The first call makes the group, so that what lies there already is told of as well. A letter
-- that was redriven or dropped meanwhile leaves the group.
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {}
end
local refused = make_group()
if refused then
  return refused
end
for _, waiting in ipairs(redis.call('XPENDING', KEYS[1], GROUP, 'IDLE', ARGV[1], '-', '+', 16)) do
  local found = redis.call('XRANGE', KEYS[1], waiting[1], waiting[1])[1]
  if found then
    redis.call('XCLAIM', KEYS[1], GROUP, GROUP, 0, waiting[1], 'JUSTID')
    return found
  end
  redis.call('XACK', KEYS[1], GROUP, waiting[1])
end
local new = redis.call('XREADGROUP', 'GROUP', GROUP, GROUP, 'COUNT', 1, 'STREAMS', KEYS[1], '>')
if not new or not new[1] then
  return {}
end
return new[1][2][1]
