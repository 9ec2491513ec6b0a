-- dedup: what is remembered of an offer with a key.
-- Record: due ms %016d | the element, so that it is found whatever its due time is
-- now.

local function dedup_record(due_ms, element)
  return string.format('%016.0f', due_ms) .. element
end

-- dedup_read(record) returns the element and its due ms as text, nil for no record
-- or one that is not ours.
local function dedup_read(record)
  if not record or #record < 32 or string.find(string.sub(record, 1, 16), '%D') then
    return nil
  end
  return string.sub(record, 17), ms_text(tonumber(string.sub(record, 1, 16)))
end
