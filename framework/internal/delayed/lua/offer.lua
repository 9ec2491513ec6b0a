-- offer: put one element into the delayed structures.
-- Needs: types clock refusal layout digest trace add origin
-- KEYS: 1 timeout set  2 pending list  3 channel  4 ready list  5 traces  6 attempts
-- ARGV: 1 element (07 id[7] u64le payload)
--        2 'in' (3 is a delay in ms) or 'at' (3 is a due time in ms)
--        3 delay or due time
--        4 age of the offer in whole ms when this is a resend, '' on a first try
--        5 trace context (25 bytes) or ''
--        6 how long after its due time the trace record lives, in ms
--        7 '1' where the pending list is kept
-- Reply: {status, due ms as text, head (1 or 0), seconds, microseconds}, and where it is
--        'pending' the due ms of the ID: it may have been retried or rescheduled since
--        status 'added'; 'pending': an earlier try had added it; 'taken': the id
--        exists already on a first try; 'unknown': a resend came too late to tell
--        added from delivered; 'range': due time at or beyond 2^53. Only 'added'
--        changed anything.
--
-- The first write is ZADD, so that a full Redis refuses the offer. The due time
-- counts from the clock of Redis rounded up: an offer is never delivered before
-- its whole delay has passed. Only the trace record follows what Java needs, and
-- a failure there is not the offer's.

-- Types are checked before the first write where that write would not tell: the
-- ready list and the traces. The other two answer WRONGTYPE themselves, and
-- what was written before is undone.
local traced = ARGV[5] ~= ''
local kind = redis.call('TYPE', KEYS[4]).ok
if traced or kind ~= 'list' and kind ~= 'none' then
  local wrong = wrong_type(KEYS[4], 'list', KEYS[5], 'zset')
  if wrong then
    return wrong
  end
end

local element = ARGV[1]
local _, seconds, micros = clock_now()
local now = seconds * 1000 + math.ceil(micros / 1000)
local age = tonumber(ARGV[4])
local delay = tonumber(ARGV[3])
local due = delay
if ARGV[2] == 'in' then
  due = now + math.max(delay - (age or 0), 0)
else
  delay = due - now + (age or 0)
end
local due_text = ms_text(due)
if due >= 9007199254740992 then
  return {'range', due_text, 0, seconds, micros}
end

if age then
  local score = redis.pcall('ZSCORE', KEYS[1], element)
  if failed(score) then
    return add_explain('ZSCORE', score)
  end
  if score then
    return {'pending', score, 0, seconds, micros, id_due(KEYS[6], string.sub(element, 1, ELEMENT_ID_END), score)}
  end
  if age >= delay then
    return {'unknown', due_text, 0, seconds, micros}
  end
end

local head, problem = add(element, due_text, ARGV[7])
if problem == 'taken' then
  return {'taken', due_text, 0, seconds, micros}
elseif not head then
  return problem
end

if traced then
  pcall(function()
    local record = trace_record('u', due, now, string.sub(element, 1, ELEMENT_ID_END), ARGV[5], due + tonumber(ARGV[6]))
    local live = redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[4])
    trace_append(KEYS[5], digest(string.sub(element, ELEMENT_PAYLOAD)), record, now, live)
  end)
end
return {'added', due_text, head, seconds, micros}
