-- around: a script.
-- Needs: one three
return add(one)
