-- records: strings of fixed-size records, oldest first, kept in hashes.
-- A batch costs one HMGET, one HSET and one HDEL whatever its size; callers keep
-- batches at 400 fields or fewer (unpack).

-- records_load(key, fields) returns field -> string of records for the distinct
-- fields of a batch.
local function records_load(key, fields)
  local names, seen = {}, {}
  for _, f in ipairs(fields) do
    if not seen[f] then
      seen[f] = true
      names[#names + 1] = f
    end
  end
  local held = {}
  if #names > 0 then
    local values = redis.call('HMGET', key, unpack(names))
    for i, f in ipairs(names) do
      held[f] = values[i] or ''
    end
  end
  return held
end

-- records_store(key, held) writes a table of field -> records back; an empty
-- string removes its field. The removing command goes first.
local function records_store(key, held)
  local set, del = {}, {}
  for f, value in pairs(held) do
    if value == '' then
      del[#del + 1] = f
    else
      set[#set + 1] = f
      set[#set + 1] = value
    end
  end
  if #del > 0 then
    redis.call('HDEL', key, unpack(del))
  end
  if #set > 0 then
    redis.call('HSET', key, unpack(set))
  end
end
