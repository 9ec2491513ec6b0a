-- header: element 0 of a list of bodies in flight; needs nothing.
--   '1', or '2' once the handler of a suspect has begun (see suspect) | fetch number %016d | slots %04d | slots x due record (41 bytes; dashes
--   where unknown; slots = number of bodies, or 0 when none is known)
--   | trace entries: index %04d, trace record (82 bytes)
local HEAD, DUE, TRACE = 21, 41, 82
local NO_DUE = string.rep('-', DUE)

local function header_pack(fetch, slots, dues, traces)
  return '1' .. string.format('%016.0f%04d', fetch, slots) .. dues .. traces
end

local function header_fetch(header)
  return tonumber(string.sub(header, 2, 17)) or 0
end

-- header_parts(header) returns the due slots and the trace entries as text.
local function header_parts(header)
  local tail = HEAD + (tonumber(string.sub(header, 18, 21)) or 0) * DUE
  return string.sub(header, HEAD + 1, tail), string.sub(header, tail + 1)
end

-- header_due(dues, index) returns a due record, nil where unknown.
local function header_due(dues, index)
  local rec = string.sub(dues, (index - 1) * DUE + 1, index * DUE)
  if rec == '' or rec == NO_DUE then
    return nil
  end
  return rec
end

-- header_traces(traces) returns index -> trace record.
local function header_traces(traces)
  local out = {}
  for at = 1, #traces, 4 + TRACE do
    out[tonumber(string.sub(traces, at, at + 3))] = string.sub(traces, at + 4, at + 3 + TRACE)
  end
  return out
end
