-- plain: a script.
-- Needs: two one
return one + two
