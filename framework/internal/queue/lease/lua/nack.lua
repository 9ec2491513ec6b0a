-- nack: a message did not succeed: offer it again later, or give it up.
-- Needs: types clock refusal digest trace element attempts hex base header hash bury
-- KEYS: 1 list in flight  2 timeout set  3 pending list  4 channel  5 attempts
--       6 trace  7 dead  8 names  9 ids
-- ARGV: 1 index  2 charge 0|1, or '-' where no handler was called: it is no hand-out either
--       3 max attempts (0 no limit)  4 delay ms
--       5 new element id (8 bytes)  6 reason  7 detail
--       8 trace context (25 bytes, or '' for that of the message)
--       9 ms that a trace record outlives its due time  10 '1' where the pending list is kept
--       11 where its handler hung, how often it may; else 0
-- Reply: {'retried', due ms, delivered, failed} | {'dead', entry, delivered, failed}
--        | {'cancelled', '-', delivered, failed}: its retry was forbidden, see forbid
--        | {'gone'} | {'taken'} another element has this id: draw a new one.
--        A repetition with the same id gets the first reply again
--
-- An element whose id fits the universal layout keeps it. Java's ids do not fit: such a
-- message is offered again under the new id, and names tells where its ID leads.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'zset', KEYS[3], 'list', KEYS[5], 'hash',
  KEYS[6], 'zset', KEYS[7], 'stream', KEYS[8], 'hash', KEYS[9], 'zset')
if wrong then
  return wrong
end
local list, index, nonce = KEYS[1], tonumber(ARGV[1]), nonce_of(KEYS[1])
local body = redis.call('LINDEX', list, index)
if not body or index < 1 then
  return {'gone'}
end
local note = settled(nonce, body)
if note then
  local what, id, value, d, f = string.match(note, '^(%a+) (%x+) (%S+) (%d+) (%d+)$')
  if what and id == hex_of(ARGV[5]) then
    return {what, value, d, f}
  end
  return {'gone'}
end

local now, limit, hangs = clock_now(), tonumber(ARGV[3]), tonumber(ARGV[11])
local header = redis.call('LINDEX', list, 0)
local dues, traces, cancelled = header_parts(header)
local rec, traced = header_due(dues, index), header_traces(traces)[index]
local kind, origin, id = slot_id(rec, nonce, index, header_taken(header))
local field = record_field(kind, id)
local held = redis.call('HGET', KEYS[5], field)
local m = record_read(held, now) or record_new(kind, origin, id)
m.delivered = m.delivered + (ARGV[2] == '-' and 0 or 1)
m.failed = m.failed + (tonumber(ARGV[2]) or 0)
m.hung = m.hung + (hangs > 0 and 1 or 0)

begin(KEYS[5])
-- tombstone(what, value) settles the message. It returns the reply, or nil and a refusal.
local function tombstone(what, value)
  local text = what .. ' ' .. hex_of(ARGV[5]) .. ' ' .. value .. ' ' .. m.delivered .. ' ' .. m.failed
  local set = redis.pcall('LSET', list, index, tomb(nonce, text))
  if failed(set) then
    return nil, refusal('LSET', set)
  end
  return {what, value, tostring(m.delivered), tostring(m.failed)}
end

if header_cancelled(cancelled, index) then
  local reply, refused = tombstone('cancelled', '-')
  if refused then
    return refused
  end
  record_drop(KEYS[5], KEYS[8], KEYS[9], field)
  return reply
end

if ARGV[2] == '1' and limit > 0 and m.failed >= limit or hangs > 0 and m.hung >= hangs then
  redis.call('XDEL', KEYS[7], '0-0') -- on nothing: what is refused must be undone by it
  local entry = bury(KEYS[7], now, body, ARGV[6], ARGV[7], m, rec, context_of(traced))
  local reply, refused = tombstone('dead', entry)
  if refused then
    redis.call('XDEL', KEYS[7], entry)
    return refused
  end
  record_drop(KEYS[5], KEYS[8], KEYS[9], field)
  return reply
end

local due, listed = now + tonumber(ARGV[4]), ARGV[10] == '1'
m.due = due
m.first = m.first or due_surely(rec) or header_taken(header)
m.digest = redis.sha1hex(body)
if kind ~= 'u' or string.byte(id, 1) ~= 7 then
  id = ARGV[5]
end
-- offer() adds the element under its id, and the record before it. From here on, what is
-- refused undoes what came before: the caller repeats it, and each time would add another
-- copy and another failure.
local element, new_field
local function uncount()
  if held and new_field == field then
    redis.call('HSET', KEYS[5], field, held)
  else
    redis.call('HDEL', KEYS[5], new_field)
  end
end
local function offer()
  element, new_field = element_pack(id, body), record_field('u', id)
  redis.call('HSET', KEYS[5], new_field, record_text(m, now))
  local added = redis.pcall('ZADD', KEYS[2], 'NX', ms_text(due), element)
  if failed(added) or added == 0 then
    uncount()
  end
  return added
end
local added = offer()
if added == 0 and id ~= ARGV[5] then
  id = ARGV[5]
  added = offer()
end
if failed(added) then
  return refusal('ZADD', added)
end
if added == 0 then
  return {'taken'}
end
if listed then
  local pushed = redis.pcall('RPUSH', KEYS[3], element)
  if failed(pushed) then
    redis.call('ZREM', KEYS[2], element)
    uncount()
    return refusal('RPUSH', pushed)
  end
end
local reply, refused = tombstone('retried', ms_text(due))
if refused then
  redis.call('ZREM', KEYS[2], element)
  if listed then
    redis.call('LREM', KEYS[3], -1, element)
  end
  uncount()
  return refused
end
-- It is settled, and what follows delays nothing.
pcall(function()
  if new_field ~= field then
    redis.call('HDEL', KEYS[5], field)
  end
  record_wait(KEYS[5], KEYS[8], KEYS[9], new_field, m, now)
end)
local context = ARGV[8]
if context == '' then
  context = context_of(traced)
end
if context ~= '' then
  local expiry = due + tonumber(ARGV[9])
  pcall(function()
    trace_append(KEYS[6], digest(body), trace_record('u', due, now, id, context, expiry), now)
  end)
end
pcall(attempts_sweep, KEYS[5], KEYS[8], KEYS[9], now, 2) -- it grows by one at a time
if redis.call('ZRANGE', KEYS[2], 0, 0)[1] == element then
  redis.call('PUBLISH', KEYS[4], ms_text(due))
end
return reply
