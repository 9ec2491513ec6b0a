-- look: reads what operators have set; a pause that is over is removed.
-- Needs: types settings clock
-- KEYS: 1 control
-- ARGV: 1 version of what is left where a pause is removed
-- Reply: see settings
local wrong = wrong_type(KEYS[1], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
if over(KEYS[1], now) then
  stamp(KEYS[1], ARGV[1])
end
return settings(KEYS[1], now)
