-- redrive: put messages of the dead store back into the queue.
-- Needs: types clock digest due trace element attempts idtext history add some
-- KEYS: 1 timeout set  2 pending list  3 channel  4 dead store  5 ready list
--        6 attempts  7 due list  8 traces  9 names  10 ids
-- ARGV: 1 '1' to redrive malformed ones, too  2 '1' to write due records
--        3 how long the trace record lives, in ms
--        4 '1' where the pending list is kept  5 most bytes of a payload, 0 for no bound
--        6... for each entry, at most 100: its id in the stream, a delay in ms or ''
--        for the end of the ready list, the 8 bytes of a new element id
-- Reply: one text for each: 'redriven', 'gone', 'malformed', 'oversized', or 'taken': another
--        element has the new id, nothing was changed; 'later': nor was it, since about 1 MiB
--        of others went before, or some fifty
--
-- A redriven message begins anew: it is due now or after its delay, and has no
-- attempts, but its ID, its key and its history. Its element has the id of its ID where
-- that fits, else the new one. It is added first and then taken out of the store: what
-- fails in between doubles it, and never loses it. That the store may be written is
-- tried before, by a removal of nothing.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[4], 'stream', KEYS[5], 'list',
  KEYS[6], 'hash', KEYS[7], 'list', KEYS[8], 'zset', KEYS[9], 'hash', KEYS[10], 'zset')
if wrong then
  return wrong
end
local now = clock_now()
redis.call('XDEL', KEYS[4], '0-0')
local out = {}

-- record(m, due, id, length) writes what handlers learn of a message, as far as it can.
-- length is that of the ready list, nil for one that is delayed.
local function record(m, due, id, length)
  local kind = length and 'p' or 'u'
  if length and ARGV[2] == '1' then
    pcall(function()
      due_append(KEYS[7], {due_entry(due_record(kind, now, now, id), m.body)})
      due_bound(KEYS[7], length, now)
    end)
  end
  if m.trace and #m.trace == 25 then
    local expiry = due + tonumber(ARGV[3])
    pcall(function()
      trace_append(KEYS[8], digest(m.body), trace_record(kind, due, now, id, m.trace, expiry), now)
    end)
  end
end

-- remember(m, entry, due, id, kind, origin, own) keeps ID, key and history with the
-- message. A key that names another message by now stays with that.
local function remember(m, entry, due, id, kind, origin, own)
  local r, field = record_new(kind or 'u', origin or due, own or id), record_field('u', id)
  r.due, r.digest = due, redis.sha1hex(m.body)
  if m.key and m.key ~= '' and redis.call('HEXISTS', KEYS[9], 'k' .. m.key) == 0 then
    r.key = m.key
  end
  r.history = history_add(m.history or '', entry, m, now)
  record_wait(KEYS[6], KEYS[9], KEYS[10], field, r, now)
end

-- put(m, delay, id) adds a message and returns its due time, and the length of the ready
-- list where it went there; or nil and 'taken', or nil and an error reply.
local function put(m, delay, id)
  if delay == '' then
    return now, redis.call('RPUSH', KEYS[5], m.body)
  end
  local due = now + tonumber(delay)
  local head, problem = add(element_pack(id, m.body), ms_text(due), ARGV[4])
  if not head then
    return nil, problem
  end
  return due, nil
end

local bytes = 0 -- an entry counts 20,000 more: so long would take what is done beside the copying
for i = 6, #ARGV, 3 do
  local entry, delay, new = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local found, status = {}, 'later'
  if bytes < SOME_BYTES then
    found, status = redis.call('XRANGE', KEYS[4], entry, entry), 'gone'
    bytes = bytes + 20000
  end
  -- Half an id would match the first entry of that ms.
  if #found > 0 and found[1][1] == entry then
    local fields, m = found[1][2], {}
    for j = 1, #fields, 2 do
      m[fields[j]] = fields[j + 1]
      bytes = bytes + #fields[j + 1]
    end
    status = 'malformed'
    if m.body and ARGV[5] ~= '0' and #m.body > tonumber(ARGV[5]) then
      status = 'oversized'
    elseif m.body and (m.reason ~= 'malformed' or ARGV[1] == '1') then
      local kind, origin, own = id_parse(m.id or '')
      local id = new
      if kind == 'u' and string.byte(own, 1) == 7 then
        id = own
      end
      local due, more = put(m, delay, id)
      if more == 'taken' and id ~= new then
        id = new
        due, more = put(m, delay, id)
      end
      if due then
        redis.call('XDEL', KEYS[4], entry)
        pcall(remember, m, entry, due, id, kind, origin, own)
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
pcall(attempts_sweep, KEYS[6], KEYS[9], KEYS[10], now, 4)
return out
