-- vanished: tells records of messages that nobody has any more: Java took or removed them, and
-- tells nobody.
-- Needs: clock index locate
-- Only a record without counters is told so: it serves its message alone. Those with counters
-- serve an equal payload that comes without its ID, too, and end by their time.

local VANISHED_AFTER = 120000 -- ms from the due time: it may lie in a stage, or the clock was set back
local VANISHED_SLACK = 1000   -- records of messages that others took, while messages are ready

-- record_waits(ids, field, m) is whether no Go process has taken the message: a take removes it
-- from the index.
local function record_waits(ids, field, m)
  return m.digest ~= nil and redis.call('ZSCORE', ids, index_member(m.digest, m.indexed, field)) ~= false
end

-- record_element(timeout, field, m) returns the pending element of a record, nil and its score;
-- or nil, and 'ambiguous' where two elements begin so.
local function record_element(timeout, field, m)
  local prefix = string.sub(field, 2)
  if string.byte(field, 1) == 110 then
    prefix = '\8' .. prefix
  end
  return locate(timeout, ms_text(m.due), prefix)
end

-- vanished(timeout, queue, ids, now) returns a function for attempts_sweep. While messages are
-- ready, the record of one that was due may be that of one of them; it goes all the same where
-- so many more records wait than messages do.
local function vanished(timeout, queue, ids, now)
  local ready = redis.call('LLEN', queue)
  local spare = ready == 0 or redis.call('ZCARD', ids) > redis.call('ZCARD', timeout) + ready + VANISHED_SLACK
  return function(field, m)
    if m.handled or m.delivered + m.failed + m.died > 0 or m.due <= 0 or math.abs(now - m.due) < VANISHED_AFTER
      or m.due < now and not spare or not record_waits(ids, field, m) then
      return false
    end
    local element, trouble = record_element(timeout, field, m)
    return not element and not trouble
  end
end
