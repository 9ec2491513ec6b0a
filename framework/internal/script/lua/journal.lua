-- journal: what became of messages.
-- A sorted set of pages, by the time of their last record in ms. A page is a text that begins
-- with the number of its records (see package journal). The member '' has minus the number of all
-- records as its score, and so stands first. 

-- journal_trim(key, total, go) removes the oldest pages, as long as go(left, i) says that the next
-- one is to go, while left records are there and i - 1 pages are gone; it returns the number of records left.
-- Pages are large: it reads none that stays.
local function journal_trim(key, total, go)
  local i = 1
  while go(total, i) do
    local page = redis.call('ZRANGE', key, 1, 1)[1] -- behind ''
    if not page then
      break
    end
    redis.call('ZREM', key, page)
    total = total - (tonumber(string.match(page, '^%d+')) or 0)
    i = i + 1
  end
  return total
end

-- journal_total(key) returns the number of records.
local function journal_total(key)
  return 0 - tonumber(redis.call('ZSCORE', key, '') or 0)
end

-- journal_note(key, total) keeps the number of records.
local function journal_note(key, total)
  redis.call('ZADD', key, string.format('%.0f', 0 - total), '')
end
