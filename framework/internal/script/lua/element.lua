-- element: both layouts, without the struct library.

-- u64le(n) packs n < 2^53 into 8 bytes, little endian.
local function u64le(n)
  local b = {}
  for i = 1, 8 do
    b[i] = n % 256
    n = math.floor(n / 256)
  end
  return string.char(b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8])
end

-- element_pack(id, payload): id is the 8 bytes 07 .. 7 bytes.
local function element_pack(id, payload)
  return id .. u64le(#payload) .. payload
end

-- length_at(e, at, want): do the 8 bytes of e from at hold want, little endian?
local function length_at(e, at, want)
  local a, b, c, d, f, g, h, i = string.byte(e, at, at + 7)
  return i == 0 and h == 0 and g == 0 and f == 0
    and a + b * 256 + c * 65536 + d * 16777216 == want
end

-- element_parse(e, empty_ok) returns payload, kind ('u', 'n' or 'x') and the 8
-- bytes of id; or nil and the reason. Same rules as Parse in element.go.
local function element_parse(e, empty_ok)
  local len = #e
  local first = string.byte(e, 1)
  if first == 8 and len >= 17 and length_at(e, 10, len - 17) then
    if len == 17 and not empty_ok and length_at(e, 9, 1) then
      return string.sub(e, 17), 'u', string.sub(e, 1, 8)
    end
    return string.sub(e, 18), 'n', string.sub(e, 2, 9)
  end
  if len >= 16 and length_at(e, 9, len - 16) then
    return string.sub(e, 17), 'u', string.sub(e, 1, 8)
  end
  if first and len >= 9 + first and length_at(e, 2 + first, len - 9 - first) then
    return string.sub(e, 10 + first), 'x', '\0\0\0\0\0\0\0\0'
  end
  if not first then
    return nil, 'the element is empty'
  end
  return nil, 'an element of ' .. len .. ' bytes with first byte ' .. first .. ' fits neither layout'
end
