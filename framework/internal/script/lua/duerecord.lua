-- duerecord: what a due record tells, an entry's or a slot's as well, and the name of a payload
-- in an entry.

-- due_kind(record) is its kind, whether that is a guess or not (see due_guess).
local function due_kind(record)
  return string.lower(string.sub(record, 1, 1))
end

-- due_known(record) is whether it tells anything.
local function due_known(record)
  return string.byte(record) ~= 45 -- '-'
end

local function due_name(payload)
  if #payload <= 512 then
    return payload
  end
  return '#' .. redis.sha1hex(payload)
end
