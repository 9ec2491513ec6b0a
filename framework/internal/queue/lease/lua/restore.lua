-- restore: takes entries of the dead store back to the head of the queue, in order.
-- Needs: types clock due trace attempts idtext giveback bury
-- KEYS: 1 queue  2 dead  3 attempts  4 due list  5 trace  6 names  7 ids
-- ARGV: 1 ms that a trace record lives  2 most bytes at a time
--       3... entry ids, the oldest message first
-- Reply: {taken back, not found, left}
--   left: how many of the entries, the first ones, are to be taken back by another call
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'stream', KEYS[3], 'hash', KEYS[4], 'list',
  KEYS[5], 'zset', KEYS[6], 'hash', KEYS[7], 'zset')
if wrong then
  return wrong
end

redis.call('XDEL', KEYS[2], '0-0') -- or, where it is refused, each repetition adds a copy
local now, back, missing = clock_now(), 0, 0
local returns, records = returned(), {}
local bytes, left = 0, 0
for i = #ARGV, 3, -1 do
  if bytes >= tonumber(ARGV[2]) then
    left = i - 2
    break
  end
  local entry = redis.call('XRANGE', KEYS[2], ARGV[i], ARGV[i])[1]
  if entry then
    local m = {}
    for j = 1, #entry[2], 2 do
      m[entry[2][j]] = entry[2][j + 1]
    end
    local body = m.body
    bytes = bytes + #body + 1000
    redis.call('LPUSH', KEYS[1], body)
    redis.call('XDEL', KEYS[2], ARGV[i])
    back = back + 1
    local due = tonumber(m.due)
    local kind, origin, id = id_parse(m.id or '')
    local rec
    if due then
      rec = due_record(kind or 'x', due, now, id or string.rep('\0', 8))
    end
    local trace = due and #(m.trace or '') == 25
      and trace_record(kind or 'x', due, now, id or string.rep('\0', 8), m.trace, now + tonumber(ARGV[1]))
    returns.add(body, rec, trace)
    if kind then
      local r = record_new(kind, origin, id)
      r.delivered = tonumber(m.delivered) or 0
      r.failed = tonumber(m.failed) or 0
      r.died = tonumber(m.died) or 0
      r.key, r.history = m.key or '', m.history or ''
      if r.delivered + r.failed + r.died > 0 or due ~= origin or r.key ~= '' or r.history ~= '' then
        came_back(r, body, rec)
        records[#records + 1] = {record_field(kind, id), r}
      end
    end
  else
    missing = missing + 1
  end
end
for _, r in ipairs(records) do
  record_wait(KEYS[3], KEYS[6], KEYS[7], r[1], r[2], now)
end
returns.give(KEYS[1], KEYS[4], KEYS[5], now)
return {back, missing, left}
