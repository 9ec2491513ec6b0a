-- transfer/lazy: moves what is due; what is finished leaves Java's list later.
-- Needs: transfer moveall trim
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
move_all()
-- What the view lacks delays nothing.
pcall(trim, KEYS[2], KEYS[1], moved)
return told()
