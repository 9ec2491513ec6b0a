-- nextletter: hand out a dead letter that nobody was told of, or whose telling failed.
-- Needs: types deadgroup makegroup
-- KEYS: 1 dead store
-- ARGV: 1 ms after which a letter that was handed out once, and not told, is handed out again; twice
--        as long behind each further time  2 the longest such time in ms  3 '1' where letters that
--        were handed out come before new ones  4 the entry after which to look for the former,
--        '' for the beginning
-- Reply: {the entry after which to look next time, '' for the beginning}, and where there is a letter
--        also: how often it was handed out, its entry, its fields and values
--
-- The first call makes the group, so that what lies there already is told of as well. A letter
-- that was redriven or dropped meanwhile leaves the group.
local LOOK = 128 -- letters that were handed out, of one call
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {''}
end
local refused = make_group()
if refused then
  return refused
end
local first, longest, from = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[4]

-- again returns a letter that was handed out, and whose time has come.
local function again()
  local after = from
  local waiting = redis.call('XPENDING', KEYS[1], GROUP, after == '' and '-' or after, '+', LOOK)
  for _, w in ipairs(waiting) do
    local entry, idle, times = w[1], tonumber(w[3]), tonumber(w[4])
    from = entry
    if entry ~= after and idle >= math.min(first * 2 ^ math.min(times - 1, 40), longest) then
      local found = redis.call('XRANGE', KEYS[1], entry, entry)[1]
      if found then
        redis.call('XCLAIM', KEYS[1], GROUP, GROUP, 0, entry, 'RETRYCOUNT', times + 1, 'JUSTID')
        return {times + 1, found[1], found[2]}
      end
      redis.call('XACK', KEYS[1], GROUP, entry)
    end
  end
  if #waiting < LOOK then
    from = ''
  end
end

-- new returns a letter that was never handed out.
local function new()
  local got = redis.call('XREADGROUP', 'GROUP', GROUP, GROUP, 'COUNT', 1, 'STREAMS', KEYS[1], '>')
  local letter = got and got[1] and got[1][2][1]
  return letter and {1, letter[1], letter[2]}
end

local letter
if ARGV[3] == '1' then
  letter = again() or new()
else
  letter = new() or again()
end
if not letter then
  return {from}
end
return {from, letter[1], letter[2], letter[3]}
