-- pendingfind: a pending message by its ID or its key.
-- Needs: clock attempts locate

-- pending_find(timeout, attempts, names, due_text, name, now) looks for what name says: kind
-- and 8 bytes of an ID, whose due time is due_text, or 'k' .. key. It returns a table with
-- element, score, field, record (m, or nil) and trouble: 'gone' where it is not pending,
-- 'ambiguous', 'unknown key'. O(log n): a message that moved has a record that says where.
local function pending_find(timeout, attempts, names, due_text, name, now)
  local f = {field = redis.call('HGET', names, name)}
  if not f.field then
    if string.byte(name, 1) == 107 then
      return {trouble = 'unknown key'}
    end
    f.field = name
  end
  f.m = record_read(redis.call('HGET', attempts, f.field), now)
  local prefix = string.sub(f.field, 2)
  if string.byte(f.field, 1) == 110 then
    prefix = '\8' .. prefix
  end
  local dues = {}
  if f.m and f.m.due > 0 then
    dues[1] = ms_text(f.m.due)
  end
  if due_text ~= '' and due_text ~= dues[1] then
    dues[#dues + 1] = due_text
  end
  for _, due in ipairs(dues) do
    local element, trouble, score = locate(timeout, due, prefix)
    if element or trouble then
      f.element, f.trouble, f.score = element, trouble, score
      return f
    end
  end
  f.trouble = 'gone'
  return f
end

-- pending_told(f) is the end of a reply: the field, due time and name of the ID, the key, and
-- when it was handled where that is known.
local function pending_told(f)
  if not f.m then
    return f.field or '', '', '', '', ''
  end
  return f.field, ms_text(f.m.origin), record_field(f.m.kind, f.m.id), f.m.key,
    f.m.handled and f.m.first and ms_text(f.m.first) or ''
end
