-- keeptraces: adds a trace record for each element of an offer that was added and has a
-- context. KEYS and ARGV are those of offer: the elements stand in ARGV after before; those
-- of run r are from first[r] on, up to the next one's, and due at due[r].
-- Needs: layout digest trace
-- Function: keep_traces(letters, before, due, first, now)
local argv = ARGV
local members, last = {}, 0
local each, none = #argv[2] > 25, string.rep('\0', 25)

-- behind_id(r, context) is what follows digest and id in the member of an element of run r.
local function behind_id(r, context)
  local record = trace_record('u', due[r], now, '12345678', context, due[r] + tonumber(argv[3]))
  return string.sub(trace_member('', record), 10)
end

for r = 1, #due do
  local same = not each and behind_id(r, argv[2])
  for i = first[r], first[r + 1] - 1 do
    local context = each and string.sub(argv[2], 25 * i - 24, 25 * i)
    local letter = string.byte(letters, i)
    if (letter == 43 or letter == 120) and context ~= none then -- '+', 'x'
      local element = argv[before + i]
      members[#members + 1] = digest(string.sub(element, ELEMENT_PAYLOAD)) .. 'u'
        .. string.sub(element, 1, ELEMENT_ID_END) .. (same or behind_id(r, context))
      last = math.max(last, due[r] + tonumber(argv[3]))
    end
  end
end
if #members > 0 then
  local live = redis.call('ZCARD', KEYS[1]) + redis.call('LLEN', KEYS[4])
  trace_append_all(KEYS[5], members, last, now, live)
end
