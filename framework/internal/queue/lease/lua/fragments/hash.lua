-- hash: batches of fields.
-- Needs: base

-- begin(hash) is a removing command on nothing. Redis lets a script write at full
-- memory once it has begun with a removing write; a no-op is enough.
local function begin(hash)
  redis.call('HDEL', hash, '')
end

local function hmget(key, fields)
  local n = #fields
  if n > 0 and n <= CHUNK then
    return redis.call('HMGET', key, unpack(fields))
  end
  local out = {}
  for i = 1, n, CHUNK do
    local last = math.min(i + CHUNK - 1, n)
    local part = redis.call('HMGET', key, unpack(fields, i, last))
    for j = i, last do
      out[j] = part[j - i + 1]
    end
  end
  return out
end
