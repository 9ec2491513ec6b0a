-- index: finds what is kept by id where only the payload is known, because a transfer by
-- Java dropped the id.
-- Needs: layout expire
-- Key: a sorted set, all scores 0. Member: digest (40 hex) | 255 - failures (1 byte, at
-- most 255 count) | kind 1 | id 8. Members of one digest stand together, the highest
-- count of failures first, then the oldest id. Each call is O(log n), however many
-- payloads are equal.
--
-- The digest also tells what is looked for, so that nobody removes another's member:
-- trace records stand under digest(payload), records of messages under the sha1hex of
-- the payload. A member whose record is gone is removed by who finds it.

local function index_member(name, count, kindid)
  return name .. string.char(255 - math.min(count, 255)) .. kindid
end

-- index_add(key, digest, failed, kindid, ms) adds one; the key lives at least ms more.
local function index_add(key, name, count, kindid, ms)
  redis.call('ZADD', key, 0, index_member(name, count, kindid))
  expire_extend(key, ms)
end

-- index_remove(key, digest, failed, kindid) removes it. It is no error where it is gone.
local function index_remove(key, name, count, kindid)
  redis.call('ZREM', key, index_member(name, count, kindid))
end

-- index_find(key, digest, most) returns at most so many {failed, kindid}, in their order.
local function index_find(key, name, most)
  local out = {}
  local found = redis.call('ZRANGEBYLEX', key, '[' .. name, '(' .. name .. string.rep('\255', 11), 'LIMIT', 0, most)
  for i = 1, #found do
    out[i] = {255 - string.byte(found[i], INDEX_COUNT), string.sub(found[i], INDEX_FIELD)}
  end
  return out
end
