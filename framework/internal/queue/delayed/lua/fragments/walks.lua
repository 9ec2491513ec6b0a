-- walks: how a transfer keeps Java's list exact.
-- Needs: transfer inspect drain pass
--
-- An LREM costs a walk of the list from its head to the element. Where many are due
-- at one ms a chunk of the list's head is drained instead: what is due in it is moved, the
-- rest is put back.

leave = function(element)
  redis.call('LREM', KEYS[2], 1, element)
  walked = walked + 1
end

-- unlist(good) takes the elements out of the list, one LREM each, and returns of how many
-- there was time for that. A short list needs no look at the clock for each.
local long
local function unlist(good)
  for i = 1, #good do
    redis.call('LREM', KEYS[2], 1, good[i])
    walked = walked + 1
    if long and late() then
      return i
    end
  end
  return #good
end

-- walk(found) moves the elements one LREM each, of a long list as many as there is time
-- for and none behind one that is malformed, which costs a walk as well. It returns their
-- due entries.
local function walk(found)
  if long == nil then
    long = redis.call('LLEN', KEYS[2]) > 1000
    if long then look() end -- some clocks run from the first look on
  end
  local ends = long and refused == ''
  local good, payloads, entries, bad = sort_chunk(found, ends)
  if #good > 0 then
    local n = unlist(good)
    if n < #good and ends and bad[1] then
      bytes = bytes - #bad[1][1]
      bad = {}
    end
    for i = #good, n + 1, -1 do
      bytes = bytes - #good[i]
      good[i], payloads[i], entries[i] = nil, nil, nil
    end
    push(good, payloads)
  end
  for i = 1, #bad do
    shelve(unpack(bad[i]))
  end
  return entries
end

-- The fewest of a chunk of the head, and the most of any chunk.
local least_chunk, most_chunk = 64, 128

-- walk_all() moves what is due, in a pass where hundreds are.
local function walk_all()
  if limit <= 0 then
    inspect()
  end
  local overdue = nil
  local chunk = 2 -- walks may be long ones: the first ones tell
  while may_go_on() do
    local ahead = drains and stuck == 0 -- what is due stands at the head of the list
    local want = fitting(ahead and math.max(chunk, least_chunk) or chunk)
    local found = due_elements(want)
    if #found == 0 then
      break
    end
    if not overdue and #found == 2 * want then
      overdue = redis.call('ZCOUNT', KEYS[1], '-inf', now_text)
      local size = 0
      for i = 1, #found, 2 do
        size = size + #found[i]
      end
      local average = math.max(size / want, 1)
      if pass(overdue, average) then
        break
      end
      found = due_elements(want)
      local most = math.min(least_chunk, limit, math.floor(max_bytes / average))
      if overdue >= least_drain and most >= least_drain then
        ahead, drains = true, true
        want = most
        found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_text, 'WITHSCORES', 'LIMIT', 0, want)
      end
    end
    redis.call('ZREM', KEYS[1], 'duequeue:nothing')
    local last = #found < 2 * want
    local entries
    if ahead then
      entries = drain(found)
    end
    if entries then
      last = false
    else
      local may = math.min(ahead and chunk or want, walks - walked)
      if may < 1 then
        break
      end
      for i = #found, 2 * may + 1, -1 do
        found[i], last = nil, false
      end
      local done = moved + malformed + stuck
      entries = walk(found)
      last = last and moved + malformed + stuck - done == #found / 2
    end
    due_entries(entries)
    look()
    if last then
      break
    end
    chunk = math.min(chunk * 2, most_chunk)
    if spent > 0 then
      -- As many as fit into the rest of the time.
      local fit = math.floor((budget - spent) * (walked > 0 and walked or moved + malformed + stuck) / spent)
      if drains and walked == 0 and fit < least_chunk then
        break
      end
      chunk = math.min(chunk, math.max(fit, 1))
    end
  end
end
