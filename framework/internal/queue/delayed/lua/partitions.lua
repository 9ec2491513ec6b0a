-- partitions: compares over how many partitions processes spread a queue, and notes it.
-- Needs: types
-- KEYS: 1 control
-- ARGV: 1 numbers of this process: 'n' or, while the number changes, 'n other'; '' to read
-- Reply: {numbers that were noted, '' for none; 1 where this process agrees with them}
--
-- Two processes agree where each of them serves the partitions to which the other offers.
-- One is a number as well. A full Redis refuses the note alone.
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local noted = redis.call('HGET', KEYS[1], 'partitions') or ''
if ARGV[1] == '' or noted == ARGV[1] then
  return {noted, 1}
end
local function numbers(text)
  local n, other = string.match(text, '^(%d+) ?(%d*)$')
  return n, other
end
local n, other = numbers(ARGV[1])
local theirs, theirs_other = numbers(noted)
local agree = noted == '' or (n == theirs or n == theirs_other) and (theirs == n or theirs == other)
if agree then
  redis.pcall('HSET', KEYS[1], 'partitions', ARGV[1])
end
return {noted, agree and 1 or 0}
