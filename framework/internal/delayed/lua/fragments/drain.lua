-- drain: moves a chunk of the head of Java's list.
-- Needs: transfer

-- How many must be due for a look at the head of the list.
local least_drain = 32
local drains = false -- the last one did

-- drain(found, any) moves what is due among the first elements of the list, where that
-- promises more than one LREM for each of found: only what is due at the same ms as the
-- first, unless any order will do. It returns due entries, or nil when nothing was done.
-- RPUSH and ZREM come before the list is touched.
local function drain(found, any)
  local first, want = found[2], #found / 2
  if not any then
    want = 1
    while found[2 * want + 2] == first do
      want = want + 1
    end
  end
  drains = false
  if want < least_drain then
    return nil
  end
  local head = redis.call('LRANGE', KEYS[2], 0, want - 1)
  if #head == 0 then
    return nil
  end
  local scores = redis.call('ZMSCORE', KEYS[1], unpack(head))
  local picked, rest, seen = {}, {}, {}
  for i = 1, #head do
    local score = scores[i]
    -- An element may stand there twice: old Redissons sent offers again. Once it is
    -- moved the other one is a ghost.
    if score and not seen[head[i]] and (score == first or any and tonumber(score) <= now) then
      picked[#picked + 1] = head[i]
      picked[#picked + 1] = score
      seen[head[i]] = true
    else
      rest[#rest + 1] = head[i]
    end
  end
  if #picked * 2 < #head then
    return nil -- fewer than a quarter
  end
  local counted = bytes
  local good, payloads, entries, bad = sort_chunk(picked)
  if #bad > 0 then
    bytes = counted
    return nil
  end
  drains = true
  push(good, payloads)
  redis.call('LTRIM', KEYS[2], #head, -1)
  if #rest > 0 then
    local back = {}
    for i = #rest, 1, -1 do
      back[#back + 1] = rest[i]
    end
    redis.call('LPUSH', KEYS[2], unpack(back))
  end
  return entries
end
