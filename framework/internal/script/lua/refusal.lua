-- refusal: errors of single commands, as redis.pcall returns them.

local function failed(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

-- refusal(command, reply) returns an error reply that also names the command.
local function refusal(command, reply)
  local text = string.gsub(reply.err, '^%-', '')
  return redis.error_reply(text .. ' command=' .. command)
end
