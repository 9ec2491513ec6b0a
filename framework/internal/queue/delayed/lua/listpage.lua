-- listpage: some entries of the pending list, and which of them are pending.
-- Needs: types some
-- KEYS: 1 timeout set  2 pending list
-- ARGV: 1 index to begin at, '' for the end of the list  2 most entries, or about 1 MiB
--        3 most bytes of an entry: of a larger one comes the beginning
-- Reply: {next index; -1 when the head was reached, entry, its bytes, '1' or '0', entry ...}
--
-- Walked towards the head: others add at the end, and what they remove moves the rest
-- nearer to the head, so that none that stays is passed over, but for what transfers put
-- from the head to the end. It changes nothing.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list')
if wrong then
  return wrong
end
local last = redis.call('LLEN', KEYS[2]) - 1
if ARGV[1] ~= '' then
  last = math.min(tonumber(ARGV[1]), last)
end
if last < 0 then
  return {-1}
end
local found = read_some(math.min(tonumber(ARGV[2]), last + 1), SOME_BYTES, function(i)
  return redis.call('LINDEX', KEYS[2], last - i)
end)
local scores = redis.call('ZMSCORE', KEYS[1], unpack(found))
local out = {last - #found}
for i = 1, #found do
  out[#out + 1] = string.sub(found[i], 1, tonumber(ARGV[3]))
  out[#out + 1] = #found[i]
  out[#out + 1] = scores[i] and '1' or '0'
end
return out
