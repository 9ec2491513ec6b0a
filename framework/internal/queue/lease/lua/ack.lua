-- ack: settles messages and closes finished fetches without taking any.
-- Needs: settle
-- KEYS: 1 fetches  2 attempts  3 names  4 ids  5... lists of the acks, the journal, see settle
-- ARGV: 1... acks and pages of the journal, see settle
-- Reply: {acks without effect (their lease was lost, or a repetition), fetches that stay
--   open though the process believes all their messages settled}
redis.call('HLEN', KEYS[2]) -- fails on a wrong type before anything is written
redis.call('SREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
local stale, _, left = settle(5, 1, KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return {stale, left}
