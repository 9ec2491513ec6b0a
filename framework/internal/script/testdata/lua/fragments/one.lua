-- one: a fragment.
local one = 1
