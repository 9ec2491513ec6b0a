-- sample: a few of the pending elements and ready payloads: of the head, the middle and
-- the tail, three each. Writes nothing.
-- Needs: types some
-- KEYS: 1 timeout set  2 ready list
-- ARGV: 1 longest element or payload in bytes; longer ones are left out, and
--        behind about 1 MiB all
-- Reply: {{element...}, {payload...}}

local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'list')
if wrong then
  return wrong
end
local longest = tonumber(ARGV[1])

-- some(size, read) returns elements by read(place), each place once: the head of each
-- part first.
local function some(size, read)
  local places, seen, out = {}, {}, {}
  for i = 0, 2 do
    for _, first in ipairs({0, math.floor(size / 2) - 1, size - 3}) do
      local place = first + i
      if place >= 0 and place < size and not seen[place] then
        places[#places + 1], seen[place] = place, true
      end
    end
  end
  for _, e in ipairs(read_some(#places, SOME_BYTES, function(i) return read(places[i + 1]) end)) do
    if #e <= longest then
      out[#out + 1] = e
    end
  end
  return out
end

return {
  some(redis.call('ZCARD', KEYS[1]), function(place)
    return redis.call('ZRANGE', KEYS[1], place, place)[1]
  end),
  some(redis.call('LLEN', KEYS[2]), function(place)
    return redis.call('LINDEX', KEYS[2], place)
  end),
}
