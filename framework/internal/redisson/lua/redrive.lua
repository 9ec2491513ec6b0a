-- redrive: put messages of the dead store at the end of the ready list.
--
-- keys   1 dead store, 2 ready list, 3 attempts, 4 due hash, 5 trace hash
-- args   1 '1' to redrive malformed ones, too, 2 '1' to write due records
--        3 how long the trace record lives, in ms
--        4... entries, at most 100
-- reply  one text for each: 'redriven', 'gone' or 'malformed'
--
-- A redriven message begins anew: it is due now, and has no attempts. It is added
-- first and then taken out of the store: what fails in between doubles it, and never
-- loses it. That the store may be written is tried before, by a removal of nothing.
local wrong = wrong_type(KEYS[1], 'stream', KEYS[2], 'list', KEYS[3], 'hash', KEYS[4], 'hash', KEYS[5], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
redis.call('XDEL', KEYS[1], '0-0')
local no_id = '\0\0\0\0\0\0\0\0'
local out = {}

-- record(body, length, context) writes what handlers learn of it, as far as it can.
local function record(body, length, context)
  if ARGV[2] == '1' then
    pcall(due_append, KEYS[4], {due_field(body)}, {due_record('x', now, now, no_id)}, length == 1)
  end
  if context and #context == 25 then
    local expiry = now + tonumber(ARGV[3])
    pcall(function()
      trace_append(KEYS[5], digest(body), trace_record('x', now, now, no_id, context, expiry), now)
    end)
  end
end

for i = 4, #ARGV do
  local found = redis.call('XRANGE', KEYS[1], ARGV[i], ARGV[i])
  -- Half an id would match the first entry of that ms.
  if #found == 0 or found[1][1] ~= ARGV[i] then
    out[#out + 1] = 'gone'
  else
    local fields = found[1][2]
    local m = {}
    for j = 1, #fields, 2 do
      m[fields[j]] = fields[j + 1]
    end
    if not m.body or m.reason == 'malformed' and ARGV[1] ~= '1' then
      out[#out + 1] = 'malformed'
    else
      redis.call('HDEL', KEYS[3], redis.sha1hex(m.body))
      local length = redis.call('RPUSH', KEYS[2], m.body)
      redis.call('XDEL', KEYS[1], ARGV[i])
      record(m.body, length, m.trace)
      out[#out + 1] = 'redriven'
    end
  end
end
return out
