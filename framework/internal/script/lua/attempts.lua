-- attempts: what is known of a message beside its element.
-- Needs: layout expire index
-- A hash. Field, 9 bytes: kind 'u' or 'n' and the 8 bytes of id of the element that is
-- pending or was last. Value: "delivered,failed,died;" and what layout says. Before died stands
-- a zero for each time that its handler hung: versions that do not count these read the same
-- numbers, and drop the zeros where they write. The due time
-- is that of the element, 0 where unknown; where unknown, first due time and the sha1hex of
-- the payload are dashes.
-- Where its key stays taken for a fixed time, ",w" and the ms at which that ends stand behind
-- died. Once the message was handled this is ",h", nothing but ID, due time and key is kept,
-- until then, and the first due time is when it was handled.
--
-- Most messages have none: it exists for those that failed, came back, were rescheduled or
-- redriven, or have a key. What the message is called beside its field stands in a second
-- hash, names: 'k' .. key -> field, and the ID, where that is not the field, -> field. In
-- the index (sha1hex of the payload) stands what waits and is in nobody's hands, so that a
-- take knows it again whose ID a transfer by Java has dropped.
--
-- Who takes a message away that waits for its retry may know nothing of this: Java. So a
-- record is over a week after its message was due or came back, one that only has a key
-- after a day; a sweep takes the latter sooner where nobody has the message, see vanished. Its
-- counters are told by the value alone to be over: a sweep takes none that counts.

local ATTEMPTS_KEEP, ATTEMPTS_IDLE, HUNG_MOST = 604800000, 86400000, 99

local function record_field(kind, id)
  return (kind == 'n' and 'n' or 'u') .. id
end

-- record_new(kind, due, id) is that of a message whose ID is these three.
local function record_new(kind, due, id)
  return {delivered = 0, failed = 0, died = 0, hung = 0, kind = kind, origin = due, id = id, key = '', history = '', due = 0, window = 0}
end

-- record_read(value, now) returns a table, or nil for what is no record. Counters that are
-- over are zero.
local function record_read(value, now)
  local at = value and string.find(value, ';', 1, true)
  if not at or #value < at + RECORD_LENGTH_END then
    return nil
  end
  local part = function(from, to)
    return string.sub(value, at + from, at + to)
  end
  local length = tonumber(part(RECORD_LENGTH, RECORD_LENGTH_END))
  local kept = tonumber(part(RECORD_KEPT, RECORD_KEPT_END))
  local m = record_new(part(RECORD_KIND, RECORD_KIND), tonumber(part(RECORD_ORIGIN, RECORD_ORIGIN_END)),
    part(RECORD_ID, RECORD_ID_END))
  if not kept or not length or not m.origin then
    return nil
  end
  local d, f, zeros, x, window = string.match(string.sub(value, 1, at - 1), '^(%d+),(%d+),(0*)(%d+)(.*)$')
  local state, ends = string.match(window or '', '^,([wh])(%d+)$')
  m.window, m.handled = tonumber(ends) or 0, state == 'h'
  m.indexed = tonumber(f) or 0 -- what its member of the index has, over or not
  if kept >= now then
    m.delivered, m.failed, m.died, m.hung = tonumber(d) or 0, m.indexed, tonumber(x) or 0, #(zeros or '')
  end
  m.kept, m.due = kept, tonumber(part(RECORD_DUE, RECORD_DUE_END)) or 0
  m.first = tonumber(part(RECORD_FIRST, RECORD_FIRST_END))
  m.digest = part(RECORD_DIGEST, RECORD_DIGEST_END)
  if string.sub(m.digest, 1, 1) == '-' then
    m.digest = nil
  end
  m.key = part(RECORD_KEY, RECORD_LENGTH_END + length)
  m.history = string.sub(value, at + RECORD_KEY + length)
  return m
end

-- record_text(m, now) writes it, and says until when it is kept.
local function record_text(m, now)
  local keep = ATTEMPTS_KEEP
  if m.delivered + m.failed + m.died == 0 and m.history == '' and m.due == m.origin then
    keep = ATTEMPTS_IDLE
  end
  m.kept = m.handled and m.window or math.max(m.due, now) + keep
  local window = m.window > 0 and (m.handled and ',h' or ',w') .. string.format('%.0f', m.window) or ''
  local first = m.first and string.format('%016.0f', m.first) or '----------------'
  local hung = string.rep('0', math.min(m.hung, HUNG_MOST))
  return string.format('%d,%d,%s%d%s;%016.0f%016.0f', m.delivered, m.failed, hung, m.died, window, m.kept, m.due)
    .. m.kind .. string.format('%016.0f', m.origin) .. m.id .. first
    .. (m.digest or string.rep('-', 40)) .. string.format('%04d', #m.key) .. m.key .. m.history
end

-- record_put(attempts, names, field, m, now) writes a record and its names. A key that was
-- offered again names the later message.
local function record_put(attempts, names, field, m, now)
  redis.call('HSET', attempts, field, record_text(m, now))
  expire_extend(attempts, m.kept - now)
  local own, named = record_field(m.kind, m.id), false
  if own ~= field then
    redis.call('HSET', names, own, field)
    named = true
  end
  if m.key ~= '' then
    local other = redis.call('HGET', names, 'k' .. m.key)
    if not other or not redis.call('HGET', attempts, other) then
      redis.call('HSET', names, 'k' .. m.key, field)
    end
    named = true
  end
  if named then
    expire_extend(names, m.kept - now)
  end
end

-- record_wait(attempts, names, ids, field, m, now) writes that of a message which is in
-- nobody's hands, and lets a take find it by its payload.
local function record_wait(attempts, names, ids, field, m, now)
  record_put(attempts, names, field, m, now)
  if m.indexed and m.indexed > m.failed then
    index_remove(ids, m.digest, m.indexed, field) -- of counters that are over
  end
  index_add(ids, m.digest, m.failed, field, m.kept - now)
end

-- record_unname(names, name, field) removes a name, unless it is another message's by now.
local function record_unname(names, name, field)
  if redis.call('HGET', names, name) == field then
    redis.call('HDEL', names, name)
  end
end

-- record_forget(attempts, names, ids, field, value) removes a record with its names.
local function record_forget(attempts, names, ids, field, value)
  redis.call('HDEL', attempts, field)
  local m = record_read(value, 0)
  if not m then
    return
  end
  if m.key ~= '' then
    record_unname(names, 'k' .. m.key, field)
  end
  local own = record_field(m.kind, m.id)
  if own ~= field then
    record_unname(names, own, field)
  end
  if m.digest then
    index_remove(ids, m.digest, m.indexed, field)
  end
end

-- record_handled(attempts, names, ids, field, value, now) does so for a message that was handled.
-- Of one whose key stays taken it keeps what tells that.
local function record_handled(attempts, names, ids, field, value, now)
  local m = record_read(value, 0)
  record_forget(attempts, names, ids, field, value)
  if m and m.window > now then
    local r = record_new(m.kind, m.origin, m.id)
    r.key, r.due, r.first, r.window, r.handled = m.key, m.due, now, m.window, true
    record_put(attempts, names, field, r, now)
  end
end

-- record_drop(attempts, names, ids, field) does so for a message that may have none.
local function record_drop(attempts, names, ids, field)
  local value = redis.call('HGET', attempts, field)
  if value then
    record_forget(attempts, names, ids, field, value)
  end
end

-- attempts_sweep(attempts, names, ids, now, some, vanished) looks at some records and forgets
-- those that are over, or for which vanished(field, record) holds where it is given. It returns
-- how many.
local function attempts_sweep(attempts, names, ids, now, some, vanished)
  local gone = 0
  for _, field in ipairs(redis.call('HRANDFIELD', attempts, some)) do
    local value = redis.call('HGET', attempts, field)
    local m = record_read(value, 0)
    if not m or m.kept < now or vanished and vanished(field, m) then
      record_forget(attempts, names, ids, field, value)
      gone = gone + 1
    end
  end
  return gone
end
