-- get: one pending element.
-- Needs: types clock pendingfind
-- KEYS: 1 timeout set  2 attempts  3 names
-- ARGV: 1 due ms and 2 name of an ID: kind u or n and 8 bytes; or 1 '' and 2 'k' .. key
-- Reply: {status, element or '', due ms as text, field of the record, due ms and name of the
--        ID; the last three '' where unknown}
--        status 'found'; 'gone', 'ambiguous', 'unknown key' as of cancel
--
-- It changes nothing.
local wrong = wrong_type(KEYS[1], 'zset', KEYS[2], 'hash', KEYS[3], 'hash')
if wrong then
  return wrong
end
local f = pending_find(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], (clock_now()))
if not f.element then
  return {f.trouble, '', '', pending_told(f)}
end
return {'found', f.element, f.score, pending_told(f)}
