package keyorder

import (
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/hashtable"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// UnhashableError says that a key's Java hash code cannot be known outside the
// JVM, so that the order of a HashMap holding it cannot be simulated.
type UnhashableError struct {
	Key any
}

// Error names the kind of the key and the way out.
func (e *UnhashableError) Error() string {
	return fmt.Sprintf("a %T has no hash code outside the JVM: use a *java.Map with its entries in order", e.Key)
}

// HashMap returns the order in which Java's new HashMap(), filled with keys
// in ascending order (see [Compare]), iterates them. Keys must be distinct.
// The slice given is left as it is. The error is an [*UnhashableError].
//
// The simulation keeps the table's growth, the order within a bucket and the
// red-black trees that replace a bucket of more than eight keys: those reorder
// it, since Java moves each new root to the front. The same order holds for
// HashSet, and for maps built by put in that order only: new HashMap(otherMap)
// sizes its table at once, which shows when buckets become trees.
func HashMap(keys []any) ([]any, error) {
	order, err := Keys(keys, '!')
	if err != nil {
		return nil, err
	}
	out := make([]any, len(keys))
	for i, at := range order {
		out[i] = keys[at]
	}
	return out, nil
}

// insertionOrder returns the indices of keys in iteration order.
func insertionOrder(keys []any) ([]int, error) {
	hashes, err := hashesOf(keys)
	if err != nil {
		return nil, err
	}
	for i, h := range hashes {
		hashes[i] = hashtable.Spread(h)
	}
	return hashtable.Order(hashes, func(a, b int) int { return treeCompare(keys[a], keys[b]) }), nil
}

// Strings is [HashMap] for string keys, in place.
func Strings(keys []string) {
	slices.Sort(keys)
	if len(keys) <= hashtable.TreeifyThreshold {
		orderFew(keys)
		return
	}
	hashes := make([]int32, len(keys))
	for i, k := range keys {
		hashes[i] = hashtable.Spread(StringHash(k))
	}
	order := hashtable.Order(hashes, func(a, b int) int { return javatext.Compare(keys[a], keys[b]) })
	out := make([]string, 0, len(keys))
	for _, i := range order {
		out = append(out, keys[i])
	}
	copy(keys, out)
}

// orderFew sorts at most eight keys by their bucket in Java's first table of
// sixteen, which neither grows nor makes trees for so few. It allocates nothing.
func orderFew(keys []string) {
	var buckets [hashtable.TreeifyThreshold]int32
	for i, k := range keys {
		b := hashtable.Spread(StringHash(k)) & (hashtable.Initial - 1)
		j := i
		for ; j > 0 && buckets[j-1] > b; j-- {
			buckets[j], keys[j] = buckets[j-1], keys[j-1]
		}
		buckets[j], keys[j] = b, k
	}
}

// treeCompare orders keys of equal hash within a tree: compareTo for one
// class, the class names for two.
func treeCompare(a, b any) int {
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return javatext.Compare(s, t)
		}
	}
	return Compare(a, b)
}

// hashesOf returns Java's hash codes of keys, and of constants of an enum their ordinals: Java's are
// addresses, so that it writes them in an order that nobody can rely on, and reads them in any.
func hashesOf(keys []any) ([]int32, error) {
	hashes := make([]int32, len(keys))
	for i, k := range keys {
		h, ok := HashCode(k)
		if t := jdk.Of(k); t != nil && t.Ordinal != nil {
			h, ok = int32(t.Ordinal(k)), orderable(k)
		}
		if !ok {
			return nil, &UnhashableError{Key: k}
		}
		hashes[i] = h
	}
	return hashes, nil
}
