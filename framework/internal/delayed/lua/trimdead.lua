-- trimdead: delete the oldest messages of a dead store that has a bound.
-- Needs: types clock some deadgroup
-- KEYS: 1 dead store
-- ARGV: 1 most messages kept, '' for no bound  2 how old they may be, in ms, '' for
--        no bound  3 most messages to delete, or about 1 MiB
-- Reply: {messages left, '1' where more are to go, '!' where the next one is to go and waits
--        until somebody was told of it, then for each one deleted: entry,
--        reason, digest, bytes, when it died in ms}
local wrong = wrong_type(KEYS[1], 'stream')
if wrong then
  return wrong
end
local length = redis.call('XLEN', KEYS[1])
local most, age, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = clock_now()
local out, entries = {'', ''}, {}

-- Where the store has the group, what nobody was told of stays.
local group, first_untold = length > 0 and find_group(), nil
if group and group.pending > 0 then
  first_untold = ask('XPENDING', KEYS[1], GROUP)[2] or '0-0'
end
local function untold(entry)
  return group and (entry_before(group['last-delivered-id'], entry) or first_untold and not entry_before(entry, first_untold))
end

local more = '0'
local from = '-'
-- One more than may go, to see whether it should.
read_some(step + 1, SOME_BYTES, function(i)
  local found = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', 1)[1]
  local died = found and tonumber(string.match(found[1], '^%d+'))
  if not died or not (most and length - i > most or age and died < now - age) then
    more = '0'
    return nil
  end
  if untold(found[1]) then
    more = '!'
    return nil
  end
  more, from = '1', '(' .. found[1]
  if i >= step then
    return nil
  end
  local m = {}
  for j = 1, #found[2], 2 do
    m[found[2][j]] = found[2][j + 1]
  end
  entries[#entries + 1] = found[1]
  out[#out + 1] = found[1]
  out[#out + 1] = m.reason or ''
  out[#out + 1] = m.digest or ''
  out[#out + 1] = tostring(#(m.body or ''))
  out[#out + 1] = ms_text(died)
  return m.body or ''
end)
if #entries > 0 then
  redis.call('XDEL', KEYS[1], unpack(entries))
end
out[1] = tostring(length - #entries)
out[2] = more
return out
