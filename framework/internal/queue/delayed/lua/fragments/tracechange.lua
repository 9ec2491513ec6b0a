-- tracechange: the trace record of a pending message that is changed.
-- Needs: layout digest expire trace element
-- What fails here delays nothing: the record is beside the message.

-- trace_gone(key, element) takes the record of a message away with it.
local function trace_gone(key, element)
  pcall(function()
    local payload, kind, id = element_parse(element, true)
    if payload and redis.call('EXISTS', key) == 1 then
      local member = trace_find(key, digest(payload), kind .. id)
      if member then
        redis.call('ZREM', key, member)
      end
    end
  end)
end

-- trace_moved(key, element, due_ms, life_ms, now) gives it the new due time.
local function trace_moved(key, element, due_ms, life_ms, now)
  pcall(function()
    local payload, kind, id = element_parse(element, true)
    local member = payload and redis.call('EXISTS', key) == 1 and trace_find(key, digest(payload), kind .. id)
    if member then
      redis.call('ZREM', key, member)
      redis.call('ZADD', key, 0, string.sub(member, 1, MEMBER_ID_END) .. string.format('%016.0f', due_ms)
        .. string.sub(member, MEMBER_WRITTEN, TRACE_BEFORE_EXPIRY) .. string.format('%016.0f', due_ms + life_ms))
      expire_extend(key, due_ms + life_ms - now)
    end
  end)
end
