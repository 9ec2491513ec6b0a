-- clear: forget all pending messages.
-- Needs: types
-- KEYS: 1 timeout set  2 pending list  3 traces  4 attempts  5 what was cleared
-- ARGV: 1 ms that what was cleared is kept for clearrecords
-- Reply: {how many messages were pending, 1 where records are to be dropped, else 0}
--
-- All are unlinked: Redis frees the memory beside its work. But where records of messages
-- are kept the timeout set gets another name first, since it tells which of them belong to
-- what was pending. The traces go, too; what they hold of ready messages is lost, which
-- costs a link between two spans.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'zset', KEYS[4], 'hash', KEYS[5], 'zset')
if wrong then
  return wrong
end
local n = redis.call('ZCARD', KEYS[1])
local left = redis.call('EXISTS', KEYS[5])
if n > 0 and redis.call('HLEN', KEYS[4]) > 0 then
  redis.call('UNLINK', KEYS[5]) -- of a clear that was cut off
  redis.call('RENAME', KEYS[1], KEYS[5])
  redis.pcall('PEXPIRE', KEYS[5], ARGV[1])
  left = 1
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {n, left}
