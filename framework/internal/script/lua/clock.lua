-- clock: the time of Redis.

-- clock_now() returns ms rounded down, and the two parts of TIME as text.
local function clock_now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000), t[1], t[2]
end

-- ms_text(ms) returns a whole number of ms without an exponent.
local function ms_text(ms)
  return string.format('%.0f', ms)
end
