-- head: the first elements of Java's list, read together and taken out together.

-- read_head(n, wanted, most) reads the first n elements. It returns how many of them it has
-- looked at, those whose score is wanted, each with its score, and the rest. After so many
-- wanted ones as most says it looks at no more. Last comes how many bytes it has looked at.
local function read_head(n, wanted, most)
  local head = redis.call('LRANGE', KEYS[2], 0, n - 1)
  local picked, rest, seen, size = {}, {}, {}, 0
  if #head == 0 then
    return 0, picked, rest, size
  end
  local scores = redis.call('ZMSCORE', KEYS[1], unpack(head))
  for i = 1, #head do
    local score = scores[i]
    -- An element may stand there twice: old Redissons sent offers again. Once it is
    -- moved the other one is a ghost.
    if score and not seen[head[i]] and wanted(score) then
      if #picked == 2 * most then
        return i - 1, picked, rest, size
      end
      picked[#picked + 1] = head[i]
      picked[#picked + 1] = score
      seen[head[i]] = true
    else
      rest[#rest + 1] = head[i]
    end
    size = size + #head[i]
  end
  return #head, picked, rest, size
end

-- cut_head(n, rest) takes the first n elements out of the list, and puts the rest of them
-- back before the others.
local function cut_head(n, rest)
  redis.call('LTRIM', KEYS[2], n, -1)
  if #rest > 0 then
    local back = {}
    for i = #rest, 1, -1 do
      back[#back + 1] = rest[i]
    end
    redis.call('LPUSH', KEYS[2], unpack(back))
  end
end
