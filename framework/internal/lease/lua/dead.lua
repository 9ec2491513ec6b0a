-- dead: moves a message in flight to the dead store.
-- Needs: types clock refusal digest attempts dead base hash header giveback.
-- KEYS: 1 list in flight  2 dead  3 attempts
-- ARGV: 1 index  2 reason  3 detail  4 charge 0|1
--       5 trace context (25 bytes, or '' for that of the message)
-- Reply: {'dead', entry} | {'gone'}; a repetition gets the first reply again
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'stream', KEYS[3], 'hash')
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
  return {'gone'}
end
local now = clock_now()
local field = redis.sha1hex(body)
local delivered, failures, died, history = attempts_parse(redis.call('HGET', KEYS[3], field), now)
local dues, traces = header_parts(redis.call('LINDEX', list, 0))
local traced = header_traces(traces)[index]

begin(KEYS[3])
local rec = header_due(dues, index) or traced
if ARGV[5] ~= '' then
  traced = string.rep(' ', 41) .. ARGV[5]
end
local entry = bury(KEYS[2], now, body, ARGV[2], ARGV[3], delivered + 1,
  failures + tonumber(ARGV[4]), died, rec, rec and traced, history)
local set = redis.pcall('LSET', list, index, tomb(nonce, 'dead ' .. entry))
if failed(set) then
  redis.call('XDEL', KEYS[2], entry) -- or each repetition would add another one
  return refusal('LSET', set)
end
redis.call('HDEL', KEYS[3], field)
return {'dead', entry}
