-- withkeys: what offers with a key find and leave behind. KEYS and ARGV are those of offer:
-- what it says of the keys stands in ARGV after at, the elements after before. Each key
-- comes once. It returns nil and an error reply, or a table with of: what is known of the key
-- of an element, by its place; nonces: so of its nonce, whose id says that it was used; moved:
-- what is extended; and functions, to be called in this order:
--   decide(k, element, there, due, far, overdue) returns the letter of an element; for p, k, h
--     and e also the due ms, the due ms of the ID and its 8 bytes, of the message that stands for
--     it. there: its score, where it is pending
--   used(nonce, letter, due, origin, id) takes what became of the element of a nonce
--   move() gives those that are extended their due time, and asks whether replaced ones may
--     be removed; it returns an error reply or nil
--   write() lets the keys name their messages, and remembers the nonces; it returns an error
--     reply or nil
--   undo() takes back what the two did
--   clean() removes what was replaced, and what only helps to find messages again
-- Needs: types clock refusal layout expire index nonce attempts vanished keyholder origin tracechange
-- Function: with_keys(now, age, at, before)
local argv = ARGV
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'list', KEYS[5], 'zset', KEYS[6], 'hash',
  KEYS[7], 'hash', KEYS[8], 'zset', KEYS[9], 'list')
if wrong then
  return nil, wrong
end
local of, nonces, asked, by_key = {}, {}, {}, {} -- asked: the keys in their order, and their names
local record = 9
for first = at + 1, before, 4 do
  local place, k = tonumber(argv[first]), {policy = argv[first + 1], window = argv[first + 2], key = argv[first + 3]}
  if k.policy == 'nonce' then
    record = record + 1
    local was = redis.pcall('GET', KEYS[record])
    if failed(was) then
      return nil, wrong_type(KEYS[record], 'string') or refusal('GET', was)
    end
    k.record, k.left = KEYS[record], tonumber(k.window)
    k.id, k.due, k.origin = nonce_read(was)
    nonces[place] = k
  else
    asked[#asked + 1], by_key[#by_key + 1] = k, 'k' .. k.key
    of[place] = k
  end
end
-- read(key, names) is HMGET, of names of which some are false.
local function read(key, names)
  local some, places, out = {}, {}, {}
  for i = 1, #names do
    if names[i] then
      some[#some + 1] = names[i]
      places[#some] = i
    end
  end
  for n, value in ipairs(#some > 0 and redis.call('HMGET', key, unpack(some)) or {}) do
    out[places[n]] = value
  end
  return out
end
local fields = read(KEYS[7], by_key)
for i = 1, #asked do
  fields[i] = fields[i] or false
end
local values = read(KEYS[6], fields)
for i, k in ipairs(asked) do
  k.first = key_holder(fields[i], values[i], now, KEYS[1], KEYS[4], KEYS[9], KEYS[8])
end

-- decided: the keys that will name another message or due time; of these, moved: with
-- policy extend; replaced: whose first message goes.
-- noted: the nonces that are used now.
local decided, moved, replaced, noted, length, written = {}, {}, {}, {}, nil, false
local keyed = {of = of, nonces = nonces, moved = moved}

function keyed.decide(k, element, there, due, far, overdue)
  if far then
    return 'r'
  end
  local mine, first = string.sub(element, 1, ELEMENT_ID_END), k.first
  k.new_due = due
  if there and age then
    return 'p', there, ms_text(tonumber(id_due(KEYS[6], mine, there))), mine
  end
  if first then
    local m = first.m
    k.old, k.score = first.element, first.score
    local first_due, origin = k.score or ms_text(m.due), ms_text(m.origin)
    if age and first.field == 'u' .. mine then
      return 'p', first_due, origin, m.id
    elseif k.policy == 'keep' and first.holds then
      return first.holds, first_due, origin, m.id
    elseif not k.score and overdue then
      -- An earlier try may have extended it, or been named before it, and it was delivered since.
      return 'u'
    elseif k.score and k.policy == 'extend' then
      k.names, k.id_due = k.old, m.origin
      decided[#decided + 1], moved[#moved + 1] = k, k
      return 'e', ms_text(due), origin, m.id
    end
  elseif overdue and (k.window == '' or age >= tonumber(k.window)) then
    return 'u' -- its record may have ended
  end
  if there then
    return 't'
  end
  if k.score and argv[4] == '1' then
    -- Each one that is replaced costs a walk of the list: the first one always, others while
    -- that takes no more than some ms.
    length = length or redis.call('LLEN', KEYS[2])
    if #replaced > 0 and (#replaced + 1) * length > 50000 then
      return 'w'
    end
  end
  k.names, k.id_due = element, due
  decided[#decided + 1] = k
  if k.score then
    replaced[#replaced + 1] = k
    return 'x'
  end
  return '+'
end

function keyed.used(nonce, letter, due, origin, id)
  if letter == '+' or letter == 'x' or letter == 'k' or letter == 'h' or letter == 'e' then
    nonce.text = nonce_record(tonumber(due), tonumber(origin), id)
    noted[#noted + 1] = nonce
  end
end

local had, named = {}, {} -- of decided: what its hashes have
fields, by_key = {}, {} -- and the fields there

function keyed.move()
  if #decided == 0 then
    return
  end
  for i, k in ipairs(decided) do
    k.field = k.names == k.old and k.first.field or 'u' .. string.sub(k.names, 1, ELEMENT_ID_END)
    fields[i], by_key[i] = k.field, 'k' .. k.key
  end
  had = redis.call('HMGET', KEYS[6], unpack(fields))
  named = redis.call('HMGET', KEYS[7], unpack(by_key))
  if #replaced > 0 then
    -- May the first ones be removed? Asked before anything is added, by a removal of
    -- nothing; and before that a write that changes nothing, which a full Redis refuses.
    local full = redis.pcall('ZADD', KEYS[1], 'XX', replaced[1].score, replaced[1].old)
    if failed(full) then
      return refusal('ZADD', full)
    end
    local may = redis.pcall('ZREM', KEYS[1], 'duequeue:nothing')
    if failed(may) then
      return refusal('ZREM', may)
    end
  end
  if #moved > 0 then
    local pairs_moved = {}
    for _, k in ipairs(moved) do
      pairs_moved[#pairs_moved + 1] = ms_text(k.new_due)
      pairs_moved[#pairs_moved + 1] = k.old
    end
    local done = redis.pcall('ZADD', KEYS[1], 'XX', unpack(pairs_moved))
    if failed(done) then
      return refusal('ZADD', done)
    end
  end
end

-- restore(key, names, values) writes back what the fields of a hash were.
local function restore(key, names, values)
  for i, name in ipairs(names) do
    if values[i] then
      redis.pcall('HSET', key, name, values[i])
    else
      redis.pcall('HDEL', key, name)
    end
  end
end

-- name_messages() writes what is known of the messages that the keys name.
local function name_messages()
  if #decided == 0 then
    return
  end
  local most = 0
  written = true
  local ok, err = pcall(function()
    local records, names = {}, {}
    for i, k in ipairs(decided) do
      local id = string.sub(k.names, 1, ELEMENT_ID_END)
      local m = record_read(had[i], now) or record_new('u', k.id_due, id)
      m.key, m.due = k.key, k.new_due
      m.window = k.window == '' and 0 or now + tonumber(k.window)
      m.digest = m.digest or redis.sha1hex(string.sub(k.names, ELEMENT_PAYLOAD))
      k.message = m
      records[2 * i - 1] = k.field
      records[2 * i] = record_text(m, now)
      local own = record_field(m.kind, m.id)
      if own ~= k.field then
        names[#names + 1] = own
        names[#names + 1] = k.field
      end
      names[#names + 1] = by_key[i]
      names[#names + 1] = k.field
      most = math.max(most, m.kept - now)
    end
    redis.call('HSET', KEYS[6], unpack(records))
    expire_extend(KEYS[6], most)
    redis.call('HSET', KEYS[7], unpack(names))
    expire_extend(KEYS[7], most)
  end)
  if not ok then
    return refusal('HSET', {err = type(err) == 'table' and err.err or tostring(err)})
  end
end

function keyed.write()
  local problem = name_messages()
  for i = 1, problem and 0 or #noted do
    local k = noted[i]
    local set = redis.pcall('SET', k.record, k.text, 'PX', k.window)
    if failed(set) then
      return refusal('SET', set)
    end
    k.set = true
  end
  return problem
end

function keyed.undo()
  for _, k in ipairs(noted) do
    if k.set then
      redis.pcall('DEL', k.record)
    end
  end
  if written then
    restore(KEYS[6], fields, had)
    restore(KEYS[7], by_key, named)
  end
  for _, k in ipairs(moved) do
    redis.pcall('ZADD', KEYS[1], 'XX', k.score, k.old)
  end
end

-- sweep() looks at records of messages, and goes on while many are over, at two for each
-- message that was written.
local function sweep()
  local some, looked, gone = math.min(2 * #decided, 10), 0, 0
  local by_others = vanished(KEYS[1], KEYS[4], KEYS[8], now)
  repeat
    gone = attempts_sweep(KEYS[6], KEYS[7], KEYS[8], now, some, by_others)
    looked = looked + some
  until gone < some / 5 or looked >= 2 * #decided
end

function keyed.clean()
  if #decided == 0 then
    return
  end
  pcall(function() -- lets a take know them again by their payload
    local index, most = {}, 0
    for _, k in ipairs(decided) do
      local m = k.message
      index[#index + 1] = 0
      index[#index + 1] = index_member(m.digest, m.failed, k.field)
      most = math.max(most, m.kept - now)
    end
    redis.call('ZADD', KEYS[8], unpack(index))
    expire_extend(KEYS[8], most)
  end)
  for _, k in ipairs(moved) do
    trace_moved(KEYS[5], k.old, k.new_due, tonumber(argv[3]), now)
  end
  if #replaced > 0 then
    local old = {}
    for i, k in ipairs(replaced) do
      old[i] = k.old
    end
    -- The new ones are in: what fails from here on doubles, and never loses.
    redis.call('ZREM', KEYS[1], unpack(old))
    for _, k in ipairs(replaced) do
      if argv[4] == '1' then
        redis.pcall('LREM', KEYS[2], 1, k.old)
      end
      pcall(record_drop, KEYS[6], KEYS[7], KEYS[8], k.first.field)
      trace_gone(KEYS[5], k.old)
    end
  end
  pcall(sweep)
end

return keyed
