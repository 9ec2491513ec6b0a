-- settle: acks; needs base. Each list of bodies in flight is a key, with one
-- argument:  W<n>[ <attempts field>...]      the whole fetch of n messages is done
--            P<i>,<j>...[ <attempts field>...]   these indexes are done
-- A list that is gone was reaped: its acks do nothing.

-- settle(k, a, fetches, attempts) settles lists from KEYS[k] by the arguments from
-- ARGV[a] and returns how many acks had no effect. The caller has begun with a
-- removing write. Nothing here can lose a message: what fails is settled again.
local function settle(k, a, fetches, attempts)
  local stale = 0
  for i = k, #KEYS do
    local key, what, there, fields = KEYS[i], ARGV[a + i - k], false, nil
    local space = string.find(what, ' ', 1, true)
    if space then
      fields = string.sub(what, space + 1)
      what = string.sub(what, 1, space - 1)
    end
    if string.byte(what) == 87 then
      there = redis.call('DEL', key) == 1
      redis.call('SREM', fetches, nonce_of(key))
      if not there then
        stale = stale + tonumber(string.sub(what, 2))
      end
    else
      local len, mark = redis.call('LLEN', key), tomb(nonce_of(key), 'ack')
      there = len > 0
      for index in string.gmatch(what, '%d+') do
        index = tonumber(index)
        if index > 0 and index < len then
          redis.call('LSET', key, index, mark)
        else
          stale = stale + 1
        end
      end
    end
    if fields and there then
      for field in string.gmatch(fields, '%x+') do
        redis.call('HDEL', attempts, field)
      end
    end
  end
  return stale
end
