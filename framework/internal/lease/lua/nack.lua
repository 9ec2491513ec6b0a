-- nack: a message did not succeed: offer it again later, or give it up.
-- Needs: types clock refusal digest records due trace element attempts dead base hash header giveback.
-- KEYS: 1 list in flight  2 timeout set  3 pending list  4 channel  5 attempts
--       6 trace  7 dead
-- ARGV: 1 index  2 charge 0|1  3 max attempts (0 no limit)  4 delay ms
--       5 new element id (8 bytes)  6 reason  7 detail
--       8 trace context (25 bytes, or '' for that of the message)
--       9 ms that a trace record outlives its due time  10 '1' where the pending list is kept
-- Reply: {'retried', due ms, delivered, failed} | {'dead', entry, delivered, failed}
--        | {'gone'} | {'taken'} another element has this id: draw a new one.
--        A repetition with the same id gets the first reply again
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'zset', KEYS[3], 'list', KEYS[5], 'hash',
  KEYS[6], 'hash', KEYS[7], 'stream')
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

local now, limit = clock_now(), tonumber(ARGV[3])
local field = redis.sha1hex(body)
local held = redis.call('HGET', KEYS[5], field)
local delivered, failures, died, history = attempts_parse(held, now)
delivered = delivered + 1
failures = failures + tonumber(ARGV[2])
local dues, traces = header_parts(redis.call('LINDEX', list, 0))
local rec, traced = header_due(dues, index), header_traces(traces)[index]

begin(KEYS[5])
-- tombstone(what, value) settles the message. It returns the reply, or nil and a refusal.
local function tombstone(what, value)
  local text = what .. ' ' .. hex_of(ARGV[5]) .. ' ' .. value .. ' ' .. delivered .. ' ' .. failures
  local set = redis.pcall('LSET', list, index, tomb(nonce, text))
  if failed(set) then
    return nil, refusal('LSET', set)
  end
  return {what, value, tostring(delivered), tostring(failures)}
end

if ARGV[2] == '1' and limit > 0 and failures >= limit then
  local entry = bury(KEYS[7], now, body, ARGV[6], ARGV[7], delivered, failures, died, rec, traced, history)
  local reply, refused = tombstone('dead', entry)
  if refused then
    redis.call('XDEL', KEYS[7], entry)
    return refused
  end
  redis.call('HDEL', KEYS[5], field)
  return reply
end

local due = now + tonumber(ARGV[4])
local element = element_pack(ARGV[5], body)
local listed = ARGV[10] == '1'
redis.call('HSET', KEYS[5], field, attempts_text(delivered, failures, died, history, due))
-- From here on, what is refused undoes what came before: the caller repeats it, and each
-- time would add another copy and another failure.
local function uncount()
  if held then
    redis.call('HSET', KEYS[5], field, held)
  else
    redis.call('HDEL', KEYS[5], field)
  end
end
local added = redis.pcall('ZADD', KEYS[2], 'NX', ms_text(due), element)
if failed(added) then
  uncount()
  return refusal('ZADD', added)
end
if added == 0 then
  uncount()
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
local context = ARGV[8]
if context == '' then
  context = context_of(traced)
end
if context ~= '' then
  local expiry = due + tonumber(ARGV[9])
  pcall(function()
    trace_append(KEYS[6], digest(body), trace_record('u', due, now, ARGV[5], context, expiry), now)
  end)
end
pcall(attempts_sweep, KEYS[5], now, 2) -- it grows by one at a time
if redis.call('ZRANGE', KEYS[2], 0, 0)[1] == element then
  redis.call('PUBLISH', KEYS[4], ms_text(due))
end
return reply
