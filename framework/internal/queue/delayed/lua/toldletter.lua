-- toldletter: a dead letter was told of; it may be trimmed.
-- Needs: types deadgroup
-- KEYS: 1 dead store
-- ARGV: 1 entry
-- Reply: 1, or 0 where another process was faster or the store is gone
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
return redis.call('XACK', KEYS[1], GROUP, ARGV[1])
