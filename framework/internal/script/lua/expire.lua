-- expire: our keys end by themselves once no Go process writes them any more.

local EXPIRE_DAY = 86400000

-- expire_extend(key, ms) lets a key live for at least ms more, and never shortens its
-- life. A day is added, so that few of many writes change it. Ten years are the most.
local function expire_extend(key, ms)
  ms = math.min(math.max(ms, 0), 315360000000)
  local left = redis.pcall('PTTL', key) -- refused: it ends nothing that a message needs
  if type(left) == 'number' and left < ms then
    redis.pcall('PEXPIRE', key, string.format('%.0f', ms + EXPIRE_DAY))
  end
end
