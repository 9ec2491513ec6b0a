-- release: gives messages back to the head of the queue, oldest first, uncharged.
-- Needs: types clock refusal attempts hash due giveback base header bury
-- KEYS: 1 queue  2 stage  3 attempts  4 due list  5 trace  6 names  7 ids
--       8... lists, oldest fetch first
-- ARGV: 1 '' or, where the stage is to be given back too, since when what lies there became
--       ready, see due_since  2 most bytes at a time
--       3... per list the indexes in order, each with 's' behind it when its handler had
--       started: "3,4s,7"; '*' means all
-- Reply: {given back, gone, given back from the stage, left, cancelled, more}
--   left: how many of the indexes, the first ones, are to be given back by another call
--   more: 1 where the stage, which goes first, is to be given back by another call, too
-- What was cancelled while it was in flight (see forbid) is dropped.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list', KEYS[3], 'hash', KEYS[4], 'list',
  KEYS[5], 'zset', KEYS[6], 'hash', KEYS[7], 'zset')
for i = 8, #KEYS do
  wrong = wrong or wrong_type(KEYS[i], 'list')
end
if wrong then
  return wrong
end
local queue, stage, given, gone, staged, dropped = KEYS[1], KEYS[2], 0, 0, 0, 0
local bytes, most, more = 0, tonumber(ARGV[2]), 0
begin(KEYS[3])
local back, records, now, left = returned(), {}, clock_now(), 0
if ARGV[1] ~= '' then
  staged, bytes = back.stage(stage, queue, KEYS[4], most, now, ARGV[1])
  more = bytes >= most and redis.call('EXISTS', stage) or 0
end
for k = #KEYS, 8, -1 do
  local list, nonce = KEYS[k], nonce_of(KEYS[k])
  local wanted = {}
  if ARGV[k - 5] == '*' then
    for index = 1, redis.call('LLEN', list) - 1 do
      wanted[index] = {index, false}
    end
  else
    for index, s in string.gmatch(ARGV[k - 5], '(%d+)(s?)') do
      wanted[#wanted + 1] = {tonumber(index), s == 's'}
    end
  end
  local slots, entries, cancelled, taken = '', {}, '', 0
  local header = bytes < most and redis.call('LINDEX', list, 0)
  if header then
    local d, t, c = header_parts(header)
    slots, entries, cancelled, taken = d, header_traces(t), c, header_taken(header)
  end
  for w = #wanted, 1, -1 do
    local index = wanted[w][1]
    local body = bytes < most and index > 0 and redis.call('LINDEX', list, index)
    if bytes >= most then
      left = left + 1
    elseif body and not settled(nonce, body) then
      bytes = bytes + #body + 1000
      local rec = header_due(slots, index)
      local kind, origin, id = slot_id(rec, nonce, index, taken)
      local field, drop = record_field(kind, id), header_cancelled(cancelled, index)
      if not drop then
        redis.call('LPUSH', queue, body)
      end
      local set = redis.pcall('LSET', list, index, tomb(nonce, 'released'))
      if failed(set) then
        if not drop then
          redis.call('LTRIM', queue, 1, -1) -- or each repetition would add another copy
        end
        return refusal('LSET', set)
      end
      if drop then
        dropped = dropped + 1
        record_drop(KEYS[3], KEYS[6], KEYS[7], field)
      else
        given = given + 1
        back.add(body, rec or due_record('g', origin, now, id), entries[index])
        local m = record_read(redis.call('HGET', KEYS[3], field), now)
        if m or wanted[w][2] then
          m = m or record_new(kind, origin, id)
          m.delivered = m.delivered + (wanted[w][2] and 1 or 0)
          came_back(m, body, rec)
          records[#records + 1] = {field, m}
        end
      end
    else
      gone = gone + 1
    end
  end
end
for _, r in ipairs(records) do
  record_wait(KEYS[3], KEYS[6], KEYS[7], r[1], r[2], now)
end
back.give(queue, KEYS[4], KEYS[5], now)
return {given, gone, staged, left, dropped, more}
