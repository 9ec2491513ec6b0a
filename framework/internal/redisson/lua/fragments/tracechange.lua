-- tracechange: the trace record of a pending message that is changed; needs element
-- and trace. What fails here delays nothing: the record is beside the message.

-- trace_gone(key, element, now) takes the record of a message away with it.
local function trace_gone(key, element, now)
  pcall(function()
    local payload, kind, id = element_parse(element, true)
    if payload and redis.call('EXISTS', key) == 1 then
      trace_pop(key, {payload}, {kind .. id}, now)
    end
  end)
end

-- trace_moved(key, element, due_ms, life_ms) gives it the new due time.
local function trace_moved(key, element, due_ms, life_ms)
  pcall(function()
    local payload, kind, id = element_parse(element, true)
    if payload and redis.call('EXISTS', key) == 1 then
      trace_reschedule(key, payload, kind .. id, due_ms, due_ms + life_ms)
    end
  end)
end
