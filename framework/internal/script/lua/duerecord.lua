-- duerecord: what the first byte of a due record tells, an entry's or a slot's as well.

-- due_kind(record) is its kind, whether that is a guess or not (see due_guess).
local function due_kind(record)
  return string.lower(string.sub(record, 1, 1))
end

-- due_known(record) is whether it tells anything.
local function due_known(record)
  return string.byte(record) ~= 45 -- '-'
end
