-- auditwrite: adds an entry to the audit.
-- Needs: types
-- KEYS: 1 audit
-- ARGV: 1 how many entries are kept where no process trims (see trim.go), give or take a hundred
--       2... fields and values in turn
-- Reply: {id of the entry, how many there are}
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[1]) -- removes, so that a full Redis accepts the rest
local id = redis.call('XADD', KEYS[1], '*', unpack(ARGV, 2))
return {id, redis.call('XLEN', KEYS[1])}
