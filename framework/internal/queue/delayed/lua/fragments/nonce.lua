-- nonce: what is remembered of an offer with a nonce.
-- Needs: clock layout
-- Record: 'n' | due ms %016d | due ms of its ID %016d | the first 8 bytes of the element of the
-- message that stands for the offer.

local function nonce_record(due_ms, origin_ms, id)
  return 'n' .. string.format('%016.0f%016.0f', due_ms, origin_ms) .. id
end

-- nonce_read(record) returns the 8 bytes, due ms and that of the ID as text; nil for no record
-- or one that is not ours.
local function nonce_read(record)
  if type(record) ~= 'string' or #record ~= NONCE_ID + 7 or not string.find(record, '^n' .. string.rep('%d', 32)) then
    return nil
  end
  return string.sub(record, NONCE_ID), ms_text(tonumber(string.sub(record, NONCE_DUE, NONCE_DUE_END))),
    ms_text(tonumber(string.sub(record, NONCE_ORIGIN, NONCE_ORIGIN_END)))
end
