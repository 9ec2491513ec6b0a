-- trimdead: delete the oldest messages of a dead store that has a bound.
-- Needs: types clock some deadgroup
-- KEYS: 1 dead store
-- ARGV: 1 most messages kept, '' for no bound  2 how old they may be, in ms, '' for
--        no bound  3 most messages to look at, or about 1 MiB  4 the last entry that an earlier
--        call has passed over, '' for none  5 how many entries are before that and itself
-- Reply: {messages left, '1' where more are to be looked at, '' at the end, the last entry passed over,
--        how many entries are before that and itself, then for each one deleted: entry,
--        reason, digest, bytes, when it died in ms, '1' if nobody was told of it}
--
-- Where the store has the group, what nobody was told of is passed over, and has ten times the
-- bounds. So one of them holds up no other, and the store does not grow without end.
local UNTOLD = 10
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
local length = redis.call('XLEN', KEYS[1])
local most, age = tonumber(ARGV[1]), tonumber(ARGV[2])
local last, before = ARGV[4], tonumber(ARGV[5])
local now = clock_now()
local out, entries = {'', '', '', '0'}, {}

-- beyond reports whether an entry is beyond the bounds, with n entries before it.
local function beyond(n, died, times)
  return most and length - n > most * times or age and died < now - age * times
end

local group = length > 0 and find_group()
-- state_of returns '' for an entry that may go, 'handed' for one that was handed out and not
-- told of, 'new' for one that was never handed out, and so are all behind it.
local function state_of(entry)
  if not group then
    return ''
  end
  if entry_before(group['last-delivered-id'], entry) then
    return 'new'
  end
  local handed = ask('XPENDING', KEYS[1], GROUP, entry, entry, 1)
  return (handed.err or #handed > 0) and 'handed' or ''
end

local ended, handed_out = false, {}
read_some(tonumber(ARGV[3]), SOME_BYTES, function()
  local found = redis.call('XRANGE', KEYS[1], last == '' and '-' or '(' .. last, '+', 'COUNT', 1)[1]
  local died = found and tonumber(string.match(found[1], '^%d+'))
  if not died or not beyond(before, died, 1) then
    ended = true
    return nil
  end
  local state = state_of(found[1])
  local m = {}
  for j = 1, #found[2], 2 do
    m[found[2][j]] = found[2][j + 1]
  end
  if state == '' or beyond(before, died, UNTOLD) then
    entries[#entries + 1] = found[1]
    out[#out + 1] = found[1]
    out[#out + 1] = m.reason or ''
    out[#out + 1] = m.digest or ''
    out[#out + 1] = tostring(#(m.body or ''))
    out[#out + 1] = ms_text(died)
    out[#out + 1] = state == '' and '' or '1'
    if state == 'handed' then
      handed_out[#handed_out + 1] = found[1]
    end
  elseif state == 'new' then
    ended = true
    return nil
  end
  last, before = found[1], before + 1
  return m.body or ''
end)
if #entries > 0 then
  redis.call('XDEL', KEYS[1], unpack(entries))
end
if #handed_out > 0 then
  ask('XACK', KEYS[1], GROUP, unpack(handed_out))
end
out[1] = tostring(length - #entries)
if not ended then
  out[2], out[3], out[4] = '1', last, tostring(before - #entries)
end
return out
