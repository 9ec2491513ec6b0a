-- redrive: put messages of the dead store back into the queue.
--
-- keys   1 timeout set, 2 pending list, 3 channel, 4 dead store, 5 ready list,
--        6 attempts, 7 due hash, 8 trace hash
-- args   1 '1' to redrive malformed ones, too, 2 '1' to write due records
--        3 how long the trace record lives, in ms
--        4 how long the history of a message that nobody takes is kept, in ms
--        5 '1' where the pending list is kept
--        6... for each entry, at most 100: its id in the stream, a delay in ms or ''
--        for the end of the ready list, the 8 bytes of a new element id or ''
-- reply  one text for each: 'redriven', 'gone', 'malformed', or 'taken': another
--        element has the new id, nothing was changed
--
-- A redriven message begins anew: it is due now or after its delay, and has no
-- attempts, but its history. It is added first and then taken out of the store: what
-- fails in between doubles it, and never loses it. That the store may be written is
-- tried before, by a removal of nothing.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'stream', KEYS[5], 'list',
  KEYS[6], 'hash', KEYS[7], 'hash', KEYS[8], 'hash')
if wrong then
  return wrong
end
local now = clock_now()
redis.call('XDEL', KEYS[4], '0-0')
local no_id = '\0\0\0\0\0\0\0\0'
local out = {}

-- record(m, due, id, length) writes what handlers learn of a message, as far as it can.
-- length is that of the ready list, nil for one that is delayed.
local function record(m, due, id, length)
  local kind = 'u'
  if length then
    kind, id = 'x', no_id
  end
  if length and ARGV[2] == '1' then
    pcall(due_append, KEYS[7], {due_field(m.body)}, {due_record('x', now, now, no_id)}, length == 1)
  end
  if m.trace and #m.trace == 25 then
    local expiry = due + tonumber(ARGV[3])
    pcall(function()
      trace_append(KEYS[8], digest(m.body), trace_record(kind, due, now, id, m.trace, expiry), now)
    end)
  end
end

-- remember(m, entry, due, history) keeps the history with the message.
local function remember(m, entry, due, history)
  local keep = due + tonumber(ARGV[4])
  local field = redis.sha1hex(m.body)
  history = history_add(history_longer(history, m.history or ''), entry, m, now, keep)
  redis.call('HSET', KEYS[6], field, attempts_text(0, 0, 0, history))
end

-- put(m, delay, id) adds a message and returns its due time, and the length of the ready
-- list where it went there; or nil and 'taken', or nil and an error reply.
local function put(m, delay, id)
  if delay == '' then
    return now, redis.call('RPUSH', KEYS[5], m.body)
  end
  local due = now + tonumber(delay)
  local head, problem = add(element_pack(id, m.body), ms_text(due), ARGV[5])
  if not head then
    return nil, problem
  end
  return due, nil
end

for i = 6, #ARGV, 3 do
  local entry, delay, id = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local found = redis.call('XRANGE', KEYS[4], entry, entry)
  local status = 'gone'
  -- Half an id would match the first entry of that ms.
  if #found > 0 and found[1][1] == entry then
    local fields, m = found[1][2], {}
    for j = 1, #fields, 2 do
      m[fields[j]] = fields[j + 1]
    end
    status = 'malformed'
    if m.body and (m.reason ~= 'malformed' or ARGV[1] == '1') then
      local field = redis.sha1hex(m.body)
      local _, _, _, history = attempts_parse(redis.call('HGET', KEYS[6], field), now)
      local due, more = put(m, delay, id)
      if due then
        redis.call('XDEL', KEYS[4], entry)
        if not pcall(remember, m, entry, due, history) then
          pcall(redis.call, 'HDEL', KEYS[6], field)
        end
        record(m, due, id, more)
        status = 'redriven'
      elseif more == 'taken' then
        status = 'taken'
      else
        return more
      end
    end
  end
  out[#out + 1] = status
end
pcall(attempts_sweep, KEYS[6], now, 4)
return out
