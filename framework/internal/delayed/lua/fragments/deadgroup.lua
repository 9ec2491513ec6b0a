-- deadgroup: the consumer group of a dead store, by which each dead letter is told of.

local GROUP = 'duequeue' -- the name of the group, and of its one consumer

-- entry_before(a, b) compares ids of entries.
local function entry_before(a, b)
  local a_ms, a_n = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_n = string.match(b, '^(%d+)-(%d+)$')
  if a_ms ~= b_ms then
    return tonumber(a_ms) < tonumber(b_ms)
  end
  return tonumber(a_n) < tonumber(b_n)
end
