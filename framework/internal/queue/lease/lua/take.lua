-- take: acks what is done, renews the session's lease, takes up to n messages.
-- Needs: layout base settle choose again align untried
-- KEYS: 1 queue  2 stage  3 sessions  4 fetches  5 list of this fetch  6 attempts
--       7 due list  8 trace  9 dead  10 timeout set  11 names  12 ids
--       13 leases  14... lists of the acks, the journal, see settle
-- ARGV: 1 session  2 nonce  3 fetch number  4 n, or for one, see untried, 'probe', or 'new' where
--       it must be untried  5 lease ms  6 continuing 0|1
--       7 max payload bytes  8 due records 0|1  9 max bytes of the batch
--       10 since when what lies in its stage became ready, see due_since  11... acks and
--       pages of the journal, see settle
-- Reply: strings: the bodies, then
--   due slots, trace entries (see header), what is known of messages (see counters,
--   separated by ';'), "reason size digest entry" of messages moved to the dead store
--   (by ';'), and the head:
--   "lost seconds micros open stale repeat suspect taken ready": lost=1 when a continuing session
--   was ended by others (a lost key of the sessions is no loss); Redis's clock; open = fetches of the session that
--   Redis holds open, without one that is new; stale = acks without effect; repeat=1 when
--   this nonce had been answered before; suspect=1 when the one message was in flight
--   in two processes that died; taken = ms of the take, of a repeat the first one's;
--   ready = of a probe, how many were ready before it, else 0
-- A reply of the head alone: nothing was ready.
local call = redis.call
local queue, stage, list, want = KEYS[1], KEYS[2], KEYS[5], tonumber(ARGV[4]) or 1

-- Reads first: each fails on a key of the wrong type before anything is written.
local special = call('EXISTS', list, KEYS[6], KEYS[8]) > 0
local repeated = special and call('LLEN', list) > 0 and 1 or 0
if repeated == 1 then
  want = 0
end
-- One body at a time, until the batch is full: Redis tells the length of none before it is
-- read. Where each ready message has one due entry (see due) they stand side by side, and
-- the entries tell which bodies are small: those are read in steps, for as long as each
-- body is what its entry says.
local max_payload, max_batch = tonumber(ARGV[7]), tonumber(ARGV[9])
local bodies, count, staged, bytes = {}, 0, 0, 0
local probe, place = ARGV[4] == 'probe' or ARGV[4] == 'new', 0 -- of the first one that comes from the queue
local body = want > 0 and call('LINDEX', stage, 0)
while body do
  count, bytes = count + 1, bytes + #body
  bodies[count] = body
  special = special or #body > max_payload
  body = count < want and bytes < max_batch and call('LINDEX', stage, count)
end
staged = count
local entries, ready, slots = nil, 0, nil -- slots: the records of all bodies, side by side
-- count_due() notes how many entries and ready messages there are.
local function count_due()
  entries = ARGV[8] == '1' and call('LLEN', KEYS[7]) or 0
  ready = entries > 0 and call('LLEN', queue) or 0
end
if not probe and count < want and bytes < max_batch then
  body = call('LINDEX', queue, 0)
  if body then
    count_due()
    slots = staged == 0 and entries > 0 and entries == ready and {} or nil
  end
  local part, found, first = {body or nil}, nil, 0 -- found: entries behind the first so many
  while part[1] do
    for i = 1, #part do
      local b, size = part[i], #part[i]
      count, bytes = count + 1, bytes + size
      bodies[count] = b
      special = special or size > max_payload
      if slots then
        local entry = found and found[count - first]
        if not entry then
          first = count - 1
          found = call('LRANGE', KEYS[7], first, math.min(want, first + 32) - 1)
          entry = found[1]
        end
        if entry and size > 0 and string.sub(entry, ENTRY_NAME) == (size <= 512 and b or '#' .. redis.sha1hex(b)) then
          slots[count] = string.sub(entry, 1, DUE_BYTES)
        else
          slots = nil
        end
      end
    end
    if count >= want or bytes >= max_batch then
      break
    end
    local at, small = count - staged, 0
    while slots and small < #found - count + first
      and string.byte(found[count - first + small + 1], ENTRY_NAME) ~= 35 do -- '#'
      small = small + 1
    end
    if small > 1 then -- the first and the last are read alone: entries of what others took are as many by chance
      for _, i in ipairs({1, small}) do
        if call('LINDEX', queue, at + i - 1) ~= string.sub(found[count - first + i], ENTRY_NAME) then
          small = 1
        end
      end
    end
    if small > 1 then
      part = call('LRANGE', queue, at, at + small - 1)
    else
      part = {call('LINDEX', queue, at) or nil}
    end
  end
end
local open = call('SCARD', KEYS[4])
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if probe and staged == 0 and repeated == 0 then
  local body, at = untried(queue, ARGV[4] == 'new')
  bodies[1], place = body, at
  count, bytes = #bodies, body and #body or 0
  special = special or bytes > max_payload
end
local probed, before = bodies[1], probe and call('LLEN', queue) + staged or 0

local suspect, used, taken, write, forget = 0, count, now, nil, nil
local since = ARGV[10]
local dues, traces, seen, buried = '', '', '', ''
if repeated == 1 then
  used = 0
  bodies, dues, traces, seen, suspect, taken = again(list, now)
  count = #bodies
else
  if count > 0 and not entries then
    count_due()
  end
  local due_on = count > 0 and entries > 0
  if special or place > 0 or bytes > max_batch or due_on and count > CHUNK then
    local plan = choose(bodies, max_payload, max_batch, due_on, now, staged, ready, place, slots, since)
    bodies, used, suspect, dues, traces = plan.taken, plan.used, plan.suspect, plan.dues, plan.traces
    seen, write, forget = table.concat(plan.seen, ';'), plan.write, plan.forget
    count, staged = #bodies, math.min(staged, used)
  elseif due_on then
    if slots then
      forget = function()
        call('LTRIM', KEYS[7], count, -1)
      end
    else
      slots, forget = align(bodies, staged, ready, now, since)
    end
    if slots[1] then
      dues = table.concat(slots)
    end
  end
end

-- A removing write comes first, so that a full Redis accepts the rest; a no-op does. It is
-- the one that removes below: where it is refused nothing is copied.
call('LTRIM', stage, 0, -1)
if place > 0 then
  call('LREM', stage, 0, '') -- it is empty
end
local stale = 0
if #KEYS > 13 then
  local ended
  stale, ended = settle(14, 11, KEYS[4], KEYS[6], KEYS[11], KEYS[12])
  open = open - ended
end
local lost = call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])
if lost == 1 then -- whoever ends a session removes its lease
  lost = call('HSETNX', KEYS[13], ARGV[1], ARGV[5])
end
if ARGV[6] == '0' then
  lost = 0
end

-- Copy first, remove last.
if used > 0 then
  if count > 0 then
    local header = string.format('1%016.0f%04d%016.0f0000', tonumber(ARGV[3]), #dues / DUE_BYTES, now) .. dues .. traces
    call('SADD', KEYS[4], ARGV[2])
    if count < CHUNK then
      call('RPUSH', list, header, unpack(bodies))
    else
      call('RPUSH', list, header)
      spread('RPUSH', list, bodies)
    end
  end
  if write then
    local ok, text = pcall(write)
    if not ok then -- or each repetition would add a copy
      call('DEL', list)
      call('SREM', KEYS[4], ARGV[2])
      error(text, 0)
    end
    buried = text
  end
  if staged > 0 then
    call('LTRIM', stage, staged, -1)
  end
  if place > 0 then
    call('LREM', queue, 1, probed)
  elseif used > staged then
    call('LTRIM', queue, used - staged, -1)
  end
  if forget then
    forget()
  end
end
local head = lost .. ' ' .. clock[1] .. ' ' .. clock[2] .. ' ' .. open .. ' ' .. stale .. ' ' .. repeated .. ' ' .. suspect
  .. ' ' .. string.format('%.0f', taken) .. ' ' .. before
if count == 0 and buried == '' then
  return {head}
end
bodies[count + 1] = dues
bodies[count + 2] = traces
bodies[count + 3] = seen
bodies[count + 4] = buried
bodies[count + 5] = head
return bodies
