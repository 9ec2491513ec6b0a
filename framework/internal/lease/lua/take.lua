-- take: acks what is done, renews the session's lease, takes up to n messages.
-- Needs: base settle, and the functions choose and again.
-- KEYS: 1 queue  2 stage  3 sessions  4 fetches  5 list of this fetch  6 attempts
--       7 due  8 trace  9 dead  10... lists of the acks
-- ARGV: 1 session  2 nonce  3 fetch number  4 n  5 lease ms  6 continuing 0|1
--       7 max payload bytes  8 due records 0|1  9 max bytes of the batch
--       10 count the open fetches 0|1  11... acks, see settle
-- Reply, an array of strings: the bodies, then
--   due slots, trace entries (see header), "index delivered failed died field" of
--   messages with counters (separated by ';'), "reason size digest entry" of messages
--   moved to the dead store (by ';'), and the head:
--   "lost seconds micros open stale repeat suspect": lost=1 when a continuing session
--   was not registered any more; Redis's clock; open = fetches of the session before
--   this one, plus one, 0 where not asked; stale = acks without effect; repeat=1 when
--   this nonce had been answered before; suspect=1 when the one message was in flight
--   in two processes that died
-- A reply of the head alone: nothing was ready.
local call = redis.call
local queue, stage, list, want = KEYS[1], KEYS[2], KEYS[5], tonumber(ARGV[4])

-- Reads first: each fails on a key of the wrong type before anything is written.
local special = call('EXISTS', list, KEYS[6], KEYS[8]) > 0
local bodies = call('LRANGE', stage, 0, want - 1)
local staged = #bodies
if staged == 0 then
  bodies = call('LRANGE', queue, 0, want - 1)
elseif staged < want then
  local more = call('LRANGE', queue, 0, want - staged - 1)
  for i = 1, #more do
    bodies[staged + i] = more[i]
  end
end
local count, open = #bodies, 0
if ARGV[10] == '1' then
  open = call('SCARD', KEYS[4]) + 1
end
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local repeated, suspect, used, write, forget = 0, 0, count, nil, nil
local dues, traces, seen, buried = '', '', '', ''
if special and call('LLEN', list) > 0 then
  repeated, used, staged = 1, 0, 0
  bodies, dues, traces, seen, suspect = again(list, now)
  count = #bodies
else
  local due_on = count > 0 and ARGV[8] == '1' and call('HLEN', KEYS[7]) > 0
  local max_payload, bytes = tonumber(ARGV[7]), 0
  for i = 1, count do
    local n = #bodies[i]
    bytes = bytes + n
    special = special or n > max_payload
  end
  if special or bytes > tonumber(ARGV[9]) or due_on and count > CHUNK then
    local plan = choose(bodies, max_payload, tonumber(ARGV[9]), due_on, now)
    bodies, used, suspect, dues, traces = plan.taken, plan.used, plan.suspect, plan.dues, plan.traces
    seen, write, forget = table.concat(plan.seen, ';'), plan.write, plan.forget
    count, staged = #bodies, math.min(staged, used)
  elseif due_on then
    -- The first due record of each body; identical bodies share a field.
    local fields, slots, rest, none, any = {}, {}, {}, string.rep('-', 41), false
    for i = 1, count do
      local b = bodies[i]
      fields[i] = #b <= 512 and b or '#' .. redis.sha1hex(b)
    end
    local found = call('HMGET', KEYS[7], unpack(fields))
    for i = 1, count do
      local field = fields[i]
      local value = rest[field] or found[i]
      if value and #value >= 41 then
        any = true
        slots[i], rest[field] = string.sub(value, 1, 41), string.sub(value, 42)
      else
        slots[i] = none
      end
    end
    if any then
      dues = table.concat(slots)
      forget = function()
        local dels = {}
        for field, value in pairs(rest) do
          if value == '' then
            dels[#dels + 1] = field
          else
            call('HSET', KEYS[7], field, value)
          end
        end
        spread('HDEL', KEYS[7], dels)
      end
    end
  end
end

-- A removing write comes first, so that a full Redis accepts the rest; a no-op does.
call('ZREM', KEYS[3], '')
local stale = 0
if #KEYS > 9 then
  stale = settle(10, 11, KEYS[4], KEYS[6])
end
local lost = call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])
if ARGV[6] == '0' then
  lost = 0
end

-- Copy first, remove last.
if used > 0 then
  if write then
    buried = write()
  end
  if count > 0 then
    local header = string.format('1%016.0f%04d', tonumber(ARGV[3]), #dues / 41) .. dues .. traces
    call('SADD', KEYS[4], ARGV[2])
    if count < CHUNK then
      call('RPUSH', list, header, unpack(bodies))
    else
      call('RPUSH', list, header)
      spread('RPUSH', list, bodies)
    end
  end
  if staged > 0 then
    call('LTRIM', stage, staged, -1)
  end
  if used > staged then
    call('LTRIM', queue, used - staged, -1)
  end
  if forget then
    forget()
  end
end
local head = lost .. ' ' .. clock[1] .. ' ' .. clock[2] .. ' ' .. open .. ' ' .. stale .. ' ' .. repeated .. ' ' .. suspect
if count == 0 and buried == '' then
  return {head}
end
bodies[count + 1] = dues
bodies[count + 2] = traces
bodies[count + 3] = seen
bodies[count + 4] = buried
bodies[count + 5] = head
return bodies
