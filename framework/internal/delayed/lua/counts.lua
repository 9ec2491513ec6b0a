-- counts: how many messages are where, at one moment.
-- Needs: types clock
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 sessions  5 dead store
-- ARGV: none
-- Reply: {ready, delayed, overdue, length of the pending list, sessions, dead,
--         score of the head or '', seconds, microseconds}

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'zset', KEYS[5], 'stream')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {
  redis.call('LLEN', KEYS[3]), redis.call('ZCARD', KEYS[1]),
  redis.call('ZCOUNT', KEYS[1], '-inf', ms_text(now)), redis.call('LLEN', KEYS[2]),
  redis.call('ZCARD', KEYS[4]), redis.call('XLEN', KEYS[5]),
  head[2] or '', seconds, micros,
}
