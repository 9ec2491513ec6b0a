-- clearready: forget all ready messages.
-- Needs: types
-- KEYS: 1 ready list
-- ARGV: none
-- Reply: how many there were
--
-- Redis frees the memory beside its work. What is known of their due times stays: entries of
-- messages that are not ready are told apart by the next transfer.
local wrong = wrong_type(KEYS[1], 'list')
if wrong then
  return wrong
end
local n = redis.call('LLEN', KEYS[1])
redis.call('UNLINK', KEYS[1])
return n
