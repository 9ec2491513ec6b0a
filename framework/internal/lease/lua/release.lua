-- release: gives messages back to the head of the queue, oldest first, uncharged.
-- Needs: types clock refusal digest records due attempts dead base hash header giveback.
-- KEYS: 1 queue  2 stage  3 attempts  4 due  5 trace  6... lists, oldest fetch first
-- ARGV: 1 give the stage back too 0|1  2... per list the indexes in order, each with
--       's' behind it when its handler had started: "3,4s,7"; '*' means all
-- Reply: {given back, gone, given back from the stage}
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list', KEYS[3], 'hash', KEYS[4], 'hash',
  KEYS[5], 'hash')
for i = 6, #KEYS do
  wrong = wrong or wrong_type(KEYS[i], 'list')
end
if wrong then
  return wrong
end
local queue, stage, given, gone, staged = KEYS[1], KEYS[2], 0, 0, 0
begin(KEYS[3])
if ARGV[1] == '1' then
  staged = redis.call('LLEN', stage)
  for _ = 1, staged do
    redis.call('LMOVE', stage, queue, 'RIGHT', 'LEFT')
  end
end
local dues, traced, started, any_started = {}, {}, {}, false
for k = #KEYS, 6, -1 do
  local list, nonce = KEYS[k], nonce_of(KEYS[k])
  local all = redis.call('LRANGE', list, 0, -1)
  local slots, entries = '', {}
  if all[1] then
    local d, t = header_parts(all[1])
    slots, entries = d, header_traces(t)
  end
  local wanted = {}
  if ARGV[k - 4] == '*' then
    for index = 1, #all - 1 do
      wanted[index] = {index, false}
    end
  else
    for index, s in string.gmatch(ARGV[k - 4], '(%d+)(s?)') do
      wanted[#wanted + 1] = {tonumber(index), s == 's'}
    end
  end
  for w = #wanted, 1, -1 do
    local index = wanted[w][1]
    local body = index > 0 and all[index + 1]
    if body and not settled(nonce, body) then
      redis.call('LPUSH', queue, body)
      local set = redis.pcall('LSET', list, index, tomb(nonce, 'released'))
      if failed(set) then
        redis.call('LTRIM', queue, 1, -1) -- or each repetition would add another copy
        return refusal('LSET', set)
      end
      given = given + 1
      front(dues, due_field(body), header_due(slots, index))
      if entries[index] then
        front(traced, digest(body), entries[index])
      end
      if wanted[w][2] then
        started[redis.sha1hex(body)], any_started = true, true
      end
    else
      gone = gone + 1
    end
  end
end
if any_started then
  local updated, now = {}, clock_now()
  for field in pairs(started) do
    local d, f, x, history = attempts_parse(redis.call('HGET', KEYS[3], field), now)
    updated[field] = attempts_text(d + 1, f, x, history, now)
  end
  put(KEYS[3], updated)
end
give_back(KEYS[4], dues)
give_back(KEYS[5], traced)
return {given, gone, staged}
