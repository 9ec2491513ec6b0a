-- types: refuse a key of the wrong type before the first write.

-- wrong_type(key, want, ...) takes pairs of key and wanted type. It returns an
-- error reply for the first key that exists with another type, otherwise nil.
local function wrong_type(...)
  local pairs_given = {...}
  for i = 1, #pairs_given, 2 do
    local key, want = pairs_given[i], pairs_given[i + 1]
    local got = redis.call('TYPE', key).ok
    if got ~= 'none' and got ~= want then
      return redis.error_reply('WRONGTYPE want=' .. want .. ' got=' .. got .. ' key=' .. key)
    end
  end
  return nil
end
