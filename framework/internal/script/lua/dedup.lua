-- dedup: what is remembered of an offer with a key.
-- Needs: clock layout
-- Record: 'd' where the window lasts until the message is due, else 'w' | due ms %016d
-- | due ms of its ID %016d | the element, so that it is found whatever its due time is now.

local function dedup_record(due_ms, origin_ms, element, until_due)
  return (until_due and 'd' or 'w') .. string.format('%016.0f%016.0f', due_ms, origin_ms) .. element
end

-- dedup_read(record) returns the element, whether the window lasts until it is due, its
-- due ms and that of its ID as text; nil for no record or one that is not ours.
local function dedup_read(record)
  if type(record) ~= 'string' or #record < DEDUP_ELEMENT + 15
    or not string.find(record, '^[dw]' .. string.rep('%d', 32)) then
    return nil
  end
  return string.sub(record, DEDUP_ELEMENT), string.byte(record, 1) == 100,
    ms_text(tonumber(string.sub(record, DEDUP_DUE, DEDUP_DUE_END))),
    ms_text(tonumber(string.sub(record, DEDUP_ORIGIN, DEDUP_ORIGIN_END)))
end
