-- stopwatch: how long a script has run.
-- Needs: clock
-- Servers stop the clock of TIME in scripts from Redis 7.2 on. From Redis 7.4 and
-- Valkey 8.0 on they tell the processor's time instead; it counts from the first look.

-- stopwatch(seconds, micros) returns a function that returns the µs since that TIME, or
-- nil where no clock runs.
local function stopwatch(seconds, micros)
  local clock, began
  return function()
    local _, s, u = clock_now()
    local spent = (s - seconds) * 1000000 + (u - micros)
    if spent > 0 then
      return spent
    end
    if clock == nil then
      local ok, found = pcall(function() return os.clock end)
      clock = ok and found or false
      began = clock and clock()
    end
    return clock and math.floor((clock() - began) * 1000000)
  end
end
