-- transfer/off: moves what is due; Java's list is left alone.
-- Needs: transfer moveall
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
move_all()
return told()
