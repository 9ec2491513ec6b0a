-- settings: what operators have set for all processes of a queue.
-- Needs: clock

-- settings(key, now) returns {ms now, then the fields in the order of parse.go, '' for one
-- that is not there}.
local function settings(key, now)
  local reply = redis.call('HMGET', key, 'version', 'pause_reason', 'pause_by', 'pause_at', 'pause_until',
    'rate', 'workers', 'limit_reason', 'limit_by', 'limit_at', 'resumed_by', 'resumed_at', 'moving', 'outbox_written', 'outbox_relayed')
  for i = 1, #reply do
    reply[i] = reply[i] or ''
  end
  table.insert(reply, 1, ms_text(now))
  return reply
end

-- over(key, now) removes a pause whose end has come, so that it does not begin again where
-- the clock is put back. It returns whether there was one. Who may only read leaves it.
local function over(key, now)
  local ends = tonumber(redis.call('HGET', key, 'pause_until') or '')
  if ends and ends <= now then
    return type(redis.pcall('HDEL', key, 'pause_reason', 'pause_by', 'pause_at', 'pause_until')) == 'number'
  end
  return false
end

-- stamp(key, version) gives the hash a new version, or deletes it where nothing else is left.
local function stamp(key, version)
  if redis.call('HLEN', key) - redis.call('HEXISTS', key, 'version') == 0 then
    redis.call('DEL', key)
  else
    redis.call('HSET', key, 'version', version)
  end
end
