-- three: a function.
-- Needs: one
-- Function: add(a)
return a + one
