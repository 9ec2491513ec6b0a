-- settle: acks; needs base. Each list of bodies in flight is a key, with one
-- argument:  W<n>[ <attempts field>...]      the whole fetch of n messages is done
--            P<i>,<j>...[ <attempts field>...]   these indexes are done
-- A list that is gone was reaped: its acks do nothing.

-- acks_read(k, a) reads lists from KEYS[k] and arguments from ARGV[a]; no writes.
local function acks_read(k, a)
  local acks = {lists = {}, nonces = {}, marks = {}, fields = {}, stale = 0}
  for i = k, #KEYS do
    local key, what, fields = KEYS[i], ARGV[a + i - k], nil
    local len = redis.call('LLEN', key)
    local space = string.find(what, ' ', 1, true)
    if space then
      what, fields = string.sub(what, 1, space - 1), string.sub(what, space + 1)
    end
    if string.byte(what) == 87 then
      acks.nonces[#acks.nonces + 1] = nonce_of(key)
      if len > 0 then
        acks.lists[#acks.lists + 1] = key
      else
        acks.stale = acks.stale + tonumber(string.sub(what, 2))
      end
    else
      for index in string.gmatch(what, '%d+') do
        index = tonumber(index)
        if index > 0 and index < len then
          acks.marks[#acks.marks + 1] = {key, index}
        else
          acks.stale = acks.stale + 1
        end
      end
    end
    if fields and len > 0 then
      for field in string.gmatch(fields, '%x+') do
        acks.fields[#acks.fields + 1] = field
      end
    end
  end
  return acks
end

-- acks_apply(acks, fetches, attempts) is the first write of its script: a removing
-- one in any case.
local function acks_apply(acks, fetches, attempts)
  if #acks.lists > 0 then
    redis.call('DEL', unpack(acks.lists))
  else
    redis.call('SREM', fetches, '')
  end
  spread('SREM', fetches, acks.nonces)
  for _, m in ipairs(acks.marks) do
    redis.call('LSET', m[1], m[2], tomb(nonce_of(m[1]), 'ack'))
  end
  spread('HDEL', attempts, acks.fields)
end
