package java

import (
	"errors"
	"fmt"
	"slices"
)

// orderMarks say how Java iterates a container that is filled in ascending order
// (see CompareKeys):
//
//	!  as java.util.HashMap     #  as ConcurrentHashMap     %  as Hashtable
//	<  compareTo, no repeats    >  compareTo                ~  ordinals of an enum
//	=  as given, no repeats
//
// Without a mark lists stay as given and maps have ascending keys.
const orderMarks = "!#%<>=~"

// errRepeated is the reason for an order that Java's sets and maps cannot have.
var errRepeated = errors.New("two of them are one in Java")

// orderEntries puts the entries of a Go map, which come in random order, into a
// definite one.
func orderEntries(m *Map, mark byte) error {
	keys := make([]any, len(m.Entries))
	for i, e := range m.Entries {
		keys[i] = e.Key
	}
	order, err := keyOrder(keys, mark)
	if err != nil {
		return err
	}
	given := slices.Clone(m.Entries)
	for i, at := range order {
		m.Entries[i] = given[at]
	}
	return nil
}

// keyOrder returns the places of the keys of a Go map, which come in random order, in a
// definite one.
func keyOrder(keys []any, mark byte) ([]int, error) {
	for _, k := range keys {
		if !orderable(k, mark) {
			return nil, &UnhashableError{Key: k}
		}
	}
	return sortedOrder(keys, mark)
}

// sortedOrder returns the places of keys in the order in which Java iterates what was
// filled with them in ascending order.
func sortedOrder(keys []any, mark byte) ([]int, error) {
	ascending, sorted := places(len(keys)), make([]any, len(keys))
	slices.SortFunc(ascending, func(a, b int) int { return CompareKeys(keys[a], keys[b]) })
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

// orderable reports whether a key has a place in that order. The constants of an
// enum have one everywhere but in hash tables.
func orderable(key any, mark byte) bool {
	if e, ok := key.(Enum); ok && mark != '!' && mark != '#' && mark != '%' {
		return e.Ordinal >= 0 && e.Class != ""
	}
	_, ok := HashCode(key)
	return ok
}

// reorder orders the elements of a set or queue by its mark; 0 keeps a list as it
// is.
func reorder(elements []any, mark byte) ([]any, error) {
	if mark == 0 {
		return elements, nil
	}
	order, err := reordered(elements, mark)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(order))
	for i, at := range order {
		out[i] = elements[at]
	}
	return out, nil
}

// reordered returns the places of the elements in that order.
func reordered(elements []any, mark byte) ([]int, error) {
	switch mark {
	case 0:
		return places(len(elements)), nil
	case '=':
		return places(len(elements)), distinct(elements)
	}
	for _, e := range elements {
		if !orderable(e, mark) {
			return nil, &UnhashableError{Key: e}
		}
	}
	return sortedOrder(elements, mark)
}

// distinct reports elements that are one in Java, as far as that can be known.
func distinct(elements []any) error {
	known := make([]any, 0, len(elements))
	for _, e := range elements {
		if orderable(e, '=') {
			known = append(known, e)
		}
	}
	slices.SortFunc(known, CompareKeys)
	return noRepeats(known, CompareKeys)
}

// noRepeats looks for equal neighbours.
func noRepeats(keys []any, compare func(a, b any) int) error {
	for i := 1; i < len(keys); i++ {
		if compare(keys[i-1], keys[i]) == 0 {
			return fmt.Errorf("two keys or elements of class %s: %w", ClassOf(keys[i]), errRepeated)
		}
	}
	return nil
}

// markedOrder returns the order of ascending keys under a mark.
func markedOrder(keys []any, mark byte) ([]int, error) {
	if mark == '<' || mark == '>' {
		return comparedOrder(keys, mark == '<')
	}
	if err := noRepeats(keys, CompareKeys); err != nil {
		return nil, err
	}
	switch mark {
	case '!':
		return insertionOrder(keys)
	case '#':
		return concurrentOrder(keys)
	case '%':
		return hashtableOrder(keys)
	case '~':
		if err := oneEnum(keys); err != nil {
			return nil, err
		}
	}
	return places(len(keys)), nil
}

// oneEnum checks what an EnumSet or EnumMap holds. CompareKeys orders constants of
// one class by their ordinals.
func oneEnum(keys []any) error {
	for _, k := range keys {
		if e, ok := k.(Enum); !ok || e.Class != keys[0].(Enum).Class {
			return fmt.Errorf("a value of class %s is no constant of the enum", or(ClassOf(k), "null"))
		}
	}
	return nil
}

// comparedOrder orders keys of one class as compareTo does.
func comparedOrder(keys []any, distinct bool) ([]int, error) {
	order := make([]int, len(keys))
	for i, k := range keys {
		order[i] = i
		if k == nil || ClassOf(k) != ClassOf(keys[0]) {
			return nil, fmt.Errorf("a sorted class cannot compare %T with %T", k, keys[0])
		}
		if !isComparable(k) {
			return nil, fmt.Errorf("%s is not Comparable in Java", ClassOf(k))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return sortedCompare(keys[a], keys[b]) })
	for i := 1; distinct && i < len(order); i++ {
		if a, b := keys[order[i-1]], keys[order[i]]; sortedCompare(a, b) == 0 {
			return nil, fmt.Errorf("two keys or elements of class %s: %w", ClassOf(b), errRepeated)
		}
	}
	return order, nil
}
