-- moveclaim: puts messages of a queue aside, on their way to another queue.
-- Needs: types clock layout duerecord digest due trace element attempts
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 attempts  5 names  6 ids  7 traces
--        8 due list  9 control  10 aside
-- ARGV: 1 header of the batch, see move.go  2 most messages, at most 100  3 most bytes, give or
--        take one message  4 name of the other queue, for those who look
-- Reply: what lies aside: the header, then six texts for each message: score, '' for a ready one;
--        element, or payload of a ready one; due record of a ready one, or ''; field and value of
--        its record, or ''; member of the traces, or ''. Empty where the queue has no message.
--
-- What lies aside already is an earlier batch that nobody has brought to its end: that is the
-- reply then, and nothing is claimed. So a repetition is harmless. The copy is written first, in
-- one command, which a full Redis refuses.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'hash', KEYS[5], 'hash',
  KEYS[6], 'zset', KEYS[7], 'zset', KEYS[8], 'list', KEYS[9], 'hash', KEYS[10], 'list')
if wrong then
  return wrong
end
local aside = redis.call('LRANGE', KEYS[10], 0, -1)
if #aside > 0 then
  return aside
end
local now = clock_now()
local most, most_bytes = tonumber(ARGV[2]), tonumber(ARGV[3])
local bytes, bodies, elements, scores = 0, {}, {}, {}
while #bodies < most and bytes < most_bytes do
  local body = redis.call('LINDEX', KEYS[3], #bodies)
  if not body then
    break
  end
  bodies[#bodies + 1] = body
  bytes = bytes + #body
end
while #bodies + #elements < most and bytes < most_bytes do
  local found = redis.call('ZRANGE', KEYS[1], #elements, #elements, 'WITHSCORES')
  if not found[1] then
    break
  end
  elements[#elements + 1] = found[1]
  scores[#elements] = found[2]
  bytes = bytes + #found[1]
end
if #bodies + #elements == 0 then
  return {}
end

-- beside(payload, kind, id) returns what is kept of a message: field, value, member.
local function beside(payload, kind, id)
  local field, value, member = '', '', ''
  if kind == 'u' or kind == 'n' then
    field = record_field(kind, id)
    value = redis.call('HGET', KEYS[4], field) or ''
  end
  if redis.call('EXISTS', KEYS[7]) == 1 then
    member = trace_find(KEYS[7], digest(payload), kind .. id) or ''
  end
  return field, value, member
end

local out = {ARGV[1]}
local function told(...)
  for _, text in ipairs({...}) do
    out[#out + 1] = text
  end
end
local records, forget = {}, nil
if #bodies > 0 then
  records, forget = due_match(KEYS[8], KEYS[3], bodies, 0, redis.call('LLEN', KEYS[3]), now)
end
for i, body in ipairs(bodies) do
  local record = records[i]
  if record then
    told('', body, record, beside(body, due_kind(record), string.sub(record, DUE_ID, DUE_ID_END)))
  else
    told('', body, '', '', '', '')
  end
end
for i, element in ipairs(elements) do
  local payload, kind, id = element_parse(element, true)
  if payload then
    told(scores[i], element, '', beside(payload, kind, id))
  else
    told(scores[i], element, '', '', '', '')
  end
end
redis.call('RPUSH', KEYS[10], unpack(out))
if #bodies > 0 then
  redis.call('LPOP', KEYS[3], #bodies)
  pcall(forget)
end
for i, element in ipairs(elements) do
  redis.call('ZREM', KEYS[1], element)
  redis.pcall('LREM', KEYS[2], 1, element)
end
for i = 2, #out, 6 do
  if out[i + 4] ~= '' then
    pcall(record_forget, KEYS[4], KEYS[5], KEYS[6], out[i + 3], out[i + 4])
  end
  if out[i + 5] ~= '' then
    redis.pcall('ZREM', KEYS[7], out[i + 5])
  end
end
redis.pcall('HSET', KEYS[9], 'moving', ms_text(now) .. ' ' .. ((#out - 1) / 6) .. ' ' .. ARGV[4])
return out
