-- moveput: adds messages of a batch to the queue that they move to, once.
-- Needs: types clock refusal expire due trace attempts add
-- KEYS: 1 timeout set  2 pending list  3 channel  4 ready list  5 attempts  6 names  7 ids
--        8 traces  9 due list  10 record of the batch, see dedup.lua for other records of that name
-- ARGV: 1 ms that the record lives from now on, '' as long as it is needed  2... six texts for each
--        message, see moveclaim
-- Reply: {how many were added, how many were there already}
--
-- The record says that the batch was added; a repetition answers from it. It has no end until the
-- batch does not lie aside any more. Adding fails as a whole: what fails midway is taken back, or
-- is found there by the repetition, as elements are. What is known of messages follows, and a
-- failure there is not theirs.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'list', KEYS[5], 'hash', KEYS[6], 'hash',
  KEYS[7], 'zset', KEYS[8], 'zset', KEYS[9], 'list', KEYS[10], 'string')
if wrong then
  return wrong
end
local known = redis.call('GET', KEYS[10])
if known then
  if ARGV[1] ~= '' then
    redis.call('PEXPIRE', KEYS[10], ARGV[1])
  end
  local added, there = string.match(known, '^m(%d+) (%d+)$')
  return {tonumber(added) or 0, tonumber(there) or 0}
end
local pending, ready, entries = 0, {}, {}
for i = 2, #ARGV, 6 do
  if ARGV[i] == '' then
    ready[#ready + 1] = ARGV[i + 1]
    entries[#ready] = due_entry(ARGV[i + 2] ~= '' and ARGV[i + 2], ARGV[i + 1])
  else
    pending = pending + 1
  end
end
if pending + #ready == 0 then
  return {0, 0}
end
local there = 0
redis.call('SET', KEYS[10], 'm' .. (pending + #ready) .. ' 0')
for i = 2, #ARGV, 6 do
  if ARGV[i] ~= '' then
    local head, problem = add(ARGV[i + 1], ARGV[i], '1')
    if head == nil and problem ~= 'taken' then
      redis.call('DEL', KEYS[10])
      return problem
    end
    there = there + (head and 0 or 1)
  end
end
if #ready > 0 then
  local pushed = redis.pcall('RPUSH', KEYS[4], unpack(ready))
  if failed(pushed) then
    redis.call('DEL', KEYS[10])
    return refusal('RPUSH', pushed)
  end
  pcall(function()
    due_append(KEYS[9], entries)
    due_bound(KEYS[9], pushed, clock_now())
  end)
end
if there > 0 then
  redis.call('SET', KEYS[10], 'm' .. (pending + #ready - there) .. ' ' .. there)
end
local now = clock_now()

-- remember(field, value) writes what is known of a message. A key that names another message
-- here stays with that.
local function remember(field, value)
  local m = record_read(value, now)
  if not m then
    return
  end
  if m.key ~= '' and redis.call('HEXISTS', KEYS[6], 'k' .. m.key) == 1 then
    m.key = ''
  end
  m.indexed = nil
  if m.digest then
    record_wait(KEYS[5], KEYS[6], KEYS[7], field, m, now)
  else
    record_put(KEYS[5], KEYS[6], field, m, now)
  end
end
for i = 2, #ARGV, 6 do
  if ARGV[i + 4] ~= '' then
    pcall(remember, ARGV[i + 3], ARGV[i + 4])
  end
  if ARGV[i + 5] ~= '' then
    pcall(function()
      redis.call('ZADD', KEYS[8], 0, ARGV[i + 5])
      expire_extend(KEYS[8], trace_expiry(ARGV[i + 5]) - now)
    end)
  end
end
return {pending + #ready - there, there}
