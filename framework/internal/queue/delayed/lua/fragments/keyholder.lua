-- keyholder: whether the message that a key names still holds the key.
-- Needs: layout duerecord attempts locate vanished
-- A key is held by its message while that is pending. For a fixed window it is held as well
-- while the message is known to be ready or in flight, and once it was handled. Whatever else
-- became of the message frees the key: a second message is better than none.

local READY_NEAR = 64

-- ready_near(queue, due, field, m) is whether a message is among the ready ones, as far as the
-- due list tells: its entries have the order of due times, but for what was given back or pushed,
-- which is found near its place only. O(log n).
local function ready_near(queue, due, field, m)
  local ready, entries = redis.call('LLEN', queue), redis.call('LLEN', due)
  if ready == 0 or entries < ready then
    return false
  end
  local first, id = entries - ready, string.sub(field, 2)
  local low, high = 0, ready -- places of the ready list
  while low < high do
    local middle = math.floor((low + high) / 2)
    local entry = redis.call('LINDEX', due, first + middle)
    local at = tonumber(string.sub(entry, DUE_MS, DUE_MS_END)) or 0
    if at < m.due or at == m.due and begins_before(string.sub(entry, DUE_ID, DUE_ID_END), id) then
      low = middle + 1
    else
      high = middle
    end
  end
  local from = math.max(low - READY_NEAR, 0)
  for i, entry in ipairs(redis.call('LRANGE', due, first + from, first + low + READY_NEAR)) do
    if due_known(entry) and string.sub(entry, DUE_ID, DUE_ID_END) == id and record_field(due_kind(entry), id) == field then
      -- Where others removed messages from the middle, the entry stands beside another one.
      local body = redis.call('LINDEX', queue, from + i - 1)
      return body and due_name(body) == string.sub(entry, ENTRY_NAME)
    end
  end
  return false
end

-- record_out(queue, due, ids, field, m) is whether a message that is not pending is known to be
-- ready or in flight.
local function record_out(queue, due, ids, field, m)
  return not m.handled and (not record_waits(ids, field, m) or ready_near(queue, due, field, m))
end

-- key_holder(field, value, now, timeout, queue, due, ids) is told what the key names: the field
-- and the record of the message. It returns nil where that is no record, or a table: field, m,
-- element and score where it is pending, and holds: 'k' where it holds the key and is still to be
-- handled, 'h' where it was handled.
local function key_holder(field, value, now, timeout, queue, due, ids)
  local m = field and record_read(value, now)
  if not m then
    return nil
  end
  local h = {field = field, m = m}
  if m.handled then
    h.holds = m.window > now and 'h' or nil
    return h
  end
  local element, _, score = record_element(timeout, field, m)
  h.element, h.score = element, score
  if element or m.window > now and record_out(queue, due, ids, field, m) then
    h.holds = 'k'
  end
  return h
end
