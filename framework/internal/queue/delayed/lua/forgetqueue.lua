-- forgetqueue: deletes keys of ours that hold no messages, as long as nobody serves the queue and no
-- dead letter lies there.
-- KEYS: 1 sessions  2 dead  3... what is deleted
-- ARGV: none
-- Reply: {how many were deleted}, or {-1} where it is served, or {-2} where letters lie there
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {-1}
end
if redis.call('EXISTS', KEYS[2]) == 1 and redis.call('XLEN', KEYS[2]) > 0 then
  return {-2}
end
local gone = 0
for i = 3, #KEYS do
  gone = gone + redis.call('UNLINK', KEYS[i])
end
return {gone}
