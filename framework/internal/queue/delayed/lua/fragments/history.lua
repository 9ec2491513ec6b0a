-- history: the deaths of a redriven message. It lies in its record (see attempts) until it
-- is handled or dies again, and then in its entry of the dead store.
-- Text: redriven %06d | records, oldest first.
-- Record: length %04d | "at redriven_at entry reason delivered failed died due id "
-- and what is kept of the detail; "-" for a word that is unknown.

local HISTORY_HEAD, HISTORY_MOST, HISTORY_DETAIL = 6, 8, 200

local function history_word(value)
  local word = string.gsub(value or '', '%s', '_')
  if word == '' then
    return '-'
  end
  return string.sub(word, 1, 64)
end

-- history_add(history, entry, m, now) returns the history of a message that is redriven
-- now: the first death and the latest ones.
local function history_add(history, entry, m, now)
  local text = table.concat({
    history_word(m.at), string.format('%.0f', now), entry, history_word(m.reason),
    history_word(m.delivered), history_word(m.failed), history_word(m.died),
    history_word(m.due), history_word(m.id), string.sub(m.detail or '', 1, HISTORY_DETAIL),
  }, ' ')
  local count, records = tonumber(string.sub(history, 1, 6)) or 0, {}
  local at = HISTORY_HEAD + 1
  while at < #history do
    local length = tonumber(string.sub(history, at, at + 3))
    if not length then
      break
    end
    records[#records + 1] = string.sub(history, at, at + 3 + length)
    at = at + 4 + length
  end
  records[#records + 1] = string.format('%04d', #text) .. text
  if #records > HISTORY_MOST then
    table.remove(records, 2)
  end
  return string.format('%06d', math.min(count + 1, 999999)) .. table.concat(records)
end
