-- offerall: put many elements into the delayed structures in one step.
-- Needs: types clock refusal layout digest trace add origin
-- KEYS: 1 timeout set  2 pending list  3 channel  4 ready list  5 traces  6 attempts
-- ARGV: 1 age of the offers in whole ms when this is a resend, '' on a first try
--        2 trace context (25 bytes) or ''
--        3 how long after its due time a trace record lives, in ms
--        4 '1' where the pending list is kept
--        5 '1' where each element's id is larger than the one before
--        6 number of runs: neighbours with the same delay or due time
--        7... for each run: 'in' or 'at', delay or due ms, how many
--        then all elements
-- Reply: {seconds, microseconds, head (1 or 0), one character for each element,
--        due ms of each run, score of each 'p', due ms of its ID}
--        '+' added; 'p' pending: an earlier try had added it; 't' taken: the id exists
--        already on a first try; 'u' unknown: a resend came too late to tell added from
--        delivered; 'r' due time at or beyond 2^53. Only '+' changed anything.
--
-- The rules are those of offer, but all that can be added is added or nothing: the
-- first write is one ZADD of all, then one RPUSH of all, then one PUBLISH of the
-- earliest due time where that is the head. What fails undoes all.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'list', KEYS[5], 'zset')
if wrong then
  return wrong
end
local argv = ARGV
local _, seconds, micros = clock_now()
local now = seconds * 1000 + math.ceil(micros / 1000)
local age = tonumber(argv[1])

-- A run r has the elements from first[r] on, up to the next one's.
local runs = tonumber(argv[6])
local before = 6 + 3 * runs
local n = #argv - before
local due, text, delay, first = {}, {}, {}, {1}
local quick = not age and argv[5] == '1' and runs <= 8
for r = 1, runs do
  local at = 4 + 3 * r
  delay[r] = tonumber(argv[at + 1])
  due[r] = delay[r]
  if argv[at] == 'in' then
    due[r] = now + math.max(delay[r] - (age or 0), 0)
  else
    delay[r] = due[r] - now + (age or 0)
  end
  text[r] = ms_text(due[r])
  quick = quick and due[r] < 9007199254740992
  first[r + 1] = first[r] + tonumber(argv[at + 2])
end

-- stands_before(one, other) tells whether one stands before the other where both are due at
-- one time: Redis sorts those by their bytes, and no two ids are the same.
local function stands_before(one, other)
  for i = 1, 8 do
    local a, b = string.byte(one, i) or -1, string.byte(other, i)
    if a ~= b then
      return a < b
    end
  end
  return false
end

-- none_from(due_text, element) tells whether no element of that due time has an id as
-- large as this one's.
local function none_from(due_text, element)
  local last = redis.pcall('ZRANGE', KEYS[1], due_text, due_text, 'BYSCORE', 'REV', 'LIMIT', 0, 1)
  if failed(last) then
    return false
  end
  return not last[1] or stands_before(last[1], element)
end

-- Asking for each one whether it exists costs a fifth of all. Where none can be there
-- with the same due time, ZADD NX tells too: what has another score afterwards was there.
for r = 1, quick and runs or 0 do
  quick = quick and none_from(text[r], argv[before + first[r]])
end
-- The quick way asks for one: whether it may ask.
local held = redis.pcall('ZMSCORE', KEYS[1], unpack(argv, before + 1, quick and before + 1 or #argv))
if failed(held) then
  return add_explain('ZMSCORE', held)
end
if quick and held[1] then
  quick = false
  held = redis.call('ZMSCORE', KEYS[1], unpack(argv, before + 1))
end

-- new, pairs_new: what is added; added_first: that with the smallest id of each run.
local status, new, pairs_new, size, added_first, scores, origins = {}, {}, {}, 0, {}, {}, {}
if quick then
  status, new = {string.rep('+', n)}, {unpack(argv, before + 1)}
  for r = 1, runs do
    local score = text[r]
    added_first[r] = new[first[r]]
    for i = first[r], first[r + 1] - 1 do
      pairs_new[size + 1] = score
      pairs_new[size + 2] = new[i]
      size = size + 2
    end
  end
else
  local seen = {}
  for r = 1, runs do
    local score, far, late = text[r], due[r] >= 9007199254740992, age and age >= delay[r]
    for i = first[r], first[r + 1] - 1 do
      local element = argv[before + i]
      if held[i] and age then
        status[i] = 'p'
        scores[#scores + 1] = held[i]
        origins[#scores] = id_due(KEYS[6], string.sub(element, 1, ELEMENT_ID_END), held[i])
      elseif held[i] or seen[element] then
        status[i] = 't'
      elseif far then
        status[i] = 'r'
      elseif late then
        status[i] = 'u'
      else
        status[i] = '+'
        seen[element] = true
        new[#new + 1] = element
        pairs_new[size + 1] = score
        pairs_new[size + 2] = element
        size = size + 2
        if not added_first[r] or argv[5] ~= '1' and stands_before(element, added_first[r]) then
          added_first[r] = element
        end
      end
    end
  end
end

local head = 0
if size > 0 then
  local added = redis.pcall('ZADD', KEYS[1], 'NX', unpack(pairs_new))
  if failed(added) then
    return add_explain('ZADD', added)
  end
  if quick and added < n then
    held = redis.call('ZMSCORE', KEYS[1], unpack(argv, before + 1))
    new, added_first = {}, {}
    for r = 1, runs do
      for i = first[r], first[r + 1] - 1 do
        status[i] = 't'
        if tonumber(held[i]) == due[r] then
          status[i] = '+'
          new[#new + 1] = argv[before + i]
          added_first[r] = added_first[r] or argv[before + i]
        end
      end
    end
  end
end
if #new > 0 then
  if argv[4] == '1' then
    local pushed = redis.pcall('RPUSH', KEYS[2], unpack(new))
    if failed(pushed) then
      redis.pcall('ZREM', KEYS[1], unpack(new))
      return add_explain('RPUSH', pushed)
    end
  end
  local earliest
  for r = 1, runs do
    if added_first[r] and (not earliest or due[r] < due[earliest]
      or due[r] == due[earliest] and stands_before(added_first[r], added_first[earliest])) then
      earliest = r
    end
  end
  local refused
  head, refused = add_publish(added_first[earliest], text[earliest])
  if not head then
    redis.pcall('ZREM', KEYS[1], unpack(new))
    for i = 1, argv[4] == '1' and #new or 0 do
      redis.pcall('LREM', KEYS[2], -1, new[i])
    end
    return refusal('PUBLISH', refused)
  end
end

if #new > 0 and argv[2] ~= '' then
  pcall(function()
    local letters, members, last = table.concat(status), {}, 0
    for r = 1, runs do
      -- All of a run but digest and id is the same.
      local expiry = due[r] + tonumber(argv[3])
      local rest = string.sub(trace_member('', trace_record('u', due[r], now, '12345678', argv[2], expiry)), 10)
      for i = first[r], first[r + 1] - 1 do
        if string.byte(letters, i) == 43 then -- '+'
          local element = argv[before + i]
          members[#members + 1] = digest(string.sub(element, ELEMENT_PAYLOAD)) .. 'u'
            .. string.sub(element, 1, ELEMENT_ID_END) .. rest
          last = math.max(last, expiry)
        end
      end
    end
    local live = redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[4])
    trace_append_all(KEYS[5], members, last, now, live)
  end)
end
return {seconds, micros, head, table.concat(status), text, scores, origins}
