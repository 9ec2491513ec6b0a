-- migrate: rewrites pending elements that only some Redissons read.
-- Needs: types clock refusal layout element index attempts
-- KEYS: 1 timeout set  2 pending list  3 attempts  4 names  5 ids
-- ARGV: 1 '1' to rewrite, '0' to count only
--        2 '1' when the queue's codec writes empty payloads, '0' when it does not,
--          '' when that is not known
--        3 list: index to begin at, '' for the end; set: score of the element
--          looked at last, '' to begin
--        4 set: that element
--        5 most elements to look at  6 most bytes to look at
--        7 microseconds after which no further chunk is begun
--        8 most list entries to search for elements found in the set
--        9 tick and 10 tail of a fresh id, see universal_id
--        11... list: heads of elements at which the walk is over
-- Reply: {looked, old, new, other, rewritten, ghosts, universal, ambiguous,
--         malformed, done (1 or 0), next score or index, next element,
--         microseconds spent (0 where the server stops its clock in scripts),
--         heads of elements near the end of the list, for a later walk,
--         score, size, head and reason of malformed elements, a few}
--
-- An element keeps its score, its payload and its place in the list, and gets the
-- universal layout with a fresh id: its own is too long for that. The message keeps its
-- ID: a record knows it, and names lead from it to the new element. Nothing is published:
-- no due time changes, and a message would make Javas transfer while some elements are
-- still foreign to them.
--
-- Order of writes. A ZREM of nothing comes first, so that a user who may not, is
-- refused before anything is written, and a full Redis can be migrated. Then, for
-- each element: ZADD of the new one, LSET, ZREM of the old one, its record. What fails on
-- the way is undone, but for the record, which delays nothing.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'hash', KEYS[4], 'hash', KEYS[5], 'zset')
if wrong then
  return wrong
end

local write, empty = ARGV[1] == '1', ARGV[2]
local limit, max_bytes = tonumber(ARGV[5]), tonumber(ARGV[6])
local budget, max_scan = tonumber(ARGV[7]), tonumber(ARGV[8])
local tick, tail = tonumber(ARGV[9]), tonumber(ARGV[10])
local now, seconds, micros = clock_now()
local n = {
  looked = 0, old = 0, new = 0, other = 0, rewritten = 0, ghosts = 0, universal = 0, ambiguous = 0, malformed = 0,
}
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
  local old, new = record_field(kind, id), record_field('u', string.sub(fresh, 1, ELEMENT_ID_END))
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

local function foreign(sort)
  return sort == 'old' or sort == 'new' or sort == 'other'
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

local done, next_at, next_element = 0, ARGV[3], ARGV[4]
local anchors = {}

-- told() is the reply.
local function told()
  if problem then
    return problem
  end
  return {
    n.looked, n.old, n.new, n.other, n.rewritten, n.ghosts, n.universal, n.ambiguous, n.malformed,
    done, next_at, next_element, spent, anchors, examples,
  }
end
