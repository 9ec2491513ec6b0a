-- restore: takes entries of the dead store back to the head of the queue, in order.
-- Needs: types clock digest records due trace attempts base hash header giveback dead.
-- KEYS: 1 queue  2 dead  3 attempts  4 due  5 trace
-- ARGV: 1 ms that a trace record lives  2... entry ids, the oldest message first
-- Reply: {taken back, not found}
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'stream', KEYS[3], 'hash', KEYS[4], 'hash',
  KEYS[5], 'hash')
if wrong then
  return wrong
end

-- raw_id(text) reads an id text back: kind and 8 bytes, nil when there is none.
local function raw_id(text)
  local id = string.match(text, '^%x+%-(%w+)$')
  if not id or (#id ~= 14 and #id ~= 17) then
    return nil
  end
  local raw = string.gsub(string.sub(id, #id == 17 and 2 or 1), '%x%x', function(h)
    return string.char(tonumber(h, 16))
  end)
  if #id == 14 then
    return 'u', '\7' .. raw
  end
  if string.sub(id, 1, 1) == 'j' then
    return 'n', raw
  end
  return 'u', raw
end

begin(KEYS[3])
local now, back, missing = clock_now(), 0, 0
local dues, traced, counted = {}, {}, {}
for i = #ARGV, 2, -1 do
  local entry = redis.call('XRANGE', KEYS[2], ARGV[i], ARGV[i])[1]
  if entry then
    local m = {}
    for j = 1, #entry[2], 2 do
      m[entry[2][j]] = entry[2][j + 1]
    end
    local body = m.body
    redis.call('LPUSH', KEYS[1], body)
    redis.call('XDEL', KEYS[2], ARGV[i])
    back = back + 1
    local due, kind, raw = tonumber(m.due), raw_id(m.id or '')
    if due and not kind then
      kind, raw = 'x', string.rep('\0', 8)
    end
    if due then
      front(dues, due_field(body), due_record(kind, due, now, raw))
    end
    if due and #(m.trace or '') == 25 then
      front(traced, digest(body), trace_record(kind, due, now, raw, m.trace, now + tonumber(ARGV[1])))
    end
    local d, f, x = tonumber(m.delivered) or 0, tonumber(m.failed) or 0, tonumber(m.died) or 0
    local history = m.history or ''
    if d + f + x > 0 or history ~= '' then
      counted[redis.sha1hex(body)] = attempts_text(d, f, x, history, now)
    end
  else
    missing = missing + 1
  end
end
put(KEYS[3], counted)
give_back(KEYS[4], dues)
give_back(KEYS[5], traced)
return {back, missing}
