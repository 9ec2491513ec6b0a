-- trim: finished elements leave the head of a pending list that is not kept exact.

-- trim(list, set, moved) takes finished elements, which set lacks, off the head of list.
-- When they are more than half, live ones at the head go to the end, so that the finished
-- ones behind them are reached: some steps for each message moved.
local function trim(list, set, moved)
  local length, live = redis.call('LLEN', list), redis.call('ZCARD', set)
  if length <= live then
    return
  end
  local head = redis.call('LRANGE', list, 0, math.min(2 * moved + 16, 256) - 1)
  local scores = redis.call('ZMSCORE', set, unpack(head))
  local gone, rest = 0, {}
  if length - live > math.max(live, 256) then
    gone = #head
    for i = 1, #head do
      if scores[i] then
        rest[#rest + 1] = head[i]
      end
    end
  else
    while gone < #head and not scores[gone + 1] do
      gone = gone + 1
    end
  end
  if gone > 0 then
    redis.call('LTRIM', list, gone, -1)
  end
  if #rest > 0 then
    redis.call('RPUSH', list, unpack(rest))
  end
end
