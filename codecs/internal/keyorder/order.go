// Package keyorder knows in which order Java iterates what a program fills: the hash codes and
// the comparison of keys, and the orders of hash tables, sorted containers and those of enums.
// What is peculiar to a class is in its row of package jdk.
package keyorder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/hashtable"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// Marks say how Java iterates a container that is filled in ascending order
// (see [Compare]):
//
//	!  as java.util.HashMap     #  as ConcurrentHashMap     %  as Hashtable
//	<  compareTo, no repeats    >  compareTo                ~  ordinals of an enum
//	=  as given, no repeats
//
// Without a mark lists stay as given and maps have ascending keys.
const Marks = "!#%<>=~"

// errRepeated is the reason for an order that Java's sets and maps cannot have.
var errRepeated = errors.New("two of them are one in Java")

// Keys returns the places of the keys of a Go map, which come in random order, in a
// definite one.
func Keys(keys []any, mark byte) ([]int, error) {
	for _, k := range keys {
		if !orderable(k) {
			return nil, &UnhashableError{Key: k}
		}
	}
	return sortedOrder(keys, mark)
}

// Elements returns the places of the elements of a set or queue in its order; 0 keeps a list as
// it is.
func Elements(elements []any, mark byte) ([]int, error) {
	switch mark {
	case 0:
		return places(len(elements)), nil
	case '=':
		return places(len(elements)), distinct(elements)
	}
	return Keys(elements, mark)
}

// sortedOrder returns the places of keys in the order in which Java iterates what was
// filled with them in ascending order.
func sortedOrder(keys []any, mark byte) ([]int, error) {
	ascending, sorted := places(len(keys)), make([]any, len(keys))
	slices.SortFunc(ascending, func(a, b int) int { return Compare(keys[a], keys[b]) })
	for i, at := range ascending {
		sorted[i] = keys[at]
	}
	order, err := markedOrder(sorted, mark)
	if err != nil {
		return nil, err
	}
	for i, at := range order {
		order[i] = ascending[at]
	}
	return order, nil
}

func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// orderable reports whether a key has a place in an order.
func orderable(key any) bool {
	if t := jdk.Of(key); t != nil && t.Ordinal != nil {
		return t.Ordinal(key) >= 0 && jdk.Class(key) != ""
	}
	_, ok := HashCode(key)
	return ok
}

// distinct reports elements that are one in Java, as far as that can be known.
func distinct(elements []any) error {
	known := make([]any, 0, len(elements))
	for _, e := range elements {
		if orderable(e) {
			known = append(known, e)
		}
	}
	slices.SortFunc(known, Compare)
	return noRepeats(known, Compare)
}

// noRepeats looks for equal neighbours.
func noRepeats(keys []any, compare func(a, b any) int) error {
	for i := 1; i < len(keys); i++ {
		if compare(keys[i-1], keys[i]) == 0 {
			return fmt.Errorf("two keys or elements of class %s: %w", jdk.Class(keys[i]), errRepeated)
		}
	}
	return nil
}

// markedOrder returns the order of ascending keys under a mark.
func markedOrder(keys []any, mark byte) ([]int, error) {
	if mark == '<' || mark == '>' {
		return comparedOrder(keys, mark == '<')
	}
	if err := noRepeats(keys, Compare); err != nil {
		return nil, err
	}
	switch mark {
	case '!':
		return insertionOrder(keys)
	case '#', '%':
		hashes, err := hashesOf(keys)
		if err != nil {
			return nil, err
		}
		if mark == '%' {
			return hashtable.LegacyOrder(hashes), nil
		}
		for i, h := range hashes {
			hashes[i] = hashtable.Spread(h)
		}
		return hashtable.ConcurrentOrder(hashes), nil
	case '~':
		if err := oneEnum(keys); err != nil {
			return nil, err
		}
	}
	return places(len(keys)), nil
}

// oneEnum checks what an EnumSet or EnumMap holds. Compare orders constants of
// one class by their ordinals.
func oneEnum(keys []any) error {
	for _, k := range keys {
		if t := jdk.Of(k); t == nil || t.Ordinal == nil || jdk.Class(k) != jdk.Class(keys[0]) {
			return fmt.Errorf("a value of class %s is no constant of the enum", cmp.Or(jdk.Class(k), "null"))
		}
	}
	return nil
}

// comparedOrder orders keys of one class as compareTo does.
func comparedOrder(keys []any, distinct bool) ([]int, error) {
	order := make([]int, len(keys))
	for i, k := range keys {
		order[i] = i
		if k == nil || jdk.Class(k) != jdk.Class(keys[0]) {
			return nil, fmt.Errorf("a sorted class cannot compare %T with %T", k, keys[0])
		}
		if !hasOrder(k) {
			return nil, fmt.Errorf("%s is not Comparable in Java", jdk.Class(k))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return sortedCompare(keys[a], keys[b]) })
	for i := 1; distinct && i < len(order); i++ {
		if a, b := keys[order[i-1]], keys[order[i]]; sortedCompare(a, b) == 0 {
			return nil, fmt.Errorf("two keys or elements of class %s: %w", jdk.Class(b), errRepeated)
		}
	}
	return order, nil
}

// hasOrder reports whether a class that can be a key has an order in Java.
func hasOrder(v any) bool {
	t := jdk.OfClass(jdk.Class(v))
	if t == nil {
		t = jdk.Of(v)
	}
	return t == nil || t.Ordered
}

// sortedCompare is compareTo as sorted classes use it: values that Java calls equal
// are one there.
func sortedCompare(a, b any) int {
	if t := jdk.Of(a); t != nil && t.Sorted != nil {
		return t.Sorted(a, b)
	}
	return treeCompare(a, b)
}
