-- pass: moves what is overdue in passes over Java's list, where walks would cost more.
-- Needs: transfer head
--
-- A walk costs a step for each element before the one that is moved, in the middle half the
-- list; a pass reads each element once, for which Redis needs as long as for 400 steps,
-- and finds all that is due. So with hundreds overdue a pass is less work than walks,
-- however long the list is. Chunks of the list's head are read; what is due leaves them, and
-- the rest goes to the list's end: the next script goes on where this one stopped, and no
-- process needs to remember a place. What is pending is in the list at each step.

-- How many must be overdue for a pass, and the most elements of a chunk. A chunk is short
-- enough that the head of a list in the order of due times is never dealt with as sparse.
local least_pass, most_passed = 400, 1000
-- The most bytes of a chunk, give or take, and the most elements that are passed where the
-- server stops its clock in scripts.
local most_chunk_bytes, blind_passed = 1048576, 1000

local function is_due(score)
  return tonumber(score) <= now
end

-- pass_chunk(n) moves what is due among the first n elements, and returns how many elements
-- it has passed, their bytes, and due entries. Where a quarter is due the rest keeps its place:
-- the head is where due messages are, as with one delay for all.
local function pass_chunk(n)
  local passed, picked, rest, size = read_head(n, is_due, limit - moved - malformed)
  local good, payloads, entries, bad = sort_chunk(picked)
  if #good > 0 then
    push(good, payloads)
  end
  for i = 1, #bad do
    if not bury(unpack(bad[i])) then
      rest[#rest + 1] = bad[i][1]
    end
  end
  if #picked * 2 >= passed then
    cut_head(passed, rest)
  else
    redis.call('RPUSH', KEYS[2], unpack(rest))
    redis.call('LTRIM', KEYS[2], passed, -1)
  end
  return passed, size, entries
end

-- pass(overdue, average) returns false where nothing is to be moved in this way; overdue is how
-- many are due, average how many bytes one has. The list may lack what is due, where a process keeps none, and where the dead store
-- refuses, what is malformed is passed by faster in the order of due times.
local function pass(overdue, average)
  if overdue < least_pass then
    return false
  end
  redis.call('ZREM', KEYS[1], 'duequeue:nothing')
  local passed, length = 0, redis.call('LLEN', KEYS[2])
  local n = math.max(1, math.min(64, math.floor(most_chunk_bytes / average)))
  while n > 0 and passed < length and overdue - moved - malformed >= least_pass and may_go_on() do
    local some, size, entries = pass_chunk(n)
    due_entries(entries)
    look()
    passed = passed + some
    n = math.max(1, math.min(2 * n, most_passed, math.floor(most_chunk_bytes * some / math.max(size, 1))))
    if refused ~= '' or moved + malformed == 0 and 2 * spent >= budget then
      break
    elseif spent > 0 then
      n = math.min(n, math.floor((budget - spent) * passed / spent))
    elseif passed >= blind_passed then
      break
    end
  end
  stuck = 0
  return moved + malformed > 0 and refused == ''
end
