-- name: names fetches in the session's set again, which was deleted: by it a reaper finds
-- their lists.
-- Needs: base
-- KEYS: 1 fetches  2... lists
-- ARGV: none
-- Reply: how many were named
redis.call('SREM', KEYS[1], '') -- a removing no-op, so that a full Redis accepts the rest
local named = 0
for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    named = named + redis.call('SADD', KEYS[1], nonce_of(KEYS[i]))
  end
end
return named
