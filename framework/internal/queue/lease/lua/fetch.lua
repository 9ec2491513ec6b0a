-- fetch: the messages of one fetch that are not settled, or of a stage. Writes nothing. It reads one
-- body at a time.
-- Needs: types base
-- KEYS: 1 list of the fetch, or stage
-- ARGV: 1 '1' for a stage, which has no header  2 most bytes of a body: of a larger one comes the
--       beginning
-- Reply: {header, index, bytes of the body, body ...}
local wrong = wrong_type(KEYS[1], 'list')
if wrong then
  return wrong
end
local list, staged, cut = KEYS[1], ARGV[1] == '1', tonumber(ARGV[2])
local nonce, header = nonce_of(list), ''
if not staged then
  header = redis.call('LINDEX', list, 0) or ''
end
local out = {header}
for index = staged and 0 or 1, redis.call('LLEN', list) - 1 do
  local body = redis.call('LINDEX', list, index)
  if staged or not settled(nonce, body) then
    out[#out + 1], out[#out + 2], out[#out + 3] = index, #body, string.sub(body, 1, cut)
  end
end
return out
