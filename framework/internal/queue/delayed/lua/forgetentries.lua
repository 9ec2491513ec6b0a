-- forgetentries: removes entries of the due list that are of no ready message, and the trace
-- records of their messages.
-- Needs: types layout duerecord digest trace
-- KEYS: 1 due list  2 ready list  3 traces
-- ARGV: entries
-- Reply: how many were removed
--
-- The last entries, as many as messages are ready, are those of the ready ones, see due: what
-- stands before them moves none of them when it goes.
local wrong = wrong_type(KEYS[1], 'list', KEYS[2], 'list', KEYS[3], 'zset')
if wrong then
  return wrong
end
redis.call('LREM', KEYS[1], 1, '') -- a removing no-op
local gone, ready = 0, redis.call('LLEN', KEYS[2])
for i = 1, #ARGV do
  local entry = ARGV[i]
  local at = redis.call('LPOS', KEYS[1], entry)
  if at and at < redis.call('LLEN', KEYS[1]) - ready then
    gone = gone + redis.call('LREM', KEYS[1], 1, entry)
    local name = string.sub(entry, ENTRY_NAME)
    if #name ~= 41 or string.byte(name, 1) ~= 35 then -- else '#' and a digest: the payload is not known
      local member = trace_find(KEYS[3], digest(name), due_kind(entry) .. string.sub(entry, DUE_ID, DUE_ID_END))
      if member then
        redis.call('ZREM', KEYS[3], member)
      end
    end
  end
end
return gone
