-- counters: how a reply of take tells what is known of a payload; needs attempts.

-- counters(k, field, value, now) returns "index delivered failed died field", and the history
-- where there is one, with ';' as "%3B" and '%' as "%25": entries are separated by ';'.
local function counters(k, field, value, now)
  local d, f, x, history = attempts_parse(value, now)
  history = attempts_told(history)
  local text = k .. ' ' .. d .. ' ' .. f .. ' ' .. x .. ' ' .. field
  if history ~= '' then
    history = string.gsub(history, '%%', '%%25')
    history = string.gsub(history, ';', '%%3B')
    text = text .. ' ' .. history
  end
  return text
end
