-- transfer/ordered: moves what is due by due time; Java's list holds what is pending, in the
-- order of the offers.
-- Needs: transfer walks
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
walk_all()
return told()
