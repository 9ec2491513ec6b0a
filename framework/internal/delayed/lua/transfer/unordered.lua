-- transfer/unordered: moves what is due; what is overdue together comes in any order.
-- Needs: transfer walks
-- KEYS: see transfer
-- ARGV: see transfer
-- Reply: see transfer
walk_all(true)
return told()
