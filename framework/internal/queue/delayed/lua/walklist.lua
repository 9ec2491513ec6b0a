-- walklist: walks the pending list from an index towards its head.
-- Needs: migrate
-- KEYS: see migrate
-- ARGV: see migrate
-- Reply: see migrate

-- on_list(element, index) deals with an entry of the list.
local function on_list(element, index)
  local sort, payload, id = sort_of(element)
  if not foreign(sort) then
    return
  end
  local score = redis.pcall('ZSCORE', KEYS[1], element)
  if refused('ZSCORE', score) then
    return
  end
  if score then
    n[sort] = n[sort] + 1
  else
    n.ghosts = n.ghosts + 1
  end
  if write then
    local fresh = replace(element, payload, score, index)
    if fresh and score then
      pcall(keep_id, sort, id, score, fresh)
    end
  end
end

-- walk_list goes from an index to the head. Others remove entries and add behind the end:
-- seen from here, entries come nearer to the head, so none is passed over, but for what
-- transfers put from the head to the end. The walk of the set finds those.
local function walk_list()
  local stops = {}
  for i = 11, #ARGV do
    stops[ARGV[i]] = true
  end
  local last = redis.call('LLEN', KEYS[2]) - 1
  local index = last
  if next_at ~= '' then
    index = math.min(tonumber(next_at), last)
  end
  while done == 0 do
    local want = wanted()
    if want == 0 then
      break
    end
    local first = math.max(index - want + 1, 0)
    local found = {}
    if index >= 0 then
      found = redis.call('LRANGE', KEYS[2], first, index)
    end
    for i = #found, 1, -1 do
      if stops[string.sub(found[i], 1, 16)] then
        done = 1
        break
      end
      n.looked = n.looked + 1
      bytes = bytes + #found[i]
      on_list(found[i], first + i - 1)
      if problem then
        return
      end
      index = index - 1
      tick = tick - 1
    end
    if index < 0 then
      done = 1
    end
  end
  if next_at == '' then
    -- Heads at growing distances from the end: some will still be there next time.
    local back = 1
    while back <= last + 1 and back <= 32768 and (done == 1 or back <= n.looked) do
      local entry = redis.call('LINDEX', KEYS[2], -back)
      anchors[#anchors + 1] = string.sub(entry, 1, 16)
      back = back * 2
    end
  end
  next_at = string.format('%d', index)
end

walk_list()
return told()
