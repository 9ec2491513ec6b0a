-- counters: how a reply of take tells what is known of a message.
-- Needs: hex idtext

local function counters_escape(text)
  text = string.gsub(text, '%%', '%%25')
  text = string.gsub(text, ';', '%%3B')
  return (string.gsub(text, ' ', '%%20'))
end

-- counters(k, field, m) returns "index delivered failed died hung field id first key history":
-- the field in hex, "-" for a first due time that is unknown, and key and history with
-- '%', ';' and ' ' as "%25", "%3B" and "%20".
local function counters(k, field, m)
  return k .. ' ' .. m.delivered .. ' ' .. m.failed .. ' ' .. m.died .. ' ' .. m.hung .. ' ' .. string.sub(field, 1, 1)
    .. hex_of(string.sub(field, 2)) .. ' ' .. id_text(m.kind, m.origin, m.id) .. ' '
    .. (m.first and string.format('%.0f', m.first) or '-') .. ' ' .. counters_escape(m.key) .. ' ' .. counters_escape(m.history)
end
