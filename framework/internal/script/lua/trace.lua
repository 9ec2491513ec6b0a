-- trace: the trace context of an offer, until the message is taken.
-- Needs: layout expire
-- Key: a sorted set, all scores 0. Record and member: see layout. A record is found by its
-- id, or where a transfer by Java dropped that by its payload, each in O(log n), however
-- many payloads are equal.
--
-- Bounds: records of messages that others took stay until they expire, a day after the
-- message was due; but while there are more records than messages pending or ready and
-- 1,000 more, offers remove those of overdue messages, twenty looked at each time. The
-- key ends with its last record.

local TRACE_SLACK = 1000

local function trace_record(kind, due_ms, written_ms, id, context, expiry_ms)
  return kind .. string.format('%016.0f%016.0f', due_ms, written_ms) .. id .. context
    .. string.format('%016.0f', expiry_ms)
end

local function trace_member(name, record)
  return name .. string.sub(record, 1, 1) .. string.sub(record, DUE_ID, DUE_ID_END)
    .. string.sub(record, DUE_MS, DUE_WRITTEN_END) .. string.sub(record, TRACE_CONTEXT)
end

-- trace_of(member) returns the record.
local function trace_of(member)
  return string.sub(member, MEMBER_KIND, MEMBER_KIND) .. string.sub(member, MEMBER_DUE, MEMBER_WRITTEN_END)
    .. string.sub(member, MEMBER_ID, MEMBER_ID_END) .. string.sub(member, MEMBER_CONTEXT)
end

local function trace_due(member)
  return tonumber(string.sub(member, MEMBER_DUE, MEMBER_DUE_END)) or 0
end

local function trace_expiry(member)
  return tonumber(string.sub(member, TRACE_EXPIRY)) or 0
end

-- trace_sweep(key, now, live) removes some expired records, and some of overdue messages
-- while there are too many for live messages; live may be nil. It returns how many of how
-- many.
local function trace_sweep(key, now, live)
  local full = live and redis.call('ZCARD', key) > live + TRACE_SLACK
  local some, gone = redis.call('ZRANDMEMBER', key, full and 20 or 2), {}
  for i = 1, #some do
    if trace_expiry(some[i]) <= now or full and trace_due(some[i]) < now then
      gone[#gone + 1] = some[i]
    end
  end
  if #gone > 0 then
    redis.call('ZREM', key, unpack(gone))
  end
  return #gone, #some
end

-- trace_append(key, name, record, now, live) adds one record for the digest name; live
-- is how many messages are pending or ready, nil where nobody knows.
local function trace_append(key, name, record, now, live)
  redis.call('ZADD', key, 0, trace_member(name, record))
  expire_extend(key, trace_expiry(record) - now)
  trace_sweep(key, now, live)
end

-- trace_append_all(key, members, last, now, live) adds many, of which the last one
-- expires at last. It sweeps on while that finds something, for each one added.
local function trace_append_all(key, members, last, now, live)
  for first = 1, #members, 400 do
    local args = {}
    for i = first, math.min(first + 399, #members) do
      args[#args + 1] = 0
      args[#args + 1] = members[i]
    end
    redis.call('ZADD', key, unpack(args))
  end
  expire_extend(key, last - now)
  local looked, gone, some = 0, 0, 0
  repeat
    gone, some = trace_sweep(key, now, live)
    looked = looked + math.max(some, 1)
  until gone < some / 5 or gone == 0 or looked >= 2 * #members
end

-- Behind its name, and behind kind and id, no member has a byte 255: that ends a range.

-- trace_find(key, name, kindid) returns the member of an id (9 bytes), or nil.
local function trace_find(key, name, kindid)
  local from = name .. kindid
  return redis.call('ZRANGEBYLEX', key, '[' .. from, '(' .. from .. '\255', 'LIMIT', 0, 1)[1]
end

-- trace_candidates(key, name, most, now) returns members of a payload, the oldest due time first,
-- out of the first so many.
local function trace_candidates(key, name, most, now)
  local found = redis.call('ZRANGEBYLEX', key, '[' .. name, '(' .. name .. '\255', 'LIMIT', 0, most)
  local out = {}
  for i = 1, #found do
    if trace_expiry(found[i]) > now then
      out[#out + 1] = found[i]
    end
  end
  table.sort(out, function(a, b)
    return trace_due(a) < trace_due(b)
  end)
  return out
end
