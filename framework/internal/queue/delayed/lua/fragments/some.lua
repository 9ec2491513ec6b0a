-- some: bodies are read one at a time, since Redis tells the length of none before.

local SOME_BYTES = 1048576 -- about as many of one script

-- read_some(count, most, read) returns what read(0), read(1)… return, at most so many and
-- until that has so many bytes, give or take one; read returns nil where nothing is left.
local function read_some(count, most, read)
  local out, bytes = {}, 0
  while #out < count and bytes < most do
    local body = read(#out)
    if not body then
      break
    end
    out[#out + 1] = body
    bytes = bytes + #body
  end
  return out
end
