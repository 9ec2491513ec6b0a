-- choose: the part of take for all but the plainest batch.
-- Needs: clock layout duerecord digest due trace element index attempts dueat hash counters
--        header bury base
-- Function: choose(bodies, max_payload, max_batch, due_on, now, staged, ready, place, slots, since)
-- slots are the due records where all are known, else nil. It reads and writes nothing, and
-- returns a table:
--   used        how many of bodies leave the queue
--   taken       those that are handed out     suspect  1 when it is one alone
--   dues, traces    slots and entries of the header
--   seen        counters of the reply          bury     what goes to the dead store
local attempts, due, trace, dead = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local timeout, names, ids = KEYS[10], KEYS[11], KEYS[12]
local plan = {used = #bodies, taken = {}, suspect = 0, seen = {}, bury = {}}

-- element(field, body) is what is pending under a kind and id.
local function element(field, body)
  return (string.sub(field, 1, 1) == 'n' and '\8' or '') .. element_pack(string.sub(field, 2), body)
end

-- field_of(record) is the field of the message that a due record names.
local function field_of(record)
  return record_field(due_kind(record), string.sub(record, DUE_ID, DUE_ID_END))
end

local recs, forget_due, others = {}, nil, nil
if due_on then
  if slots then
    for i = 1, #bodies do
      recs[i] = due_known(slots[i]) and slots[i] or nil
    end
  elseif place > 0 then
    recs, forget_due = due_at(due, bodies[1], place, ready, now)
  else
    recs, forget_due, others = due_match(due, KEYS[1], bodies, staged, ready, now, since)
  end
end

-- The trace record with the id of the due record. Where no due record is known, one of
-- an equal payload that is not pending, which then serves as the due record, too, as a guess: it is
-- due, or Java has moved its message early.
local traced, members = {}, {}
if redis.call('ZCARD', trace) > 0 then
  local waiting, leaving = {}, {}
  for i = 1, #bodies do
    local name = digest(bodies[i])
    if recs[i] then
      local member = trace_find(trace, name, due_kind(recs[i]) .. string.sub(recs[i], DUE_ID, DUE_ID_END))
      if member and not leaving[member] then
        members[i], leaving[member] = member, true
        traced[i] = trace_expiry(member) > now and trace_of(member) or nil
      end
    else
      waiting[name] = waiting[name] or {}
      table.insert(waiting[name], i)
    end
  end
  for name, of in pairs(waiting) do
    local next_one, body = 1, bodies[of[1]]
    local most = math.max(1, math.min(#bodies + 16, math.floor(262144 / (#body + 1))))
    local candidates, elements = trace_candidates(trace, name, most, now), {}
    for n, member in ipairs(candidates) do
      elements[n] = element(string.sub(member, MEMBER_KIND, MEMBER_ID_END), body)
    end
    -- What is pending still has its ID to itself.
    local pending = #elements > 0 and redis.call('ZMSCORE', timeout, unpack(elements)) or {}
    for n, member in ipairs(candidates) do
      local i = of[next_one]
      if i and not leaving[member] and not pending[n] then
        members[i], traced[i] = member, trace_of(member)
        recs[i] = due_guess(string.sub(traced[i], 1, DUE_BYTES))
        next_one = next_one + 1
      end
    end
  end
end

-- What is known of each message: by its id, else by its payload.
local fields, known = {}, {}
if redis.call('HLEN', attempts) > 0 then
  local claimed, places = {}, {}
  for i = 1, #bodies do
    local kind = recs[i] and due_kind(recs[i]) or 'x'
    if kind ~= 'x' then
      fields[i] = field_of(recs[i])
      claimed[fields[i]] = true
      places[#places + 1] = i
    end
  end
  local wanted = {}
  for k, i in ipairs(places) do
    wanted[k] = fields[i]
  end
  for k, value in ipairs(hmget(attempts, wanted)) do
    known[places[k]] = record_read(value, now)
  end

  -- waiting(name, size) returns the records of an equal payload, in the order of the
  -- index, that are in nobody's hands and whose element is not pending any more.
  local function waiting(name, body)
    local most = math.max(1, math.min(256, math.floor(262144 / (#body + 1))))
    local fields_of, elements, out = {}, {}, {}
    for _, found in ipairs(index_find(ids, name, most)) do
      local field, m = found[2], nil
      local ask = not claimed[field]
      -- A large body is not copied to ask with where its record is gone, or nothing is
      -- pending when that is due.
      if ask and #body > 65536 then
        m = record_read(redis.call('HGET', attempts, field), now)
        m = m and m.digest == name and m or nil
        ask = m and m.due > 0 and redis.call('ZCOUNT', timeout, ms_text(m.due), ms_text(m.due)) > 0
      end
      if m and not ask then
        out[#out + 1] = {field, m}
      elseif ask then
        local n = #fields_of + 1
        fields_of[n] = field
        elements[n] = element(field, body)
      end
    end
    if #fields_of == 0 then
      return out
    end
    local scores = redis.call('ZMSCORE', timeout, unpack(elements))
    for n, value in ipairs(hmget(attempts, fields_of)) do
      local m = not scores[n] and record_read(value, now)
      if m and m.digest == name then
        out[#out + 1] = {fields_of[n], m}
      end
    end
    return out
  end

  if redis.call('ZCARD', ids) > 0 then
    local found = {}
    if others and #places < #bodies then
      others(function(rec)
        claimed[field_of(rec)] = true
      end)
    end
    for i, b in ipairs(bodies) do
      if not fields[i] then
        local name = redis.sha1hex(b)
        found[name] = found[name] or waiting(name, b)
        local first = table.remove(found[name], 1)
        if first then
          fields[i], known[i] = first[1], first[2]
          claimed[fields[i]] = true
          local kind, due, id = string.sub(fields[i], 1, 1), first[2].due, string.sub(fields[i], 2)
          recs[i] = due > 0 and due_guess(due_record(kind, due, now, id)) or due_record('g', first[2].origin, now, id)
        end
      end
    end
  end
end

-- A suspect goes alone, so the batch ends before it; what is too large or killed
-- three processes goes to the dead store.
local keep, bad, bytes = {}, {}, 0
for i, b in ipairs(bodies) do
  local died = known[i] and known[i].died or 0
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
if slots then
  forget_due = function()
    redis.call('LTRIM', due, used, -1)
  end
elseif forget_due and used < #bodies then -- the records of those that stay, stay
  local _
  _, forget_due = due_match(due, KEYS[1], {unpack(bodies, 1, used)}, math.min(staged, used), ready, now, since)
end

local slots, entries, any = {}, {}, false
for k, i in ipairs(keep) do
  plan.taken[k] = bodies[i]
  slots[k] = recs[i] or DUE_NONE
  any = any or recs[i]
  if traced[i] then
    entries[#entries + 1] = string.format('%04d', k) .. traced[i]
  end
  if known[i] then
    plan.seen[#plan.seen + 1] = counters(k, fields[i], known[i])
  end
end
plan.dues, plan.traces = any and table.concat(slots) or '', table.concat(entries)

for i = 1, used do
  if bad[i] then
    redis.call('XLEN', dead) -- fails on a wrong type before anything is written
    local kind, origin, id = slot_id(recs[i], ARGV[2], 65535 - i, now)
    local m = known[i] or record_new(kind, origin, id)
    local detail = 'was in flight in ' .. m.died .. ' processes that died'
    if bad[i] == 'oversized' then
      detail = #bodies[i] .. ' bytes, limit ' .. max_payload
    end
    plan.bury[#plan.bury + 1] = {bodies[i], bad[i], detail, m, recs[i], traced[i], known[i] and fields[i]}
  end
end

-- plan.write() buries, before anything is removed from the queue: all or none.
plan.write = function()
  local out, entries = {}, {}
  local ok, problem = pcall(function()
    for i, m in ipairs(plan.bury) do
      entries[i] = bury(dead, now, m[1], m[2], m[3], m[4], m[5], context_of(m[6]))
      out[i] = m[2] .. ' ' .. #m[1] .. ' ' .. digest(m[1]) .. ' ' .. entries[i]
    end
  end)
  if not ok then
    spread('XDEL', dead, entries)
    error(problem, 0)
  end
  for _, m in ipairs(plan.bury) do
    if m[7] then
      record_drop(attempts, names, ids, m[7])
    end
  end
  return table.concat(out, ';')
end
plan.forget = function()
  if forget_due then
    forget_due()
  end
  local leaving = {}
  for i = 1, used do
    leaving[#leaving + 1] = members[i]
    -- What is in somebody's hands is not for others to find.
    if known[i] and known[i].digest then
      index_remove(ids, known[i].digest, known[i].indexed, fields[i])
    end
  end
  spread('ZREM', trace, leaving)
end
return plan
