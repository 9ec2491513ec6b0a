-- deadgroup: the consumer group of a dead store, by which each dead letter is told of.

local GROUP = 'duequeue' -- the name of the group, and of its one consumer

-- ask has a name of its own so that the probe does not try these commands: users who lack
-- them, since they were made before there were groups, start all the same, and know of no
-- group.
local ask = redis.pcall

-- find_group() returns what XINFO says of the group, by name, or nil where there is none.
local function find_group()
  for _, group in ipairs(ask('XINFO', 'GROUPS', KEYS[1])) do
    local of = {}
    for i = 1, #group, 2 do
      of[group[i]] = group[i + 1]
    end
    if of.name == GROUP then
      return of
    end
  end
end

-- entry_before(a, b) compares ids of entries.
local function entry_before(a, b)
  local a_ms, a_n = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_n = string.match(b, '^(%d+)-(%d+)$')
  if a_ms ~= b_ms then
    return tonumber(a_ms) < tonumber(b_ms)
  end
  return tonumber(a_n) < tonumber(b_n)
end
