-- ownid: the ID of a message that is pending.
-- Needs: element attempts idtext

-- own_id(attempts, element) returns it as text where a record knows it: it differs from
-- what the element and its due time say once a message was retried or rescheduled. Else ''.
local function own_id(attempts, element)
  local payload, kind, id = element_parse(element, true)
  if not payload or kind == 'x' then
    return ''
  end
  local m = record_read(redis.call('HGET', attempts, record_field(kind, id)), 0)
  return m and id_text(m.kind, m.origin, m.id) or ''
end
