-- clear: forget all pending messages.
--
-- keys   1 timeout set, 2 pending list, 3 trace hash
-- reply  how many messages were pending
--
-- Both are unlinked: Redis frees the memory beside its work. The trace hash goes, too;
-- what it holds of ready messages is lost, which costs a link between two spans.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash')
if wrong then
  return wrong
end
local n = redis.call('ZCARD', KEYS[1])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return n
