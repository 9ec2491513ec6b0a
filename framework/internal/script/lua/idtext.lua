-- idtext: the text of a message's ID; same as FormatID in idtext.go.
-- Needs: hex

-- id_text(kind, due_ms, id) returns it.
local function id_text(kind, due_ms, id)
  if kind == 'x' or not due_ms or due_ms < 0 then
    return ''
  end
  local all = hex_of(id)
  if kind == 'n' then
    all = 'j' .. all
  elseif string.byte(id) == 7 then
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

-- id_parse(text) reads one back: kind, due ms and the 8 bytes; nil where it is none.
local function id_parse(text)
  local due, id = string.match(text, '^(%x+)%-(%w+)$')
  if not id or #id ~= 14 and #id ~= 17 or #due > 14 then
    return nil
  end
  local high, low = string.sub(due, 1, -9), string.sub(due, -8)
  local ms = tonumber(low, 16) + (high == '' and 0 or tonumber(high, 16) * 4294967296)
  local raw = hex_bytes(string.sub(id, #id == 17 and 2 or 1))
  if #id == 14 then
    raw = '\7' .. raw
  end
  if #raw ~= 8 then
    return nil
  end
  return string.sub(id, 1, 1) == 'j' and 'n' or 'u', ms, raw
end
