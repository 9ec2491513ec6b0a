-- attempts: counters per payload, field = sha1hex(payload),
-- value = "delivered,failed,died;", redriven %06d | kept until ms %016d, and the records
-- of a message that was redriven, see history. Older versions, which may write the same
-- hash, take all behind the ";" for a history: they hand it on as it is, and write
-- nothing there for a message without one.
--
-- Who takes a message away that waits for its retry may know nothing of its counters:
-- Java takes it, or it is cancelled. So they count until a week after the message was
-- due or came back to the ready list. Later an equal payload begins anew.

local ATTEMPTS_KEEP = 604800000
-- What an older version wrote is kept for so long after it was first seen.
local ATTEMPTS_OLD = 2592000000

local function attempts_kept(value)
  local kept = string.match(value, '^[^;]*;%d%d%d%d%d%d(' .. string.rep('%d', 16) .. ')')
  return tonumber(kept)
end

-- attempts_parse(value, now) returns the three numbers and what is behind them; zeros
-- for counters that are over, zeros and '' for a missing or unreadable value.
local function attempts_parse(value, now)
  if not value then
    return 0, 0, 0, ''
  end
  local counts, history = value, ''
  local at = string.find(value, ';', 1, true)
  if at then
    counts = string.sub(value, 1, at - 1)
    history = string.sub(value, at + 1)
    local kept = attempts_kept(value)
    if kept and kept < now then
      counts = ''
    end
  end
  local delivered, failed, died = string.match(counts, '^(%d+),(%d+),(%d+)$')
  return tonumber(delivered) or 0, tonumber(failed) or 0, tonumber(died) or 0, history
end

-- attempts_told(history) returns a history, '' where there is no more than the time
-- until which counters are kept.
local function attempts_told(history)
  if string.sub(history, 1, 6) == '000000' then
    return ''
  end
  return history
end

-- attempts_text(delivered, failed, died, history, due) keeps the counters, and the
-- history with them, for a week after due; without due for as long as history says.
local function attempts_text(delivered, failed, died, history, due)
  local counts = string.format('%d,%d,%d', delivered, failed, died)
  if due then
    if #history < 22 then
      history = '0000000000000000000000'
    end
    local keep = math.max(tonumber(string.sub(history, 7, 22)) or 0, due + ATTEMPTS_KEEP)
    history = string.sub(history, 1, 6) .. string.format('%016.0f', keep) .. string.sub(history, 23)
  end
  return counts .. ';' .. history
end

-- attempts_sweep(key, now, some) looks at some payloads and forgets those whose
-- counters are over. It returns how many. That is told by the value alone, and whoever
-- counts writes a new one: none is lost that counts.
local function attempts_sweep(key, now, some)
  local gone = 0
  for _, field in ipairs(redis.call('HRANDFIELD', key, some)) do
    local value = redis.call('HGET', key, field)
    local kept = attempts_kept(value)
    if not kept then
      local d, f, x = attempts_parse(value, now)
      redis.call('HSET', key, field, attempts_text(d, f, x, '', now + ATTEMPTS_OLD - ATTEMPTS_KEEP))
    elseif kept < now then
      redis.call('HDEL', key, field)
      gone = gone + 1
    end
  end
  return gone
end
