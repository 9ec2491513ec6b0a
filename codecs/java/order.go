package java

import (
	"errors"
	"fmt"
	"slices"
)

// errRepeated is the reason for an order that Java's sets and maps cannot have.
var errRepeated = errors.New("two of them are one in Java")

// orderEntries puts the entries of a Go map, which come in random order, into a
// definite one: ascending keys (mark 0), compareTo ('<', for TreeMap) or
// HashMap's ('!').
func orderEntries(m *Map, mark byte) error {
	keys := make([]any, len(m.Entries))
	index := make([]int, len(m.Entries))
	for i, e := range m.Entries {
		if _, ok := HashCode(e.Key); !ok {
			return &UnhashableError{Key: e.Key}
		}
		index[i] = i
	}
	slices.SortFunc(index, func(a, b int) int { return CompareKeys(m.Entries[a].Key, m.Entries[b].Key) })
	sorted := make([]Entry, len(index))
	for i, at := range index {
		sorted[i], keys[i] = m.Entries[at], m.Entries[at].Key
	}
	order, err := markedOrder(keys, mark)
	if err != nil {
		return err
	}
	for i, at := range order {
		m.Entries[i] = sorted[at]
	}
	return nil
}

// reorder orders the elements of a set by its mark; 0 keeps a list as it is.
func reorder(elements []any, mark byte) ([]any, error) {
	if mark == 0 {
		return elements, nil
	}
	for _, e := range elements {
		if _, ok := HashCode(e); !ok {
			return nil, &UnhashableError{Key: e}
		}
	}
	sorted := slices.Clone(elements)
	slices.SortFunc(sorted, CompareKeys)
	order, err := markedOrder(sorted, mark)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(order))
	for i, at := range order {
		out[i] = sorted[at]
	}
	return out, nil
}

// markedOrder returns the order of ascending keys under a mark.
func markedOrder(keys []any, mark byte) ([]int, error) {
	for i := 1; i < len(keys); i++ {
		if CompareKeys(keys[i-1], keys[i]) == 0 {
			return nil, fmt.Errorf("%v and %v: %w", keys[i-1], keys[i], errRepeated)
		}
	}
	switch mark {
	case '!':
		return insertionOrder(keys)
	case '<':
		return comparedOrder(keys)
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	return order, nil
}

// comparedOrder orders keys of one class as compareTo does.
func comparedOrder(keys []any) ([]int, error) {
	order := make([]int, len(keys))
	for i, k := range keys {
		order[i] = i
		if k == nil || ClassOf(k) != ClassOf(keys[0]) {
			return nil, fmt.Errorf("a sorted class cannot compare %T with %T", k, keys[0])
		}
	}
	slices.SortFunc(order, func(a, b int) int { return treeCompare(keys[a], keys[b]) })
	return order, nil
}
