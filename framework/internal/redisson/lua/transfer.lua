-- transfer: move what is due to the ready list.
-- Needs: types clock stopwatch layout duerecord digest due element dead rewrite trim
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 due list  5 dead store
-- ARGV: 1 most elements to move  2 most bytes to move
--        3 '1' when the queue's codec writes empty payloads
--        4 '1' to write due records
--        5 microseconds that it may take: no chunk and no walk is begun that is likely
--          to end later
--        6 what becomes of the pending list, Java's view: 'exact', 'onepass',
--          'unordered', 'lazy' or 'off'; see View in view.go
--        7 most walks of the pending list, see below; an element of the dead store
--          costs one too
--        8 length of the ready list from which on nothing is moved, 0 for none
-- Reply: {moved, malformed, length of the ready list, score of the new head or '',
--         seconds, microseconds, bytes moved, microseconds spent (0 where the
--         server stops its clock in scripts), '' or why the dead store refused,
--         walks}
--
-- Order of writes. A ZREM of nothing comes first, so that a full Redis can be
-- drained. Then, chunk by chunk: LREM from Java's view, RPUSH to the ready list,
-- ZREM; then what is malformed, one by one: to the dead store, ZREM, LREM. A
-- command that is refused stops the script before anything is copied, or after
-- what is copied was removed: nothing is lost and nothing doubled.
-- The due records come after all of that and cannot fail the transfer.
--
-- An LREM costs a walk of the list from its head to the element. Where many are due
-- at one ms, or where any order will do, a chunk of the list's head is taken instead:
-- what is due in it is moved, the rest is put back. Then RPUSH and ZREM come before
-- the list is touched. 'onepass' moves all that is due, then reads the whole list
-- once and keeps what is still pending, where that is less work than the walks and
-- the ready list is at most half full: otherwise it would do so for a few messages.
--
-- Onto a full ready list nothing is moved, with two exceptions. What is malformed
-- goes to the dead store, or Redisson would stop at it and push what stands before it
-- again and again. And where others add to the list (the last one is of no
-- transfer), a few are moved: otherwise they would come behind all of those.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'list', KEYS[5], 'stream')
if wrong then
  return wrong
end

local limit, max_bytes, budget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5])
local view, walks = ARGV[6], tonumber(ARGV[7])
local exact = view == 'exact' or view == 'unordered' or view == 'onepass'
local empty_ok, track = ARGV[3] == '1', ARGV[4] == '1'
local now, seconds, micros = clock_now()
local now_text = ms_text(now)
local written = string.format('%016.0f', now)
local moved, malformed, bytes, spent = 0, 0, 0, 0
local ready, stuck, refused, walked = nil, 0, '', 0
local blind_limit = 500
local before, roomy = redis.call('LLEN', KEYS[3]), true
if ARGV[8] ~= '0' then
  local room = tonumber(ARGV[8]) - before
  roomy = before <= room
  if room <= 0 and track then
    local tail = redis.call('LINDEX', KEYS[3], -1)
    local entry = redis.call('LINDEX', KEYS[4], -1) or 'x'
    local kind = due_kind(entry)
    if kind == 'x' or kind == 'p' or string.sub(entry, ENTRY_NAME) ~= due_name(tail) then -- pushed, or redriven
      room = 10
    end
  end
  limit = math.min(limit, room)
end

local gone, longest = nil, 0 -- what a rewrite of the list is to leave out; the longest walk, in µs
local elapsed = stopwatch(seconds, micros)

-- look() notes how long the script has run. Where no clock runs a smaller limit has to do.
local function look()
  spent = elapsed()
  if not spent then
    spent, limit = 0, math.min(limit, blind_limit)
  end
end

-- late() looks at the clock after a walk: is there no time for another one as long?
local function late()
  local before = spent
  look()
  longest = math.max(longest, spent - before)
  return spent + longest >= budget
end

-- bury(element, score, body, detail): to the dead store and out of the rest.
local function bury(element, score, body, detail)
  local due = ''
  if string.byte(score, 1) ~= 45 then
    due = ms_text(math.floor(tonumber(score)))
  end
  if refused == '' then
    local ok, err = pcall(dead_add, KEYS[5], {
      body = body, reason = 'malformed', detail = detail, due = due,
      digest = digest(body), at = now_text,
    })
    refused = ok and '' or (type(err) == 'table' and err.err or tostring(err)) .. ' command=XADD'
  end
  if refused ~= '' then -- it would refuse the others, too
    stuck = stuck + 1
    return
  end
  redis.call('ZREM', KEYS[1], element)
  malformed = malformed + 1
  if gone then
    gone[element] = true
  elseif exact then
    redis.call('LREM', KEYS[2], 1, element)
    walked = walked + 1
  end
end

-- sort_chunk(found) returns what can be moved, as elements, payloads and due entries,
-- and what is malformed, as arguments for bury. Behind that it may end.
local function sort_chunk(found, ends)
  local good, payloads, entries, bad = {}, {}, {}, {}
  for i = 1, #found, 2 do
    if ends and #bad > 0 then
      break
    end
    local element, score = found[i], found[i + 1]
    local payload, kind, id = element_parse(element, empty_ok)
    bytes = bytes + #element
    if not payload then
      bad[#bad + 1] = {element, score, element, kind}
    elseif string.byte(score, 1) == 45 then
      bad[#bad + 1] = {element, score, payload, 'score ' .. score .. ' is negative: now + delay overflowed'}
    else
      local n = #good + 1
      good[n], payloads[n] = element, payload
      if track then
        if #score == 13 and not string.find(score, '%D') then
          -- Today's ms: due_entry, without formatting a number.
          entries[n] = kind .. '000' .. score .. written .. id .. due_name(payload)
        else
          entries[n] = due_entry(due_record(kind, math.floor(tonumber(score)), now, id), payload)
        end
      end
    end
  end
  return good, payloads, entries, bad
end

-- push(good, payloads) puts them on the ready list and takes them out of the set.
local function push(good, payloads)
  ready = redis.call('RPUSH', KEYS[3], unpack(payloads))
  redis.call('ZREM', KEYS[1], unpack(good))
  moved = moved + #good
end

-- due_entries(entries) cannot fail the transfer.
local function due_entries(entries)
  if track and #entries > 0 then
    pcall(due_append, KEYS[4], entries)
  end
end

-- How many must be due for a look at the head of the list, and for a rewrite of it, and
-- the most elements and bytes of a list that is rewritten.
local least_drain, least_rewrite, longest_rewrite, most_rewrite = 32, 256, 2000000, 1e9
local overdue, drains, average = nil, false, 0
-- The fewest of a chunk of the head, and the most of any chunk.
local least_chunk, most_chunk = 64, 128

-- drain(found) moves what is due among the first elements of the list, where that
-- promises more than one LREM for each of found. It returns due entries, or nil when
-- nothing was done.
local function drain(found)
  local first, want = found[2], #found / 2
  if view ~= 'unordered' then
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
    if score and not seen[head[i]] and (score == first or view == 'unordered' and tonumber(score) <= now) then
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
-- for and none behind one that is malformed, which costs a walk as well.
local function walk(found)
  if long == nil then
    long = exact and redis.call('LLEN', KEYS[2]) > 1000
    if long then look() end -- some clocks run from the first look on
  end
  local ends = long and not gone and refused == ''
  local good, payloads, entries, bad = sort_chunk(found, ends)
  if #good > 0 then
    if gone then
      for i = 1, #good do
        gone[good[i]] = true
      end
    elseif exact then
      local n = unlist(good)
      if n < #good and ends and bad[1] then
        bytes = bytes - #bad[1][1]
        bad = {}
      end
      for i = #good, n + 1, -1 do
        bytes = bytes - #good[i]
        good[i], payloads[i], entries[i] = nil, nil, nil
      end
    end
    push(good, payloads)
  end
  for i = 1, #bad do
    bury(unpack(bad[i]))
  end
  return entries
end

-- rewrite() moves all that is due, then reads the list once.
local function rewrite()
  gone = {}
  local most, most_bytes = 100 * limit, 16 * max_bytes
  local n, last = 16, false
  repeat
    local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_text, 'WITHSCORES', 'LIMIT', stuck, n)
    local counted = bytes
    due_entries(walk(found))
    last = #found < 2 * n
    n = next_step(n, #found / 2, bytes - counted)
  until last or moved + malformed >= most or bytes >= most_bytes
  list_without(KEYS[2], gone)
end

-- inspect() looks at as many elements as a transfer of Redisson does, and buries what
-- is malformed.
local function inspect()
  local at, n, size = 0, 8, 0
  while at < 100 and size < max_bytes and walked < walks and spent + longest < budget do
    local found = redis.call('ZRANGEBYSCORE', KEYS[1], 0, now_text, 'WITHSCORES', 'LIMIT', at, n)
    for i = 1, #found, 2 do
      local payload, reason = element_parse(found[i], empty_ok)
      size = size + #found[i]
      local before_it = malformed
      if not payload and walked < walks and spent + longest < budget then
        redis.call('ZREM', KEYS[1], 'duequeue:nothing')
        bury(found[i], found[i + 1], found[i], reason)
        late()
      end
      at = at + 1 - (malformed - before_it)
    end
    if #found < 2 * n then
      break
    end
    n = math.max(1, math.min(2 * n, 64, math.floor((max_bytes - size) * #found / 2 / math.max(size, 1))))
  end
end
if limit <= 0 then
  inspect()
end

-- Walks may be long ones: the first ones tell.
local chunk = exact and 2 or 8
while moved + malformed < limit and bytes < max_bytes and spent + longest < budget do
  local ahead = drains and stuck == 0 -- what is due stands at the head of the list
  local want = math.min(ahead and math.max(chunk, least_chunk) or chunk, limit - moved - malformed)
  if bytes > 0 then
    want = math.max(1, math.min(want, math.floor((max_bytes - bytes) * (moved + malformed + stuck) / bytes)))
  end
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_text, 'WITHSCORES', 'LIMIT', stuck, want)
  if #found == 0 then
    break
  end
  if exact and not overdue and #found == 2 * want then
    overdue = redis.call('ZCOUNT', KEYS[1], '-inf', now_text)
    local size = 0
    for i = 1, #found, 2 do
      size = size + #found[i]
    end
    average = math.max(size / want, 1)
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
    if view == 'onepass' and (overdue or 0) >= least_rewrite
      and redis.call('LLEN', KEYS[2]) <= math.min(longest_rewrite, most_rewrite / average) then
      if roomy then
        rewrite()
      else
        inspect()
      end
      break
    end
    if exact then
      local may = math.min(ahead and chunk or want, walks - walked)
      if may < 1 then
        break
      end
      for i = #found, 2 * may + 1, -1 do
        found[i], last = nil, false
      end
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

if view == 'lazy' then
  -- What the view lacks delays nothing.
  pcall(trim, KEYS[2], KEYS[1], moved)
end

ready = ready or before
if track then
  pcall(due_bound, KEYS[4], ready, now)
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {moved, malformed, ready, head[2] or '', seconds, micros, bytes, spent, refused, walked}
