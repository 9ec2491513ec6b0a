-- ack: settles messages and closes finished fetches without taking any.
-- Needs: base settle.
-- KEYS: 1 fetches  2 attempts  3... lists of the acks
-- ARGV: 1... acks, see settle
-- Reply: number of acks without effect (their lease was lost, or a repetition)
redis.call('SCARD', KEYS[1])
redis.call('HLEN', KEYS[2])
local acks = acks_read(3, 1)
acks_apply(acks, KEYS[1], KEYS[2])
return acks.stale
