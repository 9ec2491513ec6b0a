-- counts: how many messages are where, at one moment, and since when the oldest one that is due
-- waits to be started. Where nothing tells when the head of the ready list was due, a mark
-- keeps since when it was seen there.
-- Needs: types clock layout duerecord digest due expire
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 sessions  5 dead store  6 due list
--       7 mark of the head
-- ARGV: none
-- Reply: {ready, delayed, overdue, length of the pending list, sessions, dead,
--         score of the head or '', seconds, microseconds, score of the first that is overdue
--         or '', since when the head of the ready list was due, in ms, '' where that is not
--         known, since when it was ready at the latest, or '', when the lease of the first
--         session ended, or ''}
--
-- Mark: ms %016d | ready messages then %016d | digest of the head. Where there are fewer than
-- then, or another head, messages were taken, and it begins anew. Where nothing is ready it goes: an equal
-- payload that comes later is not older than it is.

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'list', KEYS[4], 'zset', KEYS[5], 'stream')
if wrong then
  return wrong
end
local now, seconds, micros = clock_now()
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local ready = redis.call('LLEN', KEYS[3])

-- told() reads from the due list when the head was due and, else, a message behind it ready.
local function told(first)
  local length = redis.call('LLEN', KEYS[6])
  local from = math.max(length - ready, 0)
  local entries = redis.call('LRANGE', KEYS[6], from, from + 63)
  local name, begin, looked = due_name(first), 1, 0
  for i = 1, #entries do
    if due_marks(entries[i]) then
      begin = i + 1
    end
  end
  for i = begin, #entries do
    if due_known(entries[i]) and string.sub(entries[i], ENTRY_NAME) == name then
      local ms = string.sub(entries[i], DUE_MS, DUE_MS_END)
      if due_kind(entries[i]) == 'g' then -- of its first take
        return '', ms
      end
      return ms, ''
    end
  end
  for i = begin, #entries do
    if due_known(entries[i]) and looked < 4 then
      looked = looked + 1
      local body = redis.call('LINDEX', KEYS[3], from + i - 1 - length)
      if body and due_name(body) == string.sub(entries[i], ENTRY_NAME) then
        return '', string.sub(entries[i], DUE_WRITTEN, DUE_WRITTEN_END)
      end
    end
  end
  return '', ''
end

-- seen(first) returns since when it is known to be the head.
local function seen(first)
  local name = digest(first)
  local mark = redis.pcall('GET', KEYS[7])
  if type(mark) == 'string' and string.sub(mark, 33) == name and ready >= tonumber(string.sub(mark, 17, 32))
    and tonumber(string.sub(mark, 1, 16)) <= now then
    return string.sub(mark, 1, 16)
  end
  local since = string.format('%016.0f', now)
  redis.pcall('SET', KEYS[7], since .. string.format('%016.0f', ready) .. name, 'PX', EXPIRE_DAY)
  return since
end

local due, latest = '', ''
if ready == 0 then
  redis.pcall('DEL', KEYS[7])
end
local first = ready > 0 and redis.call('LINDEX', KEYS[3], 0)
if first then
  if redis.call('TYPE', KEYS[6]).ok == 'list' and #first <= 1048576 then -- the digest of more takes long
    due, latest = told(first)
  end
  if due == '' then
    local since = seen(first)
    if latest == '' or tonumber(since) < tonumber(latest) then
      latest = since
    end
  end
end
-- A negative score is never due to Redisson; Go buries it.
local overdue = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ms_text(now), 'WITHSCORES', 'LIMIT', 0, 1)
local ended = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', ms_text(now), 'WITHSCORES', 'LIMIT', 0, 1)
return {
  ready, redis.call('ZCARD', KEYS[1]),
  redis.call('ZCOUNT', KEYS[1], '-inf', ms_text(now)), redis.call('LLEN', KEYS[2]),
  redis.call('ZCARD', KEYS[4]), redis.call('XLEN', KEYS[5]),
  head[2] or '', seconds, micros, overdue[2] or '', due, latest, ended[2] or '',
}
