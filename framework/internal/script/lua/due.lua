-- due: when a ready message was due, and its id.
-- Needs: layout duerecord expire
-- Key: a list parallel to the ready list. Whoever puts bodies to the end of the ready
-- list puts entries to the end of this one; whoever returns bodies to its head puts
-- entries before those of what is ready; whoever takes bodies takes their entries.
-- Entry: see layout. The name is the payload up to 512 bytes, else '#' .. sha1hex(payload).
-- Written is when the message came to be ready: by a transfer, or when it was given back.
--
-- Why it stays right beside others, who know nothing of it:
-- They only pop: then the last entries, as many as messages are ready, are those of the
-- ready messages, in their order. What stands before them is of messages that were
-- popped, or lie in somebody's stage. So equal payloads each get their own entry.
-- Where nothing is ready a mark is put behind all entries: whatever becomes ready later
-- has none before it, only what lies in a stage has.
-- They push too (a transfer by Java): the entry of a message is as near to the end as the
-- message or nearer. Entries are found by payload in a window from that place on; where
-- there are fewer entries than messages, only payloads that occur once are matched, since
-- the entry of an equal one might be of a message that was popped long ago.
-- They remove from the middle: the entries before that place stand a little further from
-- the end than their messages. So a few before the window are looked at, too, for
-- payloads that occur once. A wrong entry is possible only among equal payloads.
--
--   due_entry(record, payload)               an entry, for the calls below
--   due_append(key, entries)                 for bodies put to the end of the ready list
--   due_bound(key, ready, now)               after that: what nobody fetches goes
--   due_push(key, records, bodies, ready, now)   for bodies returned to its head
--   due_match(key, queue, bodies, staged, ready, now, since)   for bodies that are taken

local DUE_SLACK = 1000 -- entries beyond the ready messages: of stages and of what was removed
local DUE_NEAR = 64    -- how far a take looks around the place of an entry
local DUE_DEEP = 2000  -- and how far, now and then, where nothing was there
local DUE_READ = 65536 -- bytes: how much a take reads of ready messages, to compare them
local DUE_OLDER = 60000 -- ms: how much older than since an entry may be, as a guess; two leases
local DUE_KEEP = 600000 -- ms: how long an idle queue keeps entries of what may lie in a stage
local DUE_NONE = string.rep('-', DUE_BYTES)
local DUE_MARK = string.rep('-', DUE_MS_END) -- then written and 8 dashes, and no payload

local function due_record(kind, due_ms, written_ms, id)
  return kind .. string.format('%016.0f%016.0f', due_ms, written_ms) .. id
end

-- due_guess(record) turns the record of an equal payload into one for a message that has none: a
-- capital letter as its kind says that it is a guess.
local function due_guess(record)
  return string.upper(string.sub(record, 1, 1)) .. string.sub(record, 2)
end

local function due_marks(entry)
  return #entry == DUE_BYTES and not due_known(entry) and string.byte(entry, DUE_WRITTEN) ~= 45
end

-- due_entry(record, payload); record may be nil or false.
local function due_entry(record, payload)
  return (record or DUE_NONE) .. due_name(payload)
end

local function due_write(command, key, entries, first, last)
  for i = first, last, 900 do
    redis.call(command, key, unpack(entries, i, math.min(i + 899, last)))
  end
end

-- due_append(key, entries) belongs to bodies that were put to the end of the ready list.
local function due_append(key, entries)
  due_write('RPUSH', key, entries, 1, #entries)
end

-- due_bound(key, ready, now) removes the entries of messages that others took: all but
-- the last ready + 1000, and all of them where nothing is ready and has not been for ten
-- minutes. Where nothing is ready it puts the mark.
local function due_bound(key, ready, now)
  local length = redis.call('LLEN', key)
  if length == 0 then
    return
  end
  if ready == 0 then
    local last = redis.call('LINDEX', key, -1)
    local marked = due_marks(last)
    if marked and (length == 1 or (tonumber(string.sub(last, DUE_WRITTEN, DUE_WRITTEN_END)) or 0) < now - DUE_KEEP) then
      redis.call('DEL', key)
      return
    end
    if not marked then
      redis.call('RPUSH', key, DUE_MARK .. string.format('%016.0f', now) .. '--------')
      length = length + 1
    end
  end
  while length > ready and due_marks(redis.call('LINDEX', key, 0)) do -- of no use at the head
    redis.call('LTRIM', key, 1, -1)
    length = length - 1
  end
  if length > ready + DUE_SLACK then
    redis.call('LTRIM', key, -(ready + DUE_SLACK), -1)
  end
  expire_extend(key, EXPIRE_DAY)
end

-- due_push(key, records, bodies, ready, now) belongs to bodies that were put before ready
-- others; they and their records (or false) are in the order of the queue. What stands
-- before the entries of those others, of stages and of messages that were popped, stays
-- there.
local function due_push(key, records, bodies, ready, now)
  local length, any = redis.call('LLEN', key), false
  for i = 1, #bodies do
    any = any or records[i]
  end
  if #bodies == 0 or length == 0 and not any then
    return
  end
  local edge = math.max(length - ready, 0)
  local beyond = edge
  for i, entry in ipairs(redis.call('LRANGE', key, edge, edge + DUE_NEAR - 1)) do
    beyond = due_marks(entry) and edge + i or beyond
  end
  local kept = {}
  if beyond > 0 then
    kept = redis.call('LRANGE', key, math.max(beyond - DUE_SLACK, 0), beyond - 1)
    redis.call('LTRIM', key, beyond, -1)
  end
  local entries, n, written = {}, #bodies, string.format('%016.0f', now)
  for i = 1, n do
    local r = records[i]
    entries[n + 1 - i] = due_entry(r and string.sub(r, 1, DUE_MS_END) .. written .. string.sub(r, DUE_ID), bodies[i])
  end
  for i = #kept, 1, -1 do
    entries[#entries + 1] = kept[i]
  end
  due_write('LPUSH', key, entries, 1, #entries)
  expire_extend(key, EXPIRE_DAY)
end

-- due_since(text, now) returns ms of Redis's clock. text is "ms ago", of one moment at which
-- the session found nothing: what the clock showed, and how many ms ago that is. The clock
-- has gone back where the former is less long ago. The latter counts then.
local function due_since(text, now)
  local ms, ago = string.match(text, '^(%S+) (%d+)$')
  return math.min(tonumber(ms), now - ago)
end

-- due_match(key, queue, bodies, staged, ready, now, since) finds the entries of bodies: the first
-- staged of them come from a stage, where they came to lie after since, see due_since, the others
-- are the first of ready messages. It returns their records (nil where unknown), a function
-- that removes what was found, for after the bodies were removed, and one that calls each
-- with the records of ready messages nearby that are not among bodies. It reads, and writes
-- nothing.
local function due_match(key, queue, bodies, staged, ready, now, since)
  local length, count = redis.call('LLEN', key), #bodies
  local names, waiting, equal = {}, {}, {}
  for i = 1, count do
    local name = due_name(bodies[i])
    names[i] = name
    equal[name] = (equal[name] or 0) + 1
  end
  local records, used, entries, found = {}, {}, {}, 0
  since = staged > 0 and due_since(since, now)

  -- The entries, by their place: 1 is the first of the list.
  local function read(from, to)
    local got = redis.call('LRANGE', key, from - 1, to - 1)
    for i = 1, #got do
      entries[from + i - 1] = got[i]
    end
    return from + #got - 1
  end
  local function use(i, at, guess)
    if due_known(entries[at]) then
      local record = string.sub(entries[at], 1, DUE_BYTES)
      records[i] = guess and due_guess(record) or record
    end
    used[at], found = true, found + 1
    names[i] = nil
  end

  -- What came from a stage was ready after since: its entry is one of the last before
  -- those of what is ready. The newest of equal ones is the one that is never too old; but it
  -- may be that of another stage, which then finds an older one, and takes that as a guess.
  local edge = math.max(length - ready, 0)
  local low, left = edge + 1, staged
  for i = 1, staged do
    local name = names[i]
    waiting[name] = waiting[name] or {}
    table.insert(waiting[name], i)
  end
  local fresh = true
  while left > 0 and fresh and low > 1 and edge - low < DUE_SLACK do
    local from = math.max(low - DUE_NEAR, 1)
    read(from, low - 1)
    for at = low - 1, from, -1 do
      local entry = entries[at]
      local of = waiting[string.sub(entry, ENTRY_NAME)]
      local written = tonumber(string.sub(entry, DUE_WRITTEN, DUE_WRITTEN_END)) or now
      fresh = written >= since - DUE_OLDER
      if not fresh then
        break
      end
      if of and #of > 0 and not due_marks(entry) then
        use(table.remove(of), at, written < since)
        left = left - 1
      end
    end
    low = from
  end

  -- The window: from the place of the first ready body on.
  local missing = 0
  for i = 1, count do
    if names[i] then
      missing = missing + 1
    end
  end
  local from, to = math.max(edge + 1 - DUE_NEAR, 1), edge + count - staged + DUE_NEAR
  if missing > 0 then
    if low > edge then
      low = from
      to = read(from, to)
    else
      to = read(edge + 1, to)
      from = low
    end
    local places, after, mark = {}, {}, 0
    for at = from, to do
      local entry = entries[at]
      if due_marks(entry) and at <= edge + DUE_NEAR then -- as far as due_push looks for it
        mark = at
      elseif not used[at] then
        local name = string.sub(entry, ENTRY_NAME)
        if equal[name] then
          places[name] = places[name] or {}
          table.insert(places[name], at)
        end
      end
    end
    local unread = DUE_READ
    -- another(at, body) is whether the ready message at the place of an entry differs from body;
    -- false, too, where enough was read.
    local function another(at, body)
      if unread <= 0 then
        return false
      end
      local there = redis.call('LINDEX', queue, at - length - 1)
      unread = unread - (there and #there or 0)
      return there ~= body
    end
    local sure = length - found >= ready and mark <= edge
    for i = 1, count do
      local name = names[i]
      local of = name and places[name]
      if of then
        local k, behind = after[name] or 1, i > staged and mark or edge
        while of[k] and of[k] <= behind do
          k = k + 1
        end
        local once, place = equal[name] == 1 and k == #of, length - ready + i - staged
        while sure and not once and of[k] and of[k] < place do
          k = k + 1
        end
        -- Where an equal message is ready, the entry belongs to that one.
        once = once and (i > staged or another(of[k], bodies[i]))
        if of[k] and (once or sure and i > staged) then
          use(i, of[k])
          k = k + 1
        end
        after[name] = k
      end
    end
  end

  -- Entries of messages that were popped may stand before, more than the window holds.
  local deep = nil
  if found == 0 and count > staged and length > to and now % 8 == 0 then
    local last = read(to + 1, to + DUE_DEEP)
    local of, first = {}, to + 1
    for i = staged + 1, count do
      if equal[names[i]] == 1 then
        of[names[i]] = i
      end
    end
    for at = first, last do
      first = due_marks(entries[at]) and at + 1 or first
    end
    for at = first, last do
      local i = of[string.sub(entries[at], ENTRY_NAME)]
      if i and names[i] then
        deep = deep or at
        use(i, at)
      end
    end
    to = last
  end

  -- What stands between and before them may be of stages, and stays.
  local function forget()
    local last = 0
    for at in pairs(used) do
      last = math.max(last, at)
    end
    if found > 0 and found == last then
      redis.call('LTRIM', key, last, -1)
    elseif found > 0 then
      for at in pairs(used) do
        redis.call('LSET', key, at - 1, '')
      end
      if deep then
        redis.call('LTRIM', key, math.max(deep - DUE_NEAR - 1, 0), -1)
      end
      redis.call('LREM', key, 0, '')
    end
    due_bound(key, math.max(ready + staged - count, 0), now)
  end
  local function others(each)
    for at = edge + 1, to do
      if entries[at] and not used[at] and due_known(entries[at]) then
        each(string.sub(entries[at], 1, DUE_BYTES))
      end
    end
  end
  return records, forget, others
end
