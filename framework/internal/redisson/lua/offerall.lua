-- offerall: put many elements into the delayed structures in one step.
--
-- keys   1 timeout set, 2 pending list, 3 channel, 4 ready list, 5 trace hash
-- args   1 age of the offers in whole ms when this is a resend, '' on a first try
--        2 trace context (25 bytes) or ''
--        3 how long after its due time a trace record lives, in ms
--        4 '1' where the pending list is kept
--        5... for each: element, 'in' or 'at', delay or due ms
-- reply  {seconds, microseconds, head (1 or 0), one character for each, due ms of each}
--        '+' added; 'p' pending: an earlier try had added it; 't' taken: the id exists
--        already on a first try; 'u' unknown: a resend came too late to tell added from
--        delivered; 'r' due time at or beyond 2^53. Only '+' changed anything.
--
-- The rules are those of offer, but all that can be added is added or nothing: the
-- first write is one ZADD of all, then one RPUSH of all, then one PUBLISH of the
-- earliest due time where that is the head. What fails undoes all.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'list', KEYS[5], 'hash')
if wrong then
  return wrong
end
local _, seconds, micros = clock_now()
local now = seconds * 1000 + math.ceil(micros / 1000)
local age = tonumber(ARGV[1])

local elements, n = {}, 0
for i = 5, #ARGV, 3 do
  n = n + 1
  elements[n] = ARGV[i]
end
local held = redis.pcall('ZMSCORE', KEYS[1], unpack(elements))
if failed(held) then
  return add_explain('ZMSCORE', held)
end

local status, dues, pairs_new, new, seen = {}, {}, {}, {}, {}
local texts = {['in'] = {}, ['at'] = {}}
local earliest, earliest_element
for i = 1, n do
  local at = 5 + 3 * (i - 1)
  -- Many have the same delay or due time: its text is made once.
  local known = texts[ARGV[at + 1]]
  local delay = tonumber(ARGV[at + 2])
  local due = delay
  if ARGV[at + 1] == 'in' then
    due = now + math.max(delay - (age or 0), 0)
  else
    delay = due - now + (age or 0)
  end
  local text = known[ARGV[at + 2]]
  if not text then
    text = ms_text(due)
    known[ARGV[at + 2]] = text
  end
  dues[i] = text
  if held[i] then
    status[i] = age and 'p' or 't'
    dues[i] = age and held[i] or dues[i]
  elseif due >= 9007199254740992 then
    status[i] = 'r'
  elseif age and age >= delay then
    status[i] = 'u'
  elseif seen[elements[i]] then
    status[i] = 't'
  else
    status[i] = '+'
    seen[elements[i]] = true
    new[#new + 1] = elements[i]
    pairs_new[#pairs_new + 1] = dues[i]
    pairs_new[#pairs_new + 1] = elements[i]
    if not earliest or due < earliest then
      earliest, earliest_element = due, elements[i]
    end
  end
end

local head = 0
if #new > 0 then
  local added = redis.pcall('ZADD', KEYS[1], unpack(pairs_new))
  if failed(added) then
    return add_explain('ZADD', added)
  end
  if ARGV[4] == '1' then
    local pushed = redis.pcall('RPUSH', KEYS[2], unpack(new))
    if failed(pushed) then
      redis.pcall('ZREM', KEYS[1], unpack(new))
      return add_explain('RPUSH', pushed)
    end
  end
  local refused
  head, refused = add_publish(earliest_element, ms_text(earliest))
  if not head then
    redis.pcall('ZREM', KEYS[1], unpack(new))
    for i = 1, ARGV[4] == '1' and #new or 0 do
      redis.pcall('LREM', KEYS[2], -1, new[i])
    end
    return refusal('PUBLISH', refused)
  end
  if ARGV[2] ~= '' then
    for i = 1, n do
      if status[i] == '+' then
        pcall(function()
          local due = tonumber(dues[i])
          local record = trace_record('u', due, now, string.sub(elements[i], 1, 8), ARGV[2], due + tonumber(ARGV[3]))
          trace_append(KEYS[5], digest(string.sub(elements[i], 17)), record, now)
        end)
      end
    end
  end
end
return {seconds, micros, head, table.concat(status), dues}
