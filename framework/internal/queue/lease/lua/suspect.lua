-- suspect: the handler of a suspect begins: from now on the death of its process is
-- held against it. One that was only in a process's hand when that died is not
-- charged, since it cannot have been the cause. The mark is the first character of
-- the list's header.
-- Needs: base hash
-- KEYS: 1 list in flight  2 attempts
-- ARGV: 1 index
-- Reply: 1 marked, also when it was before; 0 the message is not ours any more
local list, nonce = KEYS[1], nonce_of(KEYS[1])
local body = redis.call('LINDEX', list, tonumber(ARGV[1]))
if not body or tonumber(ARGV[1]) < 1 or settled(nonce, body) then
  return 0
end
local header = redis.call('LINDEX', list, 0)
begin(KEYS[2])
redis.call('LSET', list, 0, '2' .. string.sub(header, 2))
return 1
