-- transfer: what transfers of all views share: their bounds, and what becomes of an element.
-- Needs: types clock stopwatch layout duerecord digest due element dead
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 due list  5 dead store  6 control
-- ARGV: 1 most elements to move  2 most bytes to move
--        3 '1' when the queue's codec writes empty payloads
--        4 '1' to write due records
--        5 microseconds that it may take: no chunk and no walk is begun that is likely
--          to end later
--        6 most walks of the pending list, see walks; an element of the dead store costs
--          one too
--        7 length of the ready list from which on nothing is moved, 0 for none
-- Reply: {moved, malformed, length of the ready list, score of the new head or '',
--         seconds, microseconds, bytes moved, microseconds spent (0 where the
--         server stops its clock in scripts), '' or why the dead store refused,
--         walks, version of the control, '' where there is none, '!' where it is no hash,
--         messages with a negative due time, which went to the dead store}
--
-- Order of writes. A ZREM of nothing comes first, so that a full Redis can be
-- drained. Then, chunk by chunk: LREM from Java's view, RPUSH to the ready list,
-- ZREM; then what is malformed, one by one: to the dead store, ZREM, LREM. A
-- command that is refused stops the script before anything is copied, or after
-- what is copied was removed: nothing is lost and nothing doubled.
-- The due records come after all of that and cannot fail the transfer.
--
-- Onto a full ready list nothing is moved, with two exceptions. What is malformed
-- goes to the dead store, see inspect. And where others add to the list (the last one is of
-- no transfer), a few are moved: otherwise they would come behind all of those.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'list', KEYS[5], 'stream')
if wrong then
  return wrong
end

local limit, max_bytes, budget, walks = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[5]), tonumber(ARGV[6])
local empty_ok, track = ARGV[3] == '1', ARGV[4] == '1'
local now, seconds, micros = clock_now()
local now_text = ms_text(now)
local written = string.format('%016.0f', now)
local moved, malformed, bytes, spent = 0, 0, 0, 0 -- malformed: with those that overflowed
local overflowed = 0
local ready, stuck, refused, walked = nil, 0, '', 0
local longest = 0 -- the longest walk, in µs
local blind_limit = 500
local before = redis.call('LLEN', KEYS[3])
if ARGV[7] ~= '0' then
  local room = tonumber(ARGV[7]) - before
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

-- may_go_on() is whether there is room and time for more.
local function may_go_on()
  return moved + malformed < limit and bytes < max_bytes and spent + longest < budget
end

-- fitting(want) is how many of so many may come next.
local function fitting(want)
  want = math.min(want, limit - moved - malformed)
  if bytes > 0 then
    want = math.max(1, math.min(want, math.floor((max_bytes - bytes) * (moved + malformed + stuck) / bytes)))
  end
  return want
end

-- due_elements(want) returns so many elements that are due, each with its score.
local function due_elements(want)
  return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_text, 'WITHSCORES', 'LIMIT', stuck, want)
end

-- leave(element) takes it out of Java's list. The exact view sets it.
local leave = nil

-- bury(element, score, body, detail): to the dead store and out of the set. It returns whether
-- that was done; Java's list is not touched. Where the element is read and its score is negative,
-- Java's now + delay overflowed.
local function bury(element, score, body, detail)
  local due, reason = '', 'malformed'
  if string.byte(score, 1) ~= 45 then
    due = ms_text(math.floor(tonumber(score)))
  elseif body ~= element then
    reason = 'overflowed'
  end
  if refused == '' then
    local ok, err = pcall(dead_add, KEYS[5], {
      body = body, reason = reason, detail = detail, due = due,
      digest = digest(body), at = now_text,
    })
    refused = ok and '' or (type(err) == 'table' and err.err or tostring(err)) .. ' command=XADD'
  end
  if refused ~= '' then -- it would refuse the others, too
    stuck = stuck + 1
    return false
  end
  redis.call('ZREM', KEYS[1], element)
  malformed = malformed + 1
  overflowed = overflowed + (reason == 'overflowed' and 1 or 0)
  return true
end

-- shelve(element, score, body, detail): to the dead store and out of the rest.
local function shelve(element, score, body, detail)
  if bury(element, score, body, detail) and leave then
    leave(element)
  end
end

-- sort_chunk(found) returns what can be moved, as elements, payloads and due entries,
-- and what is malformed, as arguments for shelve. Behind that it may end.
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

-- told() is the reply.
local function told()
  ready = ready or before
  if track then
    pcall(due_bound, KEYS[4], ready, now)
  end
  local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  local control = redis.pcall('HGET', KEYS[6], 'version') or '' -- so that all processes see a change within a sweep
  if type(control) == 'table' then
    control = '!'
  end
  return {moved, malformed - overflowed, ready, head[2] or '', seconds, micros, bytes, spent, refused, walked, control, overflowed}
end
