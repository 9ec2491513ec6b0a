-- giveback: what follows bodies that return to the head of the queue: their due and trace
-- records.
-- Needs: digest due trace

-- returned() collects what goes back to the head of the queue, the last one first:
-- stage(key, queue, due, most, now, since) first, which moves what lies in a stage; add(body,
-- record, trace) for each other, its trace record nil where unknown, its due record one of
-- kind 'g' (see slot_id), which keeps since when it waits; then
-- give(queue, due, traces, now), once the bodies stand there, before all others.
local function returned()
  local bodies, records, members, n, last = {}, {}, {}, 0, 0
  return {
    -- It returns how many messages it moved, and their bytes: no more once these are most.
    -- A message counts 1,000 bytes more for what has to be done beside the copying.
    -- The entries of all stages stand side by side. Those of this stage go where its bodies
    -- went; else entries of other stages would come to stand among those of ready messages.
    stage = function(key, queue, due, most, now, since)
      local bytes = 0
      while bytes < most do
        local body = redis.call('LMOVE', key, queue, 'RIGHT', 'LEFT')
        if not body then
          break
        end
        n, bytes = n + 1, bytes + #body + 1000
        bodies[n] = body
      end
      if n > 0 then
        local moved = {}
        for i = 1, n do
          moved[i] = bodies[n + 1 - i]
        end
        local of, forget = due_match(due, queue, moved, n, redis.call('LLEN', queue) - n, now, since)
        forget()
        for i = 1, n do
          records[i] = of[n + 1 - i] or false
        end
      end
      return n, bytes
    end,
    add = function(body, record, trace)
      n = n + 1
      bodies[n], records[n] = body, record or false
      if trace then
        members[#members + 1] = trace_member(digest(body), trace)
        last = math.max(last, trace_expiry(trace))
      end
    end,
    give = function(queue, due, traces, now)
      for i = 1, math.floor(n / 2) do
        bodies[i], bodies[n + 1 - i] = bodies[n + 1 - i], bodies[i]
        records[i], records[n + 1 - i] = records[n + 1 - i], records[i]
      end
      due_push(due, records, bodies, redis.call('LLEN', queue) - n, now)
      if #members > 0 then
        pcall(trace_append_all, traces, members, last, now)
      end
    end,
  }
end
