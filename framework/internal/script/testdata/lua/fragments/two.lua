-- two: another.
-- Needs: one
local two = one + one
