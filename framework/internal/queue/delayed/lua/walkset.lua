-- walkset: walks the timeout set in the order of due times.
-- Needs: migrate rank
-- KEYS: see migrate
-- ARGV: see migrate
-- Reply: see migrate

local list_length
local moved = {} -- score and element of what was rewritten in this chunk of the set

-- note(sort, element, score, detail) counts an element of the set.
local function note(sort, element, score, detail)
  n[sort] = n[sort] + 1
  if sort == 'malformed' and #examples < 32 then
    for _, v in ipairs({score, #element, string.sub(element, 1, 32), detail}) do
      examples[#examples + 1] = v
    end
  end
end

-- on_set(element, score) deals with a member of the set.
local function on_set(element, score)
  local sort, payload, id = sort_of(element)
  note(sort, element, score, payload)
  if not write or not foreign(sort) then
    return
  end
  local index
  list_length = list_length or redis.call('LLEN', KEYS[2])
  if list_length > 0 then
    -- From the end: what was offered lately is found soon.
    index = redis.pcall('LPOS', KEYS[2], element, 'RANK', -1)
    if refused('LPOS', index) then
      return
    end
    scanned = scanned + list_length
  end
  local fresh = replace(element, payload, score, index)
  if fresh then
    moved[#moved + 1] = {score, fresh}
    pcall(keep_id, sort, id, score, fresh)
  end
end

-- count_moved(score, element) counts what was rewritten to a place up to there; what
-- came to stand behind it is met again, and counted then.
local function count_moved(score, element)
  local again = false
  for _, m in ipairs(moved) do
    if m[1] == score and compare(m[2], element) > 0 then
      again = true
    else
      n.universal = n.universal + 1
    end
  end
  moved = {}
  return again
end

local function walk_set()
  local rank = 0
  if next_at ~= '' then
    rank = rank_after(KEYS[1], next_at, next_element)
  end
  while done == 0 do
    local want = wanted()
    if want == 0 then
      break
    end
    local found = redis.call('ZRANGE', KEYS[1], rank, rank + want - 1, 'WITHSCORES')
    for i = 1, #found, 2 do
      n.looked = n.looked + 1
      bytes = bytes + #found[i]
      on_set(found[i], found[i + 1])
      if problem then
        return
      end
      next_element, next_at = found[i], found[i + 1]
      tick = tick + 1
      if scanned >= max_scan then
        count_moved(next_at, next_element)
        return
      end
    end
    local again = count_moved(next_at, next_element)
    if #found < 2 * want and not again then
      done = 1
    else
      -- Rewriting may have moved members of the last score to other ranks.
      rank = rank_after(KEYS[1], next_at, next_element)
    end
  end
end

walk_set()
return told()
