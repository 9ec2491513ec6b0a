-- held: how many messages of one fetch are not settled. Writes nothing. What is settled
-- is told from a body only by looking, so the bodies are read, one at a time.
-- Needs: types base
-- KEYS: 1 list of the fetch
-- ARGV: none
-- Reply: messages
local wrong = wrong_type(KEYS[1], 'list')
if wrong then
  return wrong
end
local list, nonce, held = KEYS[1], nonce_of(KEYS[1]), 0
local last = redis.call('LLEN', list) - 1
for index = 1, last do
  if not settled(nonce, redis.call('LINDEX', list, index)) then
    held = held + 1
  end
end
return held
