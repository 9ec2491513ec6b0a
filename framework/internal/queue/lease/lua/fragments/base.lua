-- base: small things that most scripts of this package need.

-- At most this many arguments per call: unpack of thousands overflows Lua's stack.
local CHUNK = 900

local function spread(command, key, args)
  local n = #args
  for i = 1, n, CHUNK do
    redis.call(command, key, unpack(args, i, math.min(i + CHUNK - 1, n)))
  end
end

local function nonce_of(key)
  return string.sub(key, -16)
end

-- A settled message leaves a tombstone at its index, which no payload can equal:
-- the nonce is random and stands in no payload. The note says how it was settled,
-- so that a repeated request gets the answer of the first one.
local function tomb(nonce, note)
  return '\0duequeue:settled:' .. nonce .. ':' .. note
end

-- settled(nonce, body) returns the note of a tombstone, nil for a body.
local function settled(nonce, body)
  local mark = tomb(nonce, '')
  if string.sub(body, 1, #mark) == mark then
    return string.sub(body, #mark + 1)
  end
  return nil
end
