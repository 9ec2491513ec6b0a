-- ghosts: take entries out of the pending list that belong to no pending message.
-- Needs: types refusal some
-- KEYS: 1 timeout set  2 pending list
-- ARGV: 1 index to begin at, '' for the end of the list  2 most entries to look at, or about 1 MiB
--        3 a text that no entry is
-- Reply: {removed, next index; -1 when the head was reached}
--
-- An offer adds to both in one step: who is only in the list is finished. Ghosts are
-- overwritten by their index and removed together, by one walk from the head.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list')
if wrong then
  return wrong
end
local last = redis.call('LLEN', KEYS[2]) - 1
if ARGV[1] ~= '' then
  last = math.min(tonumber(ARGV[1]), last)
end
if last < 0 then
  return {0, -1}
end
local found = read_some(math.min(tonumber(ARGV[2]), last + 1), SOME_BYTES, function(i)
  return redis.call('LINDEX', KEYS[2], last - i)
end)
local scores = redis.call('ZMSCORE', KEYS[1], unpack(found))
redis.call('ZREM', KEYS[1], 'duequeue:nothing')
local removed = 0
for i = 1, #found do
  if not scores[i] then
    redis.call('LSET', KEYS[2], last + 1 - i, ARGV[3])
    removed = removed + 1
  end
end
if removed > 0 then
  local ok = redis.pcall('LREM', KEYS[2], 0, ARGV[3])
  if failed(ok) then
    -- Java's scripts fail on the text: back to what it was.
    for i = 1, #found do
      if not scores[i] then
        redis.call('LSET', KEYS[2], last + 1 - i, found[i])
      end
    end
    return refusal('LREM', ok)
  end
end
return {removed, last - #found}
