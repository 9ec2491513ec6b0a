-- probepublish: may the user publish on the queue's channel?
-- Needs: clock refusal
-- KEYS: 1 channel
-- ARGV: none
-- Reply: 'allowed' where Redis says so of PUBLISH and SUBSCRIBE, 'ok' of PUBLISH alone, or
--         the error
--
-- Since Redis 7 it can be asked without publishing. Before that the message is the present
-- time: every watcher, Java's too, then transfers what is due, once.

if redis.acl_check_cmd and redis.acl_check_cmd('PUBLISH', KEYS[1], '') and redis.acl_check_cmd('SUBSCRIBE', KEYS[1]) then
  return 'allowed'
end
local now = clock_now()
local reply = redis.pcall('PUBLISH', KEYS[1], ms_text(now))
if failed(reply) then
  return refusal('PUBLISH', reply)
end
return 'ok'
