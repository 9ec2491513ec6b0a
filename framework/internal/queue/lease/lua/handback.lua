-- handback: ends a session and gives all it holds back to the head of the queue,
-- oldest first. Each body is moved by one command, so that none is in two places.
-- Needs: types clock attempts due base giveback header bury
-- KEYS: 1 queue  2 sessions  3 stage  4 fetches  5 attempts  6 due list  7 trace  8 dead
--       9 names  10 ids  11 leases  12... lists of the session's fetches
-- ARGV: 1 session
--       2 why: 'reap' a session whose lease ended (charges a death)
--              'close' the own session, whatever its lease
--       3 close: how long it stays registered, in ms; 0 not at all. A blocking move
--         whose connection was closed may still bring in a message, which the reaper
--         of another process then finds in the stage
--       4 most bytes at a time
--       5 close: since when what lies in its stage became ready, see due_since
-- Reply: {what, bodies, from the stage, dead, deadline or now ms, cancelled}
--   what: 'done'; 'more' call again for the rest, which stands before; 'alive' the lease
--   holds;
--   'gone' no such session; 'again' it has a fetch that KEYS lack: read its set anew
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'zset', KEYS[3], 'list', KEYS[4], 'set',
  KEYS[5], 'hash', KEYS[6], 'list', KEYS[7], 'zset', KEYS[8], 'stream',
  KEYS[9], 'hash', KEYS[10], 'zset', KEYS[11], 'hash')
local given = {}
for i = 12, #KEYS do
  wrong = wrong or wrong_type(KEYS[i], 'list')
  given[nonce_of(KEYS[i])] = true
end
if wrong then
  return wrong
end
local queue, sessions, stage, fetches, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local session, why, now = ARGV[1], ARGV[2], clock_now()
local deadline = redis.call('ZSCORE', sessions, session)
if why == 'reap' then
  if not deadline then
    return {'gone', 0, 0, 0, ms_text(now), 0}
  end
  if tonumber(deadline) > now then
    return {'alive', 0, 0, 0, ms_text(tonumber(deadline)), 0}
  end
end
for _, nonce in ipairs(redis.call('SMEMBERS', fetches)) do
  if not given[nonce] then
    return {'again', 0, 0, 0, ms_text(now), 0}
  end
end

-- On nothing, as each first write: a body that is buried is removed by it.
redis.call('LTRIM', stage, 0, -1)
local most, back = tonumber(ARGV[4]), returned()
local since = ARGV[5]
if why == 'reap' then -- what came later than its last sign of life came within a lease
  since = ms_text(tonumber(deadline) - 2 * (tonumber(redis.call('HGET', KEYS[11], session)) or 60000)) .. ' 0'
end
local staged, bytes = back.stage(stage, queue, KEYS[6], most, now, since)

local lists = {}
for i = 12, #KEYS do
  local header = redis.call('LINDEX', KEYS[i], 0)
  if header then
    lists[#lists + 1] = {KEYS[i], header_fetch(header), header}
  end
end
table.sort(lists, function(a, b)
  if a[2] ~= b[2] then
    return a[2] > b[2]
  end
  return a[1] > b[1]
end)

local bodies, buried, dropped, records = 0, 0, 0, {}
-- charge(m, begun) counts a delivery, and a death when reaped. False for a suspect whose
-- handler had not begun: it is not what killed the process.
local function charge(m, begun)
  if why == 'close' or why == 'reap' and m.died >= 2 and not begun then
    return false
  end
  m.delivered = m.delivered + 1
  if why == 'reap' then
    m.died = m.died + 1
  end
  return true
end
for _, l in ipairs(lists) do
  local list, nonce = l[1], nonce_of(l[1])
  local slots, entries, cancelled = header_parts(l[3])
  entries = header_traces(entries)
  for index = redis.call('LLEN', list) - 1, 1, -1 do
    if bytes >= most then
      break
    end
    local body = redis.call('LINDEX', list, index)
    if settled(nonce, body) then
      redis.call('LTRIM', list, 0, -2)
    else
      bytes = bytes + #body + 1000
      local rec, trace = header_due(slots, index), entries[index]
      local kind, origin, id = slot_id(rec, nonce, index, header_taken(l[3]))
      local field = record_field(kind, id)
      local held = record_read(redis.call('HGET', attempts, field), now)
      local m = held or record_new(kind, origin, id)
      if header_cancelled(cancelled, index) then
        redis.call('LTRIM', list, 0, -2)
        record_drop(attempts, KEYS[9], KEYS[10], field)
        dropped = dropped + 1
      elseif charge(m, string.sub(l[3], 1, 1) == '2') and m.died >= 3 then
        bury(KEYS[8], now, body, 'crash-loop', 'was in flight in ' .. m.died .. ' processes that died',
          m, rec, context_of(trace))
        redis.call('LTRIM', list, 0, -2)
        record_drop(attempts, KEYS[9], KEYS[10], field)
        buried = buried + 1
      else
        redis.call('LMOVE', list, queue, 'RIGHT', 'LEFT')
        bodies = bodies + 1
        back.add(body, rec or due_record('g', origin, now, id), trace)
        if held or why ~= 'close' then
          came_back(m, body, rec)
          records[#records + 1] = {field, m}
        end
      end
    end
  end
  if bytes < most then
    redis.call('DEL', list)
  end
end

for _, r in ipairs(records) do
  record_wait(attempts, KEYS[9], KEYS[10], r[1], r[2], now)
end
back.give(queue, KEYS[6], KEYS[7], now)
if bytes >= most then -- perhaps nothing is left, which the next call finds
  return {'more', bodies, staged, buried, ms_text(now), dropped}
end
redis.call('DEL', fetches)
redis.call('ZREM', sessions, session)
redis.call('HDEL', KEYS[11], session)
if why == 'close' and tonumber(ARGV[3]) > 0 then
  redis.call('ZADD', sessions, ms_text(now + tonumber(ARGV[3])), session)
  redis.call('HSET', KEYS[11], session, ARGV[3])
end
return {'done', bodies, staged, buried, ms_text(now), dropped}
