-- bury: what a message that leaves a fetch takes along, into the dead store or back to the
-- queue.
-- Needs: clock layout digest idtext dead

-- context_of(trace) reads the part of a trace record that the dead store keeps.
local function context_of(trace)
  if not trace then
    return ''
  end
  return string.sub(trace, TRACE_CONTEXT, TRACE_CONTEXT_END)
end

-- due_of(rec) is when a message was due, nil where unknown: no record, or one that knows
-- the id alone.
local function due_of(rec)
  if not rec or string.sub(rec, 1, 1) == 'g' then
    return nil
  end
  return tonumber(string.sub(rec, DUE_MS, DUE_MS_END))
end

-- due_surely(rec) is the same, but nil for a guess as well, see due_guess.
local function due_surely(rec)
  return rec and not string.find(rec, '^%u') and due_of(rec) or nil
end

-- bury(key, now, body, reason, detail, m, rec, context) appends to the dead store and returns
-- the entry id. m is a message's record, rec its due record or nil.
local function bury(key, now, body, reason, detail, m, rec, context)
  local due = due_of(rec)
  return dead_add(key, {body = body, reason = reason, detail = detail,
    delivered = m.delivered, failed = m.failed, died = m.died, hung = m.hung,
    due = due and ms_text(due) or '', id = id_text(m.kind, m.origin, m.id),
    trace = context, digest = digest(body), at = ms_text(now), key = m.key, history = m.history})
end

-- came_back(m, body, rec) changes the record of a message that returns to the ready
-- list: where it is found again, and since when it is due.
local function came_back(m, body, rec)
  m.due = due_of(rec) or 0
  m.first = m.first or due_surely(rec)
  m.digest = redis.sha1hex(body)
end
