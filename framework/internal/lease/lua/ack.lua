-- ack: settles messages and closes finished fetches without taking any.
-- Needs: base settle.
-- KEYS: 1 fetches  2 attempts  3... lists of the acks
-- ARGV: 1... acks, see settle
-- Reply: number of acks without effect (their lease was lost, or a repetition)
redis.call('HLEN', KEYS[2]) -- fails on a wrong type before anything is written
redis.call('SREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
return settle(3, 1, KEYS[1], KEYS[2])
