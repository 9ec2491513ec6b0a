-- digest: the name of a payload; same as Digest in digest.go.
local function digest(payload)
  local len = #payload
  if len <= 4096 then
    return redis.sha1hex(payload .. len)
  end
  return redis.sha1hex(string.sub(payload, 1, 2048) .. string.sub(payload, -2048) .. len)
end
