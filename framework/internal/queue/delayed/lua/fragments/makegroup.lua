-- makegroup: makes the consumer group of a dead store.
-- Needs: deadgroup

-- make_group() makes the group, with all that lies in the store, and returns why it could not.
-- It looks first: Redis counts errors, and operators watch them.
local function make_group()
  if find_group() then
    return nil
  end
  local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], GROUP, '0')
  if type(made) == 'table' and made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then
    return made
  end
end
