-- drain: moves a chunk of the head of Java's list.
-- Needs: transfer head

-- How many must be due for a look at the head of the list.
local least_drain = 32
local drains = false -- the last one did

-- drain(found) moves what is due at the same ms as the first of found among the first
-- elements of the list, where that promises more than one LREM for each of found. It returns
-- due entries, or nil when nothing was done. RPUSH and ZREM come before the list is touched.
local function drain(found)
  local first, want = found[2], 1
  while found[2 * want + 2] == first do
    want = want + 1
  end
  drains = false
  if want < least_drain then
    return nil
  end
  local n, picked, rest = read_head(want, function(score) return score == first end, want)
  if n == 0 or #picked * 2 < n then
    return nil -- fewer than a quarter
  end
  local counted = bytes
  local good, payloads, entries, bad = sort_chunk(picked)
  if #bad > 0 then
    bytes = counted
    return nil
  end
  drains = true
  push(good, payloads)
  cut_head(n, rest)
  return entries
end
