-- forbid: looks for a message among fetches, and forbids its retry: a nack then ends it,
-- and who gives it back drops it. The header of its list says so.
-- Needs: clock stopwatch layout attempts header base
-- KEYS: 1... lists in flight
-- ARGV: 1 kind u or n and 8 bytes of the id that its element had  2 '1' to forbid
--       3 µs after which no further list is looked at
-- Reply: {number of the list, index, ms of the take, µs}, {0, lists looked at, '', µs}
--   where none of those has it
local field, id = ARGV[1], string.sub(ARGV[1], 2)
local _, seconds, micros = clock_now()
local spent = stopwatch(seconds, micros)

-- place(header, nonce) returns the message's index in a fetch.
local function place(header, nonce)
  local dues = header_parts(header)
  local from = 1
  while true do
    local at = string.find(dues, id, from, true)
    if not at then
      break
    end
    local index = (at - DUE_ID) / DUE_BYTES + 1
    if index == math.floor(index) then
      local kind, _, found = slot_id(header_due(dues, index), nonce, index, 0)
      if record_field(kind, found) == field then
        return index
      end
    end
    from = at + 1
  end
  -- One that came without an id has it from its place.
  local index = string.byte(id, 7) * 256 + string.byte(id, 8)
  local kind, _, minted = slot_id(header_due(dues, index), nonce, index, 0)
  if index > 0 and record_field(kind, minted) == field then
    return index
  end
end

for i = 1, #KEYS do
  if i % 32 == 0 and (spent() or 0) >= tonumber(ARGV[3]) then
    return {0, i - 1, '', spent()}
  end
  local header = redis.call('LINDEX', KEYS[i], 0)
  local index = header and place(header, nonce_of(KEYS[i]))
  local body = index and redis.call('LINDEX', KEYS[i], index)
  if body and not settled(nonce_of(KEYS[i]), body) then
    local dues, _, cancelled = header_parts(header)
    if ARGV[2] == '1' and not header_cancelled(cancelled, index) then
      redis.call('LTRIM', KEYS[i], 0, -1) -- a removing no-op, so that a full Redis accepts the rest
      local at = HEAD_BYTES + #dues + #cancelled
      redis.call('LSET', KEYS[i], 0, string.sub(header, 1, HEAD_TAKEN_END) .. string.format('%04d', #cancelled / 4 + 1)
        .. string.sub(header, HEAD_BYTES + 1, at) .. string.format('%04d', index) .. string.sub(header, at + 1))
    end
    return {i, index, ms_text(header_taken(header)), spent() or 0}
  end
end
return {0, #KEYS, '', spent() or 0}
