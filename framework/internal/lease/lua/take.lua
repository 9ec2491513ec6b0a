-- take: acks what is done, renews the session's lease, takes up to n messages.
-- Needs: clock digest records due trace attempts dead base header giveback settle.
-- KEYS: 1 queue  2 stage  3 sessions  4 fetches  5 list of this fetch  6 attempts
--       7 due  8 trace  9 dead  10... lists of the acks
-- ARGV: 1 session  2 nonce  3 fetch number  4 n  5 lease ms  6 continuing 0|1
--       7 max payload bytes  8 due records 0|1  9 max bytes of the batch
--       10... acks, see settle
-- Reply, an array of strings:
--   1 "lost now deadline open stale repeat suspect": lost=1 when a continuing
--     session was not registered any more; now, deadline in server ms; open =
--     fetches of the session before this one; stale = acks without effect;
--     repeat=1 when this nonce had been answered before; suspect=1 when the one
--     message was in flight in two processes that died
--   2 sizes of the bodies, separated by spaces     3 the bodies, concatenated
--   4 due slots, 5 trace entries, see header
--   6 "index delivered failed died field" of messages with counters, by ';'
--   7 "reason size digest entry" of messages moved to the dead store, by ';'
-- A reply of the first element alone: nothing was ready.
local queue, stage, sessions, fetches, list = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local session, nonce, want = ARGV[1], ARGV[2], tonumber(ARGV[4])
local max_payload, max_batch = tonumber(ARGV[7]), tonumber(ARGV[9])

-- Reads first: each fails on a key of the wrong type before anything is written.
local staged, ready = redis.call('LLEN', stage), redis.call('LLEN', queue)
local held, open = redis.call('LLEN', list), redis.call('SCARD', fetches)
redis.call('ZSCORE', sessions, session)
local has_attempts, has_due, has_trace = false, false, false
if redis.call('EXISTS', KEYS[6], KEYS[7], KEYS[8], KEYS[9]) > 0 then
  has_attempts = redis.call('HLEN', KEYS[6]) > 0
  has_due = redis.call('HLEN', KEYS[7]) > 0 and ARGV[8] == '1'
  has_trace = redis.call('HLEN', KEYS[8]) > 0
  redis.call('XLEN', KEYS[9])
end
local acks = acks_read(10, 10)

acks_apply(acks, fetches, KEYS[6])
local now = clock_now()
local deadline = ms_text(now + tonumber(ARGV[5]))
local lost = 0
if redis.call('ZADD', sessions, deadline, session) == 1 and ARGV[6] == '1' then
  lost = 1
end
local function head(again, suspect)
  return lost .. ' ' .. ms_text(now) .. ' ' .. deadline .. ' ' .. open .. ' '
    .. acks.stale .. ' ' .. again .. ' ' .. suspect
end

-- load_counters(bodies) returns the fields and values of the attempts hash.
local function load_counters(bodies)
  local fields = {}
  for i, b in ipairs(bodies) do
    fields[i] = redis.sha1hex(b)
  end
  return fields, hmget(KEYS[6], fields)
end

local function answer(bodies, dues, traces, again, suspect, buried)
  local sizes, seen = {}, {}
  for i = 1, #bodies do
    sizes[i] = #bodies[i]
  end
  if has_attempts then
    local fields, values = load_counters(bodies)
    for i, v in ipairs(values) do
      if v then
        local d, f, x = attempts_parse(v)
        seen[#seen + 1] = i .. ' ' .. d .. ' ' .. f .. ' ' .. x .. ' ' .. fields[i]
        if x >= 2 and #bodies == 1 then
          suspect = 1
        end
      end
    end
  end
  return {head(again, suspect), table.concat(sizes, ' '), table.concat(bodies), dues, traces,
    table.concat(seen, ';'), table.concat(buried, ';')}
end

if held > 0 then
  local dues, traces = header_parts(redis.call('LINDEX', list, 0))
  return answer(redis.call('LRANGE', list, 1, -1), dues, traces, 1, 0, {})
end

local bodies = {}
local from_stage = math.min(staged, want)
local from_queue = math.min(ready, want - from_stage)
if from_stage > 0 then
  bodies = redis.call('LRANGE', stage, 0, from_stage - 1)
end
if from_queue > 0 then
  local more = redis.call('LRANGE', queue, 0, from_queue - 1)
  if from_stage == 0 then
    bodies = more
  else
    for i = 1, #more do
      bodies[from_stage + i] = more[i]
    end
  end
end
if #bodies == 0 then
  return {head(0, 0)}
end

-- Choose: a suspect goes alone, so the batch ends before it; what is too large or
-- killed three processes goes to the dead store.
local values, suspect, bytes, keep, bad, used = {}, 0, 0, {}, {}, #bodies
local fields
if has_attempts then
  fields, values = load_counters(bodies)
end
for i, b in ipairs(bodies) do
  local died = 0
  if values[i] then
    local _, _, x = attempts_parse(values[i])
    died = x
  end
  if #b > max_payload then
    bad[i] = 'oversized'
  elseif died >= 3 then
    bad[i] = 'crash-loop'
  elseif #keep > 0 and (died >= 2 or bytes + #b > max_batch) then
    used = i - 1
    break
  else
    keep[#keep + 1] = i
    bytes = bytes + #b
    if died >= 2 then
      suspect, used = 1, i
      break
    end
  end
end
local all = #keep == #bodies

-- first_due(values) looks the due records up: index -> record, and what remains.
local function first_due()
  local names, recs, rest, any = {}, {}, {}, false
  for i = 1, used do
    names[i] = due_field(bodies[i])
  end
  local found = hmget(KEYS[7], names)
  for i = 1, used do
    local name = names[i]
    local value = rest[name] or found[i]
    if value and #value >= DUE then
      recs[i], rest[name], any = string.sub(value, 1, DUE), string.sub(value, DUE + 1), true
    end
  end
  return recs, rest, any
end

-- first_trace(recs) picks the trace record with the same id as the due record, or
-- the oldest where no due record is known.
local function first_trace(recs)
  local names, out, rest = {}, {}, {}
  for i = 1, used do
    names[i] = digest(bodies[i])
  end
  local found = hmget(KEYS[8], names)
  for i = 1, used do
    local name = names[i]
    local value = rest[name] or found[i]
    if value then
      value = trace_fresh(value, now)
      local at = 1
      if recs[i] then
        local same = string.sub(recs[i], 1, 17) .. string.sub(recs[i], 34, 41)
        while at <= #value and string.sub(value, at, at + 16) .. string.sub(value, at + 33, at + 40) ~= same do
          at = at + TRACE
        end
      end
      if at <= #value then
        out[i] = string.sub(value, at, at + TRACE - 1)
        value = string.sub(value, 1, at - 1) .. string.sub(value, at + TRACE)
      end
      rest[name] = value
    end
  end
  return out, rest
end

local recs, due_rest, any_due = {}, {}, false
if has_due then
  recs, due_rest, any_due = first_due()
end
local traced, trace_rest = {}, {}
if has_trace then
  traced, trace_rest = first_trace(recs)
end

-- Bury before removing.
local buried, forget = {}, {}
for i = 1, used do
  if bad[i] then
    local b, d, f, x = bodies[i], attempts_parse(values[i])
    local detail = 'died with ' .. x .. ' processes'
    if bad[i] == 'oversized' then
      detail = #b .. ' bytes, limit ' .. max_payload
    end
    local entry = bury(KEYS[9], now, b, bad[i], detail, d, f, x, recs[i], traced[i])
    buried[#buried + 1] = bad[i] .. ' ' .. #b .. ' ' .. digest(b) .. ' ' .. entry
    if values[i] then
      forget[#forget + 1] = fields[i]
    end
  end
end

local taken, slots, entries = bodies, {}, {}
if not all then
  taken = {}
  for k, i in ipairs(keep) do
    taken[k] = bodies[i]
  end
end
for k, i in ipairs(keep) do
  if any_due then
    slots[k] = recs[i] or NO_DUE
  end
  if traced[i] then
    entries[#entries + 1] = string.format('%04d', k) .. traced[i]
  end
end
local dues, traces = table.concat(slots), table.concat(entries)

-- Copy first, remove last.
if #taken > 0 then
  redis.call('SADD', fetches, nonce)
  if #taken < CHUNK then
    redis.call('RPUSH', list, header_pack(tonumber(ARGV[3]), #slots, dues, traces), unpack(taken))
  else
    redis.call('RPUSH', list, header_pack(tonumber(ARGV[3]), #slots, dues, traces))
    spread('RPUSH', list, taken)
  end
end
local unstage = math.min(from_stage, used)
if unstage > 0 then
  redis.call('LTRIM', stage, unstage, -1)
end
if used > unstage then
  redis.call('LTRIM', queue, used - unstage, -1)
end
if any_due then
  put(KEYS[7], due_rest)
end
if has_trace then
  put(KEYS[8], trace_rest)
end
spread('HDEL', KEYS[6], forget)
return answer(taken, dues, traces, 0, suspect, buried)
