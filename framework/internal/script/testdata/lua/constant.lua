-- constant: a script.
-- Needs: numbers
return SIZE_A - SIZE_B
