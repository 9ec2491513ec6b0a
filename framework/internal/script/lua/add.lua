-- add: put one element into the delayed structures.
-- Needs: types refusal
-- KEYS are those of offer: 1 timeout set, 2 pending list, 3 channel.

-- add_explain(command, reply) returns the error reply for a command that failed.
local function add_explain(command, reply)
  if string.find(reply.err, 'WRONGTYPE', 1, true) then
    return wrong_type(KEYS[1], 'zset', KEYS[2], 'list') or refusal(command, reply)
  end
  return refusal(command, reply)
end

-- add_publish(element, due_text) tells the channel when the element is the head; it
-- returns 1 or 0, or nil and the reply of a PUBLISH that failed.
local function add_publish(element, due_text)
  -- A rank that may not be asked counts as head: one wake-up too many.
  local rank = redis.pcall('ZRANK', KEYS[1], element)
  if rank ~= 0 and not failed(rank) then
    return 0
  end
  local published = redis.pcall('PUBLISH', KEYS[3], due_text)
  if failed(published) then
    return nil, published
  end
  return 1
end

-- add(element, due_text, listed) returns head (1 or 0); or nil and 'taken' when the element
-- exists, or nil and an error reply, after everything was undone: an error means
-- "not offered". The first write is ZADD, so that a full Redis refuses. Only where
-- listed is '1' the element goes into the list, too.
local function add(element, due_text, listed)
  local added = redis.pcall('ZADD', KEYS[1], 'NX', due_text, element)
  if added == 0 then
    return nil, 'taken'
  end
  if failed(added) then
    return nil, add_explain('ZADD', added)
  end
  if listed == '1' then
    local pushed = redis.pcall('RPUSH', KEYS[2], element)
    if failed(pushed) then
      redis.pcall('ZREM', KEYS[1], element)
      return nil, add_explain('RPUSH', pushed)
    end
  end
  local head, refused = add_publish(element, due_text)
  if not head then
    redis.pcall('ZREM', KEYS[1], element)
    if listed == '1' then
      redis.pcall('LREM', KEYS[2], -1, element)
    end
    return nil, refusal('PUBLISH', refused)
  end
  return head
end
