-- transfer/exact: moves what is due; Java's list holds what is pending, in the order of the offers.
-- Needs: transfer walks
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
walk_all(false)
return told()
