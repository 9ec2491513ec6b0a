-- header: element 0 of a list of bodies in flight.
-- Needs: layout duerecord hex
-- Text:
--   '1', or '2' once the handler of a suspect has begun (see suspect) | numbers, see layout
--   | slots x due record (slots = number of bodies, or 0 when none is known)
--   | indexes %04d of cancelled messages, see forbid
--   | trace entries: index %04d, trace record
local function header_fetch(header)
  return tonumber(string.sub(header, HEAD_FETCH, HEAD_FETCH_END)) or 0
end

-- header_taken(header) returns when the bodies were taken, in ms.
local function header_taken(header)
  return tonumber(string.sub(header, HEAD_TAKEN, HEAD_TAKEN_END)) or 0
end

-- header_parts(header) returns the due slots, the trace entries and the cancelled indexes
-- as text.
local function header_parts(header)
  local dues = HEAD_BYTES + (tonumber(string.sub(header, HEAD_SLOTS, HEAD_SLOTS_END)) or 0) * DUE_BYTES
  local cancelled = dues + (tonumber(string.sub(header, HEAD_CANCELLED, HEAD_CANCELLED_END)) or 0) * 4
  return string.sub(header, HEAD_BYTES + 1, dues), string.sub(header, cancelled + 1), string.sub(header, dues + 1, cancelled)
end

-- header_cancelled(cancelled, index) reports whether a message may not be retried.
local function header_cancelled(cancelled, index)
  local want = string.format('%04d', index)
  for at = 1, #cancelled, 4 do
    if string.sub(cancelled, at, at + 3) == want then
      return true
    end
  end
  return false
end

-- slot_id(rec, nonce, index, taken) returns kind, due and 8 bytes of the element id that a
-- message had, from its due record. One that came without an id has one that follows from
-- its place in the fetch, so that nothing need be written for it. Kind 'g' is a record of
-- such an id: its time is that of the first take, the due time is unknown.
local function slot_id(rec, nonce, index, taken)
  local kind = rec and due_kind(rec)
  local due = rec and tonumber(string.sub(rec, DUE_MS, DUE_MS_END)) or taken
  if kind and kind ~= 'x' then
    return kind == 'n' and 'n' or 'u', due, string.sub(rec, DUE_ID, DUE_ID_END)
  end
  return 'u', due, '\7' .. hex_bytes(string.sub(nonce, 1, 10)) .. string.char(math.floor(index / 256), index % 256)
end

-- header_due(dues, index) returns a due record, nil where unknown.
local function header_due(dues, index)
  local rec = string.sub(dues, (index - 1) * DUE_BYTES + 1, index * DUE_BYTES)
  if rec == '' or not due_known(rec) then
    return nil
  end
  return rec
end

-- header_traces(traces) returns index -> trace record.
local function header_traces(traces)
  local out = {}
  for at = 1, #traces, 4 + TRACE_BYTES do
    out[tonumber(string.sub(traces, at, at + 3))] = string.sub(traces, at + 4, at + 3 + TRACE_BYTES)
  end
  return out
end
