-- trace: the trace context of an offer, until the message is taken; needs
-- digest and records.
-- Field: digest(payload). Record, 82 bytes:
-- kind 1 | due ms %016d | written ms %016d | id 8 | context 25 | expiry ms %016d.

local function trace_record(kind, due_ms, written_ms, id, context, expiry_ms)
  return kind .. string.format('%016.0f%016.0f', due_ms, written_ms) .. id .. context
    .. string.format('%016.0f', expiry_ms)
end

-- trace_fresh(value, now) drops expired records from the front.
local function trace_fresh(value, now)
  while #value >= 82 and (tonumber(string.sub(value, 67, 82)) or 0) <= now do
    value = string.sub(value, 83)
  end
  if #value < 82 then
    return ''
  end
  return value
end

-- trace_append(key, field, record, now) adds one record and removes the expired
-- ones of the field and of a few other fields.
local function trace_append(key, field, record, now)
  local some = redis.call('HRANDFIELD', key, 2, 'WITHVALUES')
  for i = 1, #some, 2 do
    if trace_fresh(some[i + 1], now) == '' then
      redis.call('HDEL', key, some[i])
    end
  end
  local held = redis.call('HGET', key, field) or ''
  redis.call('HSET', key, field, trace_fresh(held, now) .. record)
end

-- trace_append_all(key, fields, added, now) does the same for many: added holds the
-- records of each field. It looks at twenty other fields, and at more, up to two for each
-- one added, while a fifth of them had expired.
local function trace_append_all(key, fields, added, now)
  local looked, expired = 0, nil
  repeat
    local some = redis.call('HRANDFIELD', key, 20, 'WITHVALUES')
    expired = {}
    for i = 1, #some, 2 do
      if trace_fresh(some[i + 1], now) == '' then
        expired[#expired + 1] = some[i]
      end
    end
    if #expired > 0 then
      redis.call('HDEL', key, unpack(expired))
    end
    looked = looked + 20
  until #expired < 4 or looked >= 2 * #fields
  local held = records_load(key, fields)
  for f, value in pairs(held) do
    held[f] = trace_fresh(value, now) .. added[f]
  end
  records_store(key, held)
end

-- trace_pop(key, payloads, ids, now) takes one record of each payload: the one
-- whose kind and id are ids[i] (9 bytes), else the first. ids[i] may be false.
-- It returns a list of records, false where there is none.
local function trace_pop(key, payloads, ids, now)
  local fields = {}
  for i, p in ipairs(payloads) do
    fields[i] = digest(p)
  end
  local held, popped, touched = records_load(key, fields), {}, {}
  for i, f in ipairs(fields) do
    local value = trace_fresh(held[f], now)
    popped[i] = false
    if value ~= '' then
      local at = 1
      if ids[i] then
        for j = 1, #value - 81, 82 do
          if string.sub(value, j, j) .. string.sub(value, j + 33, j + 40) == ids[i] then
            at = j
            break
          end
        end
      end
      popped[i] = string.sub(value, at, at + 81)
      value = string.sub(value, 1, at - 1) .. string.sub(value, at + 82)
    end
    if value ~= held[f] then
      held[f] = value
      touched[f] = value
    end
  end
  records_store(key, touched)
  return popped
end

-- trace_reschedule(key, payload, id, due_ms, expiry_ms) changes the record of a
-- message whose due time changed; id as in trace_pop.
local function trace_reschedule(key, payload, id, due_ms, expiry_ms)
  local field = digest(payload)
  local value = redis.call('HGET', key, field) or ''
  for j = 1, #value - 81, 82 do
    if string.sub(value, j, j) .. string.sub(value, j + 33, j + 40) == id then
      value = string.sub(value, 1, j) .. string.format('%016.0f', due_ms) .. string.sub(value, j + 17, j + 65)
        .. string.format('%016.0f', expiry_ms) .. string.sub(value, j + 82)
      redis.call('HSET', key, field, value)
      return
    end
  end
end
