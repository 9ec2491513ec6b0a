-- numbers: two numbers.
-- Constants: for a test.
local SIZE_A, SIZE_B = 41, -16
