-- buryready: moves messages of the ready list to the dead store.
-- Needs: types clock stopwatch refusal choose
-- KEYS: 1 queue  2-5 the queue again: see choose  6 attempts  7 due list  8 trace  9 dead
--       10 timeout set  11 names  12 ids
-- ARGV: 1 most µs after which no further one is begun  2 a nonce  3 reason  4 detail
--       5... for each message, at most 100: its place in the list as it was seen, its body
-- Reply: one text for each: the entry in the dead store; 'gone', since nothing equal is near
--       that place or before it; 'later', of those that were not begun
--
-- Each is copied first and removed last: what fails in between doubles it, and never loses it,
-- and the copy is taken back.
local wrong = wrong_type(KEYS[1], 'list', KEYS[6], 'hash', KEYS[7], 'list', KEYS[8], 'zset', KEYS[9], 'stream',
  KEYS[10], 'zset', KEYS[11], 'hash', KEYS[12], 'zset')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local spent, out = stopwatch(seconds, micros), {}
redis.call('XDEL', KEYS[9], '0-0') -- on nothing: so that a full Redis accepts the rest
for i = 5, #ARGV, 2 do
  local body, status = ARGV[i + 1], 'later'
  if i == 5 or (spent() or 0) < tonumber(ARGV[1]) then
    -- Others take from the head, and put back to it what they had.
    local place = redis.call('LPOS', KEYS[1], body, 'MAXLEN', tonumber(ARGV[i]) + 1000)
    status = 'gone'
    if place then
      local ready, entries = redis.call('LLEN', KEYS[1]), redis.call('LLEN', KEYS[7])
      local plan = choose({body}, -1, #body, entries > 0, now, 0, ready, place, nil, nil)
      plan.bury[1][2], plan.bury[1][3] = ARGV[3], ARGV[4]
      local text = plan.write()
      status = string.match(text, '%S+$')
      local removed = redis.pcall('LREM', KEYS[1], 1, body)
      if failed(removed) then
        redis.call('XDEL', KEYS[9], status)
        return refusal('LREM', removed)
      end
      plan.forget()
    end
  end
  out[#out + 1] = status
end
return out
