-- probepublish: may the user publish on the queue's channel?
-- Needs: clock refusal
-- KEYS: 1 channel
-- ARGV: none
-- Reply: 'ok', or the error
--
-- The message is the present time: every watcher, Java's too, then transfers what
-- is due, once.

local now = clock_now()
local reply = redis.pcall('PUBLISH', KEYS[1], ms_text(now))
if failed(reply) then
  return refusal('PUBLISH', reply)
end
return 'ok'
