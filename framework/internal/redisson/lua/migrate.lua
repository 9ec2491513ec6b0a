-- migrate: rewrite pending elements that only some Redissons read.
-- Needs: types clock refusal element index attempts rank
-- KEYS: 1 timeout set  2 pending list  3 attempts  4 names  5 ids
-- ARGV: 1 'list': walk the pending list from an index towards its head
--          'set': walk the timeout set in the order of due times
--        2 '1' to rewrite, '0' to count only
--        3 '1' when the queue's codec writes empty payloads, '0' when it does not,
--          '' when that is not known
--        4 list: index to begin at, '' for the end; set: score of the element
--          looked at last, '' to begin
--        5 set: that element
--        6 most elements to look at  7 most bytes to look at
--        8 microseconds after which no further chunk is begun
--        9 most list entries to search for elements found in the set
--        10 tick and 11 tail of a fresh id, see universal_id
--        12... list: heads of elements at which the walk is over
-- Reply: {looked, old, new, other, rewritten, ghosts, universal, ambiguous,
--         malformed, done (1 or 0), next score or index, next element,
--         microseconds spent (0 where the server stops its clock in scripts),
--         heads of elements near the end of the list, for a later walk,
--         score, size, head and reason of malformed elements, a few}
--
-- An element keeps its score, its payload and its place in the list, and gets the
-- universal layout with a fresh id: its own is too long for that. The message keeps its
-- ID: a record knows it, and names lead from it to the new element. Nothing is published: no due time changes, and
-- a message would make Javas transfer while some elements are still foreign to them.
--
-- Order of writes. A ZREM of nothing comes first, so that a user who may not, is
-- refused before anything is written, and a full Redis can be migrated. Then, for
-- each element: ZADD of the new one, LSET, ZREM of the old one, its record. What fails on
-- the way is undone, but for the record, which delays nothing.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash', KEYS[4], 'hash', KEYS[5], 'zset')
if wrong then
  return wrong
end

local write, empty = ARGV[2] == '1', ARGV[3]
local limit, max_bytes = tonumber(ARGV[6]), tonumber(ARGV[7])
local budget, max_scan = tonumber(ARGV[8]), tonumber(ARGV[9])
local tick, tail = tonumber(ARGV[10]), tonumber(ARGV[11])
local now, seconds, micros = clock_now()
local n = {looked = 0, old = 0, new = 0, other = 0, rewritten = 0, ghosts = 0, universal = 0, ambiguous = 0, malformed = 0}
local bytes, spent, scanned = 0, 0, 0
local examples = {}
local problem = nil

-- sort_of(element) returns 'universal', 'old', 'new', 'other', the payload and 8 bytes of
-- id; or 'ambiguous'; or 'malformed' and the reason.
local function sort_of(element)
  if empty == '' and #element == 17 and string.byte(element, 1) == 8
    and length_at(element, 9, 1) and length_at(element, 10, 0) then
    return 'ambiguous'
  end
  local payload, kind, id = element_parse(element, empty == '1')
  if not payload then
    return 'malformed', kind
  elseif kind == 'n' then
    return 'new', payload, id
  elseif kind == 'x' then
    return 'other', payload
  elseif string.byte(element, 1) == 7 then
    return 'universal', payload
  end
  return 'old', payload, id
end

-- universal_id(tick, tail): 07, then 45 bits and 11 bits, big endian.
local function universal_id(at, of)
  local high = math.floor(at / 8192)
  local low = at % 8192 * 2048 + of
  return string.char(7,
    math.floor(high / 16777216) % 256, math.floor(high / 65536) % 256, math.floor(high / 256) % 256, high % 256,
    math.floor(low / 65536), math.floor(low / 256) % 256, low % 256)
end

-- refused(command, reply) notes an error and reports whether there was one.
local function refused(command, reply)
  if not failed(reply) then
    return false
  end
  problem = problem or refusal(command, reply)
  return true
end

-- keep_id(sort, id, score, fresh) leads from a message's ID to its new element.
local function keep_id(sort, id, score, fresh)
  local due = math.ceil(tonumber(score))
  if sort == 'other' or due < 0 or due >= 9007199254740992 then
    return -- it had none
  end
  local kind = sort == 'new' and 'n' or 'u'
  local old, new = record_field(kind, id), record_field('u', string.sub(fresh, 1, 8))
  local value = redis.call('HGET', KEYS[3], old)
  local m = record_read(value, 0)
  if not m then
    m = record_new(kind, due, id)
    m.due = due
  elseif m.digest then
    index_remove(KEYS[5], m.digest, m.indexed, old)
    index_add(KEYS[5], m.digest, m.failed, new, m.kept - now)
  end
  record_put(KEYS[3], KEYS[4], new, m, now)
  if value then
    redis.call('HDEL', KEYS[3], old)
  end
end

-- replace(element, payload, score, index) rewrites one element: in the set where
-- it has a score, in the list where it has an index. It returns the new one, or nil.
local function replace(element, payload, score, index)
  local fresh
  for turn = 0, 2047 do
    fresh = element_pack(universal_id(tick, (tail + turn) % 2048), payload)
    if not score then
      break
    end
    local added = redis.pcall('ZADD', KEYS[1], 'NX', score, fresh)
    if refused('ZADD', added) then
      return
    elseif added == 1 then
      break
    end
    fresh = nil
  end
  if not fresh then
    return -- every id of this tick is taken with this payload: left as it is
  end
  if index and refused('LSET', redis.pcall('LSET', KEYS[2], index, fresh)) then
    if score then
      redis.pcall('ZREM', KEYS[1], fresh)
    end
    return
  end
  if score then
    if refused('ZREM', redis.pcall('ZREM', KEYS[1], element)) then
      return
    end
    n.rewritten = n.rewritten + 1
  end
  return fresh
end

-- note(sort, element, score, detail) counts an element of the set.
local function note(sort, element, score, detail)
  n[sort] = n[sort] + 1
  if sort == 'malformed' and #examples < 32 then
    for _, v in ipairs({score, #element, string.sub(element, 1, 32), detail}) do
      examples[#examples + 1] = v
    end
  end
end

local function foreign(sort)
  return sort == 'old' or sort == 'new' or sort == 'other'
end

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

local list_length
local moved = {} -- score and element of what was rewritten in this chunk of the set

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

-- wanted() says how many elements the next chunk may have; 0 ends the script.
local chunk = 8
local function wanted()
  if n.looked > 0 then
    local _, s, u = clock_now()
    spent = (s - seconds) * 1000000 + (u - micros)
  end
  if problem or n.looked >= limit or bytes >= max_bytes or spent >= budget or scanned >= max_scan then
    return 0
  end
  local want = math.min(chunk, limit - n.looked)
  if bytes > 0 then
    want = math.max(1, math.min(want, math.floor((max_bytes - bytes) * n.looked / bytes)))
  end
  chunk = math.min(chunk * 2, 64)
  return want
end

if write then
  local reply = redis.pcall('ZREM', KEYS[1], 'duequeue:nothing')
  if refused('ZREM', reply) then
    return problem
  end
end

local done, next_at, next_element = 0, ARGV[4], ARGV[5]
local anchors = {}

-- walk_list goes from an index to the head. Others only remove entries and add
-- behind the end: seen from here, entries come nearer to the head, so none is
-- passed over.
local function walk_list()
  local stops = {}
  for i = 12, #ARGV do
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

if ARGV[1] == 'list' then
  walk_list()
else
  walk_set()
end
if problem then
  return problem
end
return {
  n.looked, n.old, n.new, n.other, n.rewritten, n.ghosts, n.universal, n.ambiguous, n.malformed,
  done, next_at, next_element, spent, anchors, examples,
}
