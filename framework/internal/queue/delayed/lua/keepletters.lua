-- keepletters: from now on nothing is trimmed that nobody was told of.
-- Needs: types makegroup
-- KEYS: 1 dead store
-- ARGV: none
-- Reply: ''
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
return redis.call('EXISTS', KEYS[1]) == 1 and make_group() or ''
