-- journal: what became of messages.
-- A sorted set of pages, by the time of their last record in ms. A page is a text that begins
-- with the number of its records (see package journal). The member '' has minus the number of all
-- records as its score, and so stands first. 

-- journal_trim(key, keep, most, now, total) removes a few of the oldest pages, where they are
-- older than keep ms or their records more than most; it returns the number of records left.
local function journal_trim(key, keep, most, now, total)
  local aged = redis.call('ZRANGEBYSCORE', key, 0, string.format('(%.0f', now - keep), 'LIMIT', 0, 8)
  local pages = aged
  if #aged == 0 and total > most then
    pages = redis.call('ZRANGE', key, 1, 8)
  end
  for i = 1, #pages do
    if #aged == 0 and total <= most then
      break
    end
    redis.call('ZREM', key, pages[i])
    total = total - (tonumber(string.match(pages[i], '^%d+')) or 0)
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
