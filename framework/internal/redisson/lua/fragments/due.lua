-- due: when a ready message was due, and its id; needs records.
-- Field: the payload itself up to 512 bytes, else '#' .. sha1hex(payload).
-- Record, 41 bytes: kind 1 | due ms %016d | written ms %016d | id 8.

local function due_field(payload)
  if #payload <= 512 then
    return payload
  end
  return '#' .. redis.sha1hex(payload)
end

local function due_record(kind, due_ms, written_ms, id)
  return kind .. string.format('%016.0f%016.0f', due_ms, written_ms) .. id
end

-- due_append(key, fields, records, replace) appends records[i] under fields[i];
-- replace forgets what the fields held before this call.
local function due_append(key, fields, records, replace)
  local held = {}
  if not replace then
    held = records_load(key, fields)
  end
  for i, f in ipairs(fields) do
    held[f] = (held[f] or '') .. records[i]
  end
  records_store(key, held)
end

-- due_pop(key, payloads) takes the first record of each payload and returns a
-- list of records, false where there is none.
local function due_pop(key, payloads)
  local fields = {}
  for i, p in ipairs(payloads) do
    fields[i] = due_field(p)
  end
  local held, popped, touched = records_load(key, fields), {}, {}
  for i, f in ipairs(fields) do
    local value = held[f]
    if #value >= 41 then
      popped[i] = string.sub(value, 1, 41)
      held[f] = string.sub(value, 42)
      touched[f] = held[f]
    else
      popped[i] = false
    end
  end
  records_store(key, touched)
  return popped
end

-- due_push(key, payloads, records) puts records back before all others, for
-- messages that return to the head; records[i] may be false.
local function due_push(key, payloads, records)
  local fields = {}
  for i, p in ipairs(payloads) do
    fields[i] = due_field(p)
  end
  local held, touched = records_load(key, fields), {}
  for i = #fields, 1, -1 do
    if records[i] then
      held[fields[i]] = records[i] .. held[fields[i]]
      touched[fields[i]] = held[fields[i]]
    end
  end
  records_store(key, touched)
end

-- due_sweep(key, now, ready) looks at a few fields and removes those written more
-- than an hour ago, only while the hash holds more fields than messages are
-- ready: then some belong to messages that Java consumed.
local function due_sweep(key, now, ready)
  if redis.call('HLEN', key) <= ready then
    return
  end
  local some = redis.call('HRANDFIELD', key, 4, 'WITHVALUES')
  for i = 1, #some, 2 do
    local written = tonumber(string.sub(some[i + 1], -24, -9))
    if not written or now - written > 3600000 then
      redis.call('HDEL', key, some[i])
    end
  end
end
