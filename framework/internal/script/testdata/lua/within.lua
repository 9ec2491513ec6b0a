-- within: a script.
-- Needs: three one
return add(one)
