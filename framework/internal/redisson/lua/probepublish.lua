-- probepublish: may the user publish on the queue's channel?
--
-- keys   1 channel
-- reply  'ok', or the error
--
-- The message is the present time: every watcher, Java's too, then transfers what
-- is due, once.

local now = clock_now()
local reply = redis.pcall('PUBLISH', KEYS[1], ms_text(now))
if failed(reply) then
  return refusal('PUBLISH', reply)
end
return 'ok'
