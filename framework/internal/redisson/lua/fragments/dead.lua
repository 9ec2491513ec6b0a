-- dead: the dead store, a stream with the raw bytes and the reason.

-- dead_add(key, m) appends one message; m has body, reason, detail, digest, at
-- and optionally delivered, failed, died, due, id, trace, and the history of a message
-- that was redriven.
local function dead_add(key, m)
  local entry = {
    'body', m.body, 'reason', m.reason, 'detail', m.detail or '',
    'delivered', m.delivered or 0, 'failed', m.failed or 0, 'died', m.died or 0,
    'due', m.due or '', 'id', m.id or '', 'trace', m.trace or '',
    'digest', m.digest, 'at', m.at,
  }
  if m.history and m.history ~= '' then
    entry[#entry + 1] = 'history'
    entry[#entry + 1] = m.history
  end
  return redis.call('XADD', key, '*', unpack(entry))
end

-- id_text(kind, due_ms, id) returns the text of FormatID in idtext.go.
local function id_text(kind, due_ms, id)
  if kind == 'x' or not due_ms or due_ms < 0 then
    return ''
  end
  local hex = {}
  for i = 1, 8 do
    hex[i] = string.format('%02x', string.byte(id, i))
  end
  local all = table.concat(hex)
  if kind == 'n' then
    all = 'j' .. all
  elseif hex[1] == '07' then
    all = string.sub(all, 3)
  else
    all = 'd' .. all
  end
  local high, low = math.floor(due_ms / 4294967296), due_ms % 4294967296
  if high > 0 then
    return string.format('%x%08x-', high, low) .. all
  end
  return string.format('%x-', low) .. all
end
