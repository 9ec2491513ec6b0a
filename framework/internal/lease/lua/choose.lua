-- choose: the part of take for all but the plainest batch, as the body of a function
-- choose(bodies, max_payload, max_batch, due_on, now), so that its helpers are made
-- only when it runs. It reads and writes nothing. Returns a table:
--   used        how many of bodies leave the queue
--   taken       those that are handed out     suspect  1 when it is one alone
--   dues, traces    slots and entries of the header
--   due_rest, trace_rest    what remains of the side hashes, by field
--   seen        counters of the reply          bury     what goes to the dead store
local attempts, due, trace, dead = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local plan = {used = #bodies, taken = {}, suspect = 0, due_rest = {}, trace_rest = {}, seen = {}, bury = {}}

local counted, values, fields = redis.call('HLEN', attempts) > 0, {}, {}
if counted then
  for i = 1, #bodies do
    fields[i] = redis.sha1hex(bodies[i])
  end
  values = hmget(attempts, fields)
end

-- A suspect goes alone, so the batch ends before it; what is too large or killed
-- three processes goes to the dead store.
local keep, bad, bytes = {}, {}, 0
for i, b in ipairs(bodies) do
  local died = 0
  if values[i] then
    local _, _, x = attempts_parse(values[i], now)
    died = x
  end
  if #b > max_payload then
    bad[i] = 'oversized'
  elseif died >= 3 then
    bad[i] = 'crash-loop'
  elseif #keep > 0 and (died >= 2 or bytes + #b > max_batch) then
    plan.used = i - 1
    break
  else
    keep[#keep + 1] = i
    bytes = bytes + #b
    if died >= 2 then
      plan.suspect, plan.used = 1, i
      break
    end
  end
end
local used = plan.used

local recs, any = {}, false
if due_on then
  local names = {}
  for i = 1, used do
    names[i] = due_field(bodies[i])
  end
  local found, rest = hmget(due, names), plan.due_rest
  for i = 1, used do
    local value = rest[names[i]] or found[i]
    if value and #value >= DUE then
      recs[i], any = string.sub(value, 1, DUE), true
      rest[names[i]] = string.sub(value, DUE + 1)
    end
  end
end

-- The trace record with the same due and id as the due record, or the oldest one
-- where no due record is known.
local traced = {}
if redis.call('HLEN', trace) > 0 then
  local names = {}
  for i = 1, used do
    names[i] = digest(bodies[i])
  end
  local found, rest = hmget(trace, names), plan.trace_rest
  for i = 1, used do
    local value = rest[names[i]] or found[i]
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
        traced[i] = string.sub(value, at, at + TRACE - 1)
        value = string.sub(value, 1, at - 1) .. string.sub(value, at + TRACE)
      end
      rest[names[i]] = value
    end
  end
end

local slots, entries = {}, {}
for k, i in ipairs(keep) do
  plan.taken[k] = bodies[i]
  if any then
    slots[k] = recs[i] or NO_DUE
  end
  if traced[i] then
    entries[#entries + 1] = string.format('%04d', k) .. traced[i]
  end
  if values[i] then
    plan.seen[#plan.seen + 1] = counters(k, fields[i], values[i], now)
  end
end
plan.dues, plan.traces = table.concat(slots), table.concat(entries)

for i = 1, used do
  if bad[i] then
    redis.call('XLEN', dead) -- fails on a wrong type before anything is written
    local d, f, x, history = attempts_parse(values[i], now)
    local detail = 'was in flight in ' .. x .. ' processes that died'
    if bad[i] == 'oversized' then
      detail = #bodies[i] .. ' bytes, limit ' .. max_payload
    end
    plan.bury[#plan.bury + 1] = {bodies[i], bad[i], detail, d, f, x, recs[i], traced[i], values[i] and fields[i], history}
  end
end

-- plan.write() buries: before anything is removed from the queue.
plan.write = function()
  local out = {}
  for i, m in ipairs(plan.bury) do
    local entry = bury(dead, now, m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[10])
    out[i] = m[2] .. ' ' .. #m[1] .. ' ' .. digest(m[1]) .. ' ' .. entry
    if m[9] then
      redis.call('HDEL', attempts, m[9])
    end
  end
  return table.concat(out, ';')
end
plan.forget = function()
  put(due, plan.due_rest)
  put(trace, plan.trace_rest)
end
return plan
