-- replace: gives pending elements other payloads.
-- Needs: types clock layout element digest trace index attempts
-- KEYS: 1 timeout set  2 pending list  3 traces  4 attempts  5 names  6 ids
-- ARGV: 1 microseconds after which no further element is begun  2 most list entries to search for
--        elements that are not where they are looked for  3... of each element: as it is, as it
--        shall be, and where in the list it was, '' where that is not known
-- Reply: {microseconds spent, then for each element that was dealt with '1' replaced, '0' no
--   longer pending, '2' left alone: there is such a one already}
--
-- An element keeps its id, its score and its place in the list; so the message keeps its ID, and
-- its order among those of one score. Records that are found by the payload move: the trace and the
-- index of what is known of the message. Records delay nothing: what fails there is passed over. Nothing is published, since no due time changes.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list', KEYS[3], 'zset', KEYS[4], 'hash', KEYS[5], 'hash', KEYS[6], 'zset')
if wrong then
  return wrong
end
local budget, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local now, seconds, micros = clock_now()
local length, scanned = redis.call('LLEN', KEYS[2]), 0
redis.call('ZREM', KEYS[1], 'duequeue:nothing') -- so that a full Redis accepts the rest

-- place_of(element, hint) returns its index in the list, nil where it is not there. Others take
-- entries out: seen from where it was, it is as near or nearer to the head.
local function place_of(element, hint)
  if length == 0 then
    return nil
  end
  if hint then
    if redis.call('LINDEX', KEYS[2], hint) == element then
      return hint
    end
    local first = math.max(hint - 63, 0)
    local near = redis.call('LRANGE', KEYS[2], first, hint)
    for i = #near, 1, -1 do
      if near[i] == element then
        return first + i - 1
      end
    end
  end
  scanned = scanned + length
  return redis.call('LPOS', KEYS[2], element, 'RANK', -1) or nil
end

-- move_records(payload, fresh, kind, id) lets what is kept by the payload be found by the new one.
local function move_records(payload, fresh, kind, id)
  local member = redis.call('EXISTS', KEYS[3]) == 1 and trace_find(KEYS[3], digest(payload), kind .. id)
  if member then
    redis.call('ZADD', KEYS[3], 0, digest(fresh) .. string.sub(member, MEMBER_KIND))
    redis.call('ZREM', KEYS[3], member) -- last: a key that was empty in between would have no end
  end
  if kind == 'x' then
    return
  end
  local field = record_field(kind, id)
  local value = redis.call('HGET', KEYS[4], field)
  local m = value and record_read(value, now)
  if m and m.digest then
    index_remove(KEYS[6], m.digest, m.indexed, field)
    m.digest = redis.sha1hex(fresh)
    record_put(KEYS[4], KEYS[5], field, m, now)
    index_add(KEYS[6], m.digest, m.failed, field, m.kept - now)
  end
end

local out = {0}
for i = 3, #ARGV, 3 do
  local element, fresh = ARGV[i], ARGV[i + 1]
  local score = redis.call('ZSCORE', KEYS[1], element)
  local told = '0'
  if score then
    told = '2'
    local index = place_of(element, tonumber(ARGV[i + 2]))
    if redis.call('ZADD', KEYS[1], 'NX', score, fresh) == 1 then
      if index then
        redis.call('LSET', KEYS[2], index, fresh)
      end
      redis.call('ZREM', KEYS[1], element)
      told = '1'
      local payload, kind, id = element_parse(element, true)
      local new = element_parse(fresh, true)
      if payload and new then
        pcall(move_records, payload, new, kind, id)
      end
    end
  end
  out[#out + 1] = told
  local _, s, u = clock_now()
  out[1] = (s - seconds) * 1000000 + (u - micros)
  if out[1] >= budget or scanned >= most then
    break
  end
end
return out
