-- transfer/onepass: moves what is due, and reads Java's whole list once where that is less work.
-- Needs: transfer walks inspect rewrite
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
--
-- That is where hundreds are due which would cost a walk each. While the ready list is more
-- than half full it waits: otherwise it would do so for a few messages.

-- How many must be due for a rewrite of the list, and the most elements and bytes of a list
-- that is rewritten.
local least_rewrite, longest_rewrite, most_rewrite = 256, 2000000, 1e9

-- move_and_rewrite() moves all that is due, then keeps in the list what is still pending.
local function move_and_rewrite()
  local gone = {}
  leave = function(element)
    gone[element] = true
  end
  local most, most_bytes = 100 * limit, 16 * max_bytes
  local n, last = 16, false
  repeat
    local found = due_elements(n)
    local counted = bytes
    due_entries(move(found))
    last = #found < 2 * n
    n = next_step(n, #found / 2, bytes - counted)
  until last or moved + malformed >= most or bytes >= most_bytes
  list_without(KEYS[2], gone)
end

walk_all(false, function(overdue, average)
  if overdue < least_rewrite
    or redis.call('LLEN', KEYS[2]) > math.min(longest_rewrite, most_rewrite / average) then
    return false
  end
  if roomy then
    move_and_rewrite()
  else
    inspect()
  end
  return true
end)
return told()
