-- settle: acks.
-- Needs: base forgetfields journaladd
-- Each list of bodies in flight is a key, with one argument, in which fields are in hex, as
-- of counters:
--   W<n>[ <attempts field>...]          all n messages of the fetch end with this request
--   P<i>,<j>...[ <attempts field>...]   these indexes are done
--   D[<i>,<j>...][ <attempts field>...] these too, and the process believes all others
--                                       settled: the list goes where that is so
-- A list that is gone was reaped: its acks do nothing. After a rollback of Redis (a
-- failover to a replica that lags) a list may hold bodies that the process believes
-- settled. Only what one request names by itself is deleted unseen; a list with such a
-- body stays, and the process gives the body back as one of a fetch that it does not know.
--
-- The last key may be the journal of the queue: then behind the acks stand for how long it
-- keeps records, how many, and pages, as of journal.

-- live(key) reports whether a list holds a body.
local function live(key)
  local nonce = nonce_of(key)
  for index = 1, redis.call('LLEN', key) - 1 do
    if not settled(nonce, redis.call('LINDEX', key, index)) then
      return true
    end
  end
  return false
end

-- settle(k, a, fetches, attempts, names, ids) settles lists from KEYS[k] by the arguments from
-- ARGV[a]. It returns how many acks had no effect, how many fetches ended, and how many
-- stay open against the process's belief. The caller has begun with a removing write.
-- Nothing here can lose a message: what fails is settled again.
local function settle(k, a, fetches, attempts, names, ids)
  local stale, ended, left, last = 0, 0, 0, #KEYS
  if #ARGV - a > last - k then
    last = last - 1
    local pages = a + last - k + 3
    pcall(journal_add, KEYS[last + 1], tonumber(ARGV[pages - 2]), tonumber(ARGV[pages - 1]), pages)
  end
  for i = k, last do
    local key, what, there, fields = KEYS[i], ARGV[a + i - k], false, nil
    local space = string.find(what, ' ', 1, true)
    if space then
      fields = string.sub(what, space + 1)
      what = string.sub(what, 1, space - 1)
    end
    local kind = string.byte(what)
    if kind == 87 then
      there = redis.call('DEL', key) == 1
      ended = ended + redis.call('SREM', fetches, nonce_of(key))
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
      if kind == 68 then
        if live(key) then
          left = left + 1
        else
          redis.call('DEL', key)
          ended = ended + redis.call('SREM', fetches, nonce_of(key))
        end
      end
    end
    if fields and there then
      forget_fields(attempts, names, ids, fields)
    end
  end
  return stale, ended, left
end
