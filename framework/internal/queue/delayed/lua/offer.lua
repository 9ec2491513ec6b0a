-- offer: put one element or many into the delayed structures in one step.
-- Needs: types clock refusal layout add origin keeptraces withkeys
-- KEYS: 1 timeout set  2 pending list  3 channel  4 ready list  5 traces  6 attempts
--        and where elements have a key or a nonce: 7 names  8 ids  9 due list  10... the record
--        of each nonce
-- ARGV: 1 age of the offers in whole ms when this is a resend, '' on a first try
--        2 trace contexts of 25 bytes: '' for none, one for all elements, or one for each,
--          which begins with 16 bytes 0 for an element that has none
--        3 how long after its due time a trace record lives, in ms
--        4 '1' where the pending list is kept
--        5 '1' where each element's id is larger than the one before
--        6 number of runs: neighbours with the same delay or due time
--        7 number of keys and nonces
--        8... for each run: 'in' or 'at', delay or due ms, how many
--        then for each key: the place of its element; what happens where the key is taken, see
--        below; window in ms from now, '' for while the message is pending; the key. So for each
--        nonce, which has 'nonce' for what happens, and no key
--        then all elements
-- Reply: {seconds, microseconds, head (1 or 0), one character for each element,
--        due ms of each run, due ms of each 'p', 'k', 'h' and 'e', due ms of its ID, the 8
--        bytes of its ID}; the three before the last as texts with a space between two
--        '+' added; 'p' pending: an earlier try had added it; 't' taken: the id exists
--        already on a first try; 'u' unknown: a resend came too late to tell added from
--        delivered; 'r' due time at or beyond 2^53; of one with a key also 'k' kept: the
--        first one stays; 'h' handled: so was the first one, within the window; 'x' replaced: it is added, and the first one removed; 'e'
--        extended: the first one got its due time; 'w': to be sent alone, or the script
--        would take too long. Only '+', 'x' and 'e' changed anything.
--
-- Where a message holds the key (see keyholder) and the policy is 'keep', it stays, and this one
-- is not added; 'replace': this one takes the place of the first, if that is still pending;
-- 'extend': the first one gets this one's due time, if it is still pending. A resend that finds
-- its own record is 'p', also after the message was delivered: within a fixed window its
-- outcome is never unknown. The key names the message, in its record (see attempts), until that
-- is done, or until the key names a later one.
--
-- A nonce names the offer, whoever sends it: within its window, an offer whose nonce was used
-- adds nothing and is 'p', with what came of the first one. Its outcome is never unknown.
--
-- The first write is one ZADD of all, so that a full Redis refuses the offer; then comes one
-- RPUSH of all, then one PUBLISH of the earliest due time where that is the head. All that
-- can be added is added or nothing: what fails undoes all. The due time counts from the clock
-- of Redis rounded up: an offer is never delivered before its whole delay has passed. Only
-- trace records follow what Java needs, and a failure there is not the offer's.

-- Types are checked before the first write where that write would not tell: the ready list
-- and the traces. The other two answer WRONGTYPE themselves.
local argv = ARGV
local traced = argv[2] ~= ''
local kind = redis.call('TYPE', KEYS[4]).ok
if traced or kind ~= 'list' and kind ~= 'none' then
  local wrong = wrong_type(KEYS[4], 'list', KEYS[5], 'zset')
  if wrong then
    return wrong
  end
end
local _, seconds, micros = clock_now()
local now = seconds * 1000 + math.ceil(micros / 1000)
local age = tonumber(argv[1])

local runs, keys = tonumber(argv[6]), tonumber(argv[7])
local before = 7 + 3 * runs + 4 * keys
local n = #argv - before

-- due_at(mode, ms) returns the due time, and how long that is after the offer.
local function due_at(mode, ms)
  ms = tonumber(ms)
  if mode == 'in' then
    return now + math.max(ms - (age or 0), 0), ms
  end
  return ms, ms - now + (age or 0)
end

-- One alone needs no tables, and ZADD NX tells by itself whether it exists.
if n == 1 and not age and keys == 0 then
  local due = due_at(argv[8], argv[9])
  local text, status, head, problem = ms_text(due), 'r', 0, nil
  if due < 9007199254740992 then
    head, problem = add(argv[before + 1], text, argv[4])
    if head then
      status = '+'
    elseif problem == 'taken' then
      status, head = 't', 0
    else
      return problem
    end
  end
  if traced and status == '+' then
    pcall(keep_traces, status, before, {due}, {1, 2}, now)
  end
  return {seconds, micros, head, status, text, '', '', ''}
end

local due, text, delay, first = {}, {}, {}, {1}
local quick = not age and argv[5] == '1' and runs <= 8 and keys == 0
for r = 1, runs do
  local at = 5 + 3 * r
  due[r], delay[r] = due_at(argv[at], argv[at + 1])
  text[r] = ms_text(due[r])
  quick = quick and due[r] < 9007199254740992
  first[r + 1] = first[r] + tonumber(argv[at + 2])
end

-- stands_before(one, other) tells whether one stands before the other where both are due at
-- one time: Redis sorts those by their bytes, and no two ids are the same.
local function stands_before(one, other)
  for i = 1, 8 do
    local a, b = string.byte(one, i) or -1, string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return false
end

-- none_from(due_text, element) tells whether no element of that due time has an id as
-- large as this one's.
local function none_from(due_text, element)
  local last = redis.pcall('ZRANGE', KEYS[1], due_text, due_text, 'BYSCORE', 'REV', 'LIMIT', 0, 1)
  if failed(last) then
    return false
  end
  return not last[1] or stands_before(last[1], element)
end

local keyed, wrong
if keys > 0 then
  keyed, wrong = with_keys(now, age, before - 4 * keys, before)
  if wrong then
    return wrong
  end
end

-- Asking for each one whether it exists costs a fifth of all. Where none can be there
-- with the same due time, ZADD NX tells too: what has another score afterwards was there.
for r = 1, quick and runs or 0 do
  quick = quick and none_from(text[r], argv[before + first[r]])
end
-- The quick way asks for one: whether it may ask.
local held = redis.pcall('ZMSCORE', KEYS[1], unpack(argv, before + 1, quick and before + 1 or #argv))
if failed(held) then
  return add_explain('ZMSCORE', held)
end
if quick and held[1] then
  quick = false
  held = redis.call('ZMSCORE', KEYS[1], unpack(argv, before + 1))
end

-- new, pairs_new: what is added; added_first: that with the smallest id of each run.
local status, new, pairs_new, size, added_first, scores, origins, ids = {}, {}, {}, 0, {}, {}, {}, {}
if quick then
  status, new = {string.rep('+', n)}, {unpack(argv, before + 1)}
  for r = 1, runs do
    local score = text[r]
    added_first[r] = new[first[r]]
    for i = first[r], first[r + 1] - 1 do
      pairs_new[size + 1] = score
      pairs_new[size + 2] = new[i]
      size = size + 2
    end
  end
else
  local seen = {}
  for r = 1, runs do
    local score, far, late = text[r], due[r] >= 9007199254740992, age and age >= delay[r]
    for i = first[r], first[r + 1] - 1 do
      local element, key, nonce = argv[before + i], keyed and keyed.of[i], keyed and keyed.nonces[i]
      local overdue = late and not (nonce and age < nonce.left) -- it would have been found
      local letter, at, origin, id
      if nonce and nonce.id then
        letter, at, origin, id = 'p', nonce.due, nonce.origin, nonce.id
      elseif key and not seen[element] then
        letter, at, origin, id = keyed.decide(key, element, held[i], due[r], far, overdue)
      elseif held[i] and age then
        letter, at, id = 'p', held[i], string.sub(element, 1, ELEMENT_ID_END)
        origin = ms_text(tonumber(id_due(KEYS[6], id, at)))
      elseif held[i] or seen[element] then
        letter = 't'
      elseif far then
        letter = 'r'
      elseif overdue then
        letter = 'u'
      else
        letter = '+'
      end
      status[i] = letter
      if id then
        scores[#scores + 1] = at
        origins[#scores] = origin
        ids[#scores] = id
      end
      if nonce then
        keyed.used(nonce, letter, at or score, origin or score, id or string.sub(element, 1, ELEMENT_ID_END))
      end
      if status[i] == '+' or status[i] == 'x' then
        seen[element] = true
        new[#new + 1] = element
        pairs_new[size + 1] = score
        pairs_new[size + 2] = element
        size = size + 2
        if not added_first[r] or argv[5] ~= '1' and stands_before(element, added_first[r]) then
          added_first[r] = element
        end
      end
    end
  end
end

local function undo()
  if keyed then
    keyed.undo()
  end
  if #new > 0 then
    redis.pcall('ZREM', KEYS[1], unpack(new))
  end
end

local problem = keyed and keyed.move()
if problem then
  return problem
end
if size > 0 then
  local added = redis.pcall('ZADD', KEYS[1], 'NX', unpack(pairs_new))
  if failed(added) then
    new = {}
    undo()
    return add_explain('ZADD', added)
  end
  if quick and added < n then
    held = redis.call('ZMSCORE', KEYS[1], unpack(argv, before + 1))
    new, added_first = {}, {}
    for r = 1, runs do
      for i = first[r], first[r + 1] - 1 do
        status[i] = 't'
        if tonumber(held[i]) == due[r] then
          status[i] = '+'
          new[#new + 1] = argv[before + i]
          added_first[r] = added_first[r] or argv[before + i]
        end
      end
    end
  end
end
if #new > 0 and argv[4] == '1' then
  local pushed = redis.pcall('RPUSH', KEYS[2], unpack(new))
  if failed(pushed) then
    undo()
    return add_explain('RPUSH', pushed)
  end
end

-- The earliest of what is new or moved may be the head.
local earliest, at
local function perhaps(element, due_ms)
  if element and (not earliest or due_ms < at or due_ms == at and stands_before(element, earliest)) then
    earliest, at = element, due_ms
  end
end
for r = 1, runs do
  perhaps(added_first[r], due[r])
end
for i = 1, keyed and #keyed.moved or 0 do
  perhaps(keyed.moved[i].old, keyed.moved[i].new_due)
end
local head = 0
if earliest then
  local refused
  head, refused = add_publish(earliest, ms_text(at))
  problem = not head and refusal('PUBLISH', refused)
end
problem = problem or keyed and keyed.write()
if problem then
  undo()
  for i = 1, argv[4] == '1' and #new or 0 do
    redis.pcall('LREM', KEYS[2], -1, new[i])
  end
  return problem
end

local letters = table.concat(status)
if keyed then
  keyed.clean()
end
if traced and #new > 0 then
  pcall(keep_traces, letters, before, due, first, now)
end
return {seconds, micros, head, letters, table.concat(text, ' '), table.concat(scores, ' '), table.concat(origins, ' '),
  table.concat(ids)}
