-- giveback: what follows a body that returns to the queue or leaves it: its due and
-- trace records and its counters; needs base, hash, header, digest, due, attempts, dead.

-- front(values, field, rec) collects records that go before what a hash holds;
-- called newest first.
local function front(values, field, rec)
  if rec then
    values[field] = rec .. (values[field] or '')
  end
end

local function give_back(key, values)
  local fields, merged = {}, {}
  for f in pairs(values) do
    fields[#fields + 1] = f
  end
  local held = hmget(key, fields)
  for i, f in ipairs(fields) do
    merged[f] = values[f] .. (held[i] or '')
  end
  put(key, merged)
end

-- hex_of(bytes) writes bytes in hex.
local function hex_of(bytes)
  return (string.gsub(bytes, ".", function(c)
    return string.format("%02x", string.byte(c))
  end))
end

-- context_of(rec) and due_of(rec) read the parts the dead store keeps.
local function context_of(trace)
  if not trace then
    return ''
  end
  return string.sub(trace, 42, 66)
end

local function due_of(rec)
  if not rec then
    return '', ''
  end
  local due = tonumber(string.sub(rec, 2, 17))
  return ms_text(due), id_text(string.sub(rec, 1, 1), due, string.sub(rec, 34, 41))
end

-- bury(key, now, body, reason, detail, delivered, failed, died, due, trace, history)
-- appends to the dead store and returns the entry id. due and trace are records or nil.
local function bury(key, now, body, reason, detail, delivered, failed, died, due, trace, history)
  local ms, id = due_of(due or trace)
  return dead_add(key, {body = body, reason = reason, detail = detail,
    delivered = delivered, failed = failed, died = died,
    due = ms, id = id, trace = context_of(trace), digest = digest(body), at = ms_text(now),
    history = attempts_told(history)})
end
