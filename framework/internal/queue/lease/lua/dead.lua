-- dead: moves a message in flight to the dead store, unless it was cancelled meanwhile.
-- Needs: types clock refusal attempts base header hash bury
-- KEYS: 1 list in flight  2 dead  3 attempts  4 names  5 ids
-- ARGV: 1 index  2 reason  3 detail  4 charge 0|1
--       5 trace context (25 bytes, or '' for that of the message)
-- Reply: {'dead', entry} | {'cancelled'}: see forbid | {'gone'}; a repetition gets the first reply again
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'stream', KEYS[3], 'hash', KEYS[4], 'hash',
  KEYS[5], 'zset')
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
  local entry = string.match(note, '^dead (%d+%-%d+)$')
  if entry then
    return {'dead', entry}
  end
  return {note == 'cancelled' and note or 'gone'}
end
local now = clock_now()
local header = redis.call('LINDEX', list, 0)
local dues, traces, cancelled = header_parts(header)
local rec, traced = header_due(dues, index), header_traces(traces)[index]
local kind, origin, id = slot_id(rec, nonce, index, header_taken(header))
local field = record_field(kind, id)
if header_cancelled(cancelled, index) then
  begin(KEYS[3])
  redis.call('LSET', list, index, tomb(nonce, 'cancelled'))
  record_drop(KEYS[3], KEYS[4], KEYS[5], field)
  return {'cancelled'}
end
local m = record_read(redis.call('HGET', KEYS[3], field), now) or record_new(kind, origin, id)
m.delivered = m.delivered + 1
m.failed = m.failed + tonumber(ARGV[4])

redis.call('XDEL', KEYS[2], '0-0') -- on nothing: what is refused must be undone by it
local context = ARGV[5] ~= '' and ARGV[5] or context_of(traced)
local entry = bury(KEYS[2], now, body, ARGV[2], ARGV[3], m, rec, context)
local set = redis.pcall('LSET', list, index, tomb(nonce, 'dead ' .. entry))
if failed(set) then
  redis.call('XDEL', KEYS[2], entry) -- or each repetition would add another one
  return refusal('LSET', set)
end
record_drop(KEYS[3], KEYS[4], KEYS[5], field)
return {'dead', entry}
