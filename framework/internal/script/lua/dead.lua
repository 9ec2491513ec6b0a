-- dead: the dead store, a stream with the raw bytes and the reason.

-- dead_add(key, m) appends one message; m has body, reason, detail, digest, at
-- and optionally delivered, failed, died, hung, due, id, trace, key, and the history of a message
-- that was redriven.
local function dead_add(key, m)
  local entry = {
    'body', m.body, 'reason', m.reason, 'detail', m.detail or '',
    'delivered', m.delivered or 0, 'failed', m.failed or 0, 'died', m.died or 0,
    'due', m.due or '', 'id', m.id or '', 'trace', m.trace or '',
    'digest', m.digest, 'at', m.at,
  }
  for _, name in ipairs({'hung', 'key', 'history'}) do
    if m[name] and m[name] ~= '' and m[name] ~= 0 then
      entry[#entry + 1] = name
      entry[#entry + 1] = m[name]
    end
  end
  return redis.call('XADD', key, '*', unpack(entry))
end
