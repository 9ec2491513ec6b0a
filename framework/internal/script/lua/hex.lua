-- hex: a few bytes, those of an id, as hex digits.

local function hex_of(bytes)
  return string.format(string.rep('%02x', #bytes), string.byte(bytes, 1, -1))
end

-- hex_bytes(text) reads them back. What is no pair of digits stays as it is.
local function hex_bytes(text)
  return (string.gsub(text, '%x%x', function(pair)
    return string.char(tonumber(pair, 16))
  end))
end
