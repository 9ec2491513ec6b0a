-- removeready: take payloads out of the ready list by their bytes.
-- Needs: types
-- KEYS: 1 ready list
-- ARGV: 1 payload  2 most to remove, 0 for all  3 longest list that is searched
-- Reply: how many were removed; or {length} of a list that is longer
local wrong = wrong_type(KEYS[1], 'list')
if wrong then
  return wrong
end
local length = redis.call('LLEN', KEYS[1])
if length > tonumber(ARGV[3]) then
  return {length}
end
return redis.call('LREM', KEYS[1], ARGV[2], ARGV[1])
