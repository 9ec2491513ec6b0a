package serial

import (
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/hashtable"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
)

// maxCrowded is the number of keys that fill a table of 32 buckets: from there on
// a table has 64 at least, whatever the keys are.
const maxCrowded = 24

// buckets returns the size of the table that a new java.util.HashMap has after these keys were
// added, in ascending order (see [java.HashOrder]) or as they are given. Mostly their number decides,
// and for keys without a [keyorder.HashCode] only that; but a table of less than 64 buckets grows
// early where more than eight keys fall into one.
func buckets(keys []any, ascending bool) int32 {
	if len(keys) <= hashtable.TreeifyThreshold || len(keys) > maxCrowded {
		return bucketsFor(len(keys))
	}
	if ascending {
		keys = slices.Clone(keys)
		slices.SortFunc(keys, keyorder.Compare)
	}
	hashes := make([]int32, len(keys))
	for i, k := range keys {
		h, ok := keyorder.HashCode(k)
		if !ok {
			return bucketsFor(len(keys))
		}
		hashes[i] = hashtable.Spread(h)
	}
	return hashtable.Buckets(hashes, func(a, b int) int { return keyorder.Compare(keys[a], keys[b]) })
}

// bucketsFor returns the size of a table that grows by number alone.
func bucketsFor(keys int) int32 {
	n := int32(hashtable.Initial)
	for keys > int(n)/4*3 && n < 1<<30 {
		n *= 2
	}
	return n
}
