-- movesettle: drops a batch that was added to the other queue.
-- Needs: types
-- KEYS: 1 aside  2 control
-- ARGV: 1 header of the batch
-- Reply: 1, or 0 where another batch, or none, lies aside
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'hash')
if wrong then
  return wrong
end
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then
  return 0
end
redis.call('UNLINK', KEYS[1])
redis.pcall('HDEL', KEYS[2], 'moving')
return 1
