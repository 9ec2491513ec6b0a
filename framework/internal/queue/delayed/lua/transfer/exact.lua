-- transfer/exact: moves what is due; Java's list holds what is pending, and its order is given
-- up where hundreds are overdue.
-- Needs: transfer walks
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
walk_all()
return told()
