-- keytaken: whether an offer with a key would meet a message that holds it. Writes nothing.
-- Needs: types clock keyholder
-- KEYS: 1 timeout set  2 ready list  3 due list  4 attempts  5 names  6 ids
-- ARGV: 1 the key
-- Reply: {1 where it would, else 0}
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'hash', KEYS[5], 'hash', KEYS[6], 'zset')
if wrong then
  return wrong
end
local field = redis.call('HGET', KEYS[5], 'k' .. ARGV[1])
local value = field and redis.call('HGET', KEYS[4], field)
local h = key_holder(field, value, clock_now(), KEYS[1], KEYS[2], KEYS[3], KEYS[6])
return {h and h.holds and 1 or 0}
