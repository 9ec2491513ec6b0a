-- probe: try every command of the scripts under the configured user, without a
-- lasting effect.
-- KEYS: 1 timeout set  2 pending list  3 ready list  4 scratch key of ours that
--        nobody else uses  5 dead store  6 due list
-- ARGV: 1 member that exists nowhere
-- Reply: {command, error text, command, error text ...} of those that failed
--
-- Reading commands go to the real keys. Writing ones go to the scratch key, which
-- is gone at the end: while it holds a list, commands of other types fail with
-- WRONGTYPE, which comes after the check of permissions.

local scratch, nothing = KEYS[4], ARGV[1]
local found = {}

local function try(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    local command = ...
    found[#found + 1] = command
    found[#found + 1] = reply.err
  end
  return reply
end

try('TIME')
try('TYPE', KEYS[1])
try('ZREM', KEYS[1], nothing)
try('ZSCORE', KEYS[1], nothing)
try('ZRANK', KEYS[1], nothing)
try('ZRANGE', KEYS[1], 1, 0)
try('ZRANGEBYLEX', KEYS[1], '[b', '[a')
try('ZRANGEBYSCORE', KEYS[1], '-inf', '(-inf', 'LIMIT', 0, 1)
try('ZCARD', KEYS[1])
try('ZCOUNT', KEYS[1], '-inf', '(-inf')
try('LLEN', KEYS[3])
try('XLEN', KEYS[5])
try('XRANGE', KEYS[5], '1', '0')
try('XREVRANGE', KEYS[5], '0', '1')
try('XDEL', KEYS[5], '0-1')
try('ZMSCORE', KEYS[1], nothing)

-- The scratch key in turn: nothing, a list, a set, a hash, nothing.
try('RPUSH', scratch, 'a', 'b')
try('PTTL', scratch)
try('PEXPIRE', scratch, 60000)
try('LPUSH', scratch, 'c')
try('LRANGE', scratch, 0, 0)
try('LINDEX', scratch, 0)
try('LSET', scratch, 0, 'c')
try('LREM', scratch, 1, nothing)
try('LMOVE', scratch, scratch, 'LEFT', 'LEFT')
try('XADD', scratch, '*', 'a', 'b')
try('SADD', scratch, 'a')
try('HSET', scratch, 'a', 'b')
try('LTRIM', scratch, 1, 0)
try('DEL', scratch)
try('ZADD', scratch, 1, 'a')
try('ZRANDMEMBER', scratch, 1)
try('ZRANGEBYLEX', scratch, '[a', '(a')
try('PTTL', scratch)
try('PEXPIRE', scratch, 60000)
try('ZREM', scratch, 'a')
try('DEL', scratch)
try('HSET', scratch, 'a', 'b')
try('HGET', scratch, 'a')
try('HMGET', scratch, 'a')
try('HLEN', scratch)
try('HRANDFIELD', scratch, 1)
try('HGETALL', scratch)
try('HSETNX', scratch, 'a', 'b')
try('HDEL', scratch, 'a', 'n')
try('DEL', scratch)
try('SADD', scratch, 'a')
try('SMEMBERS', scratch)
try('SCARD', scratch)
try('SREM', scratch, 'a')
try('EXISTS', scratch)
try('SET', scratch, 'a', 'XX') -- only where it exists: it does not
try('GET', scratch)
-- For what a refused removal left behind.
try('DEL', scratch)
return found
