package java

import (
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
)

// Get returns the value under key and whether the map has it. Keys compare by
// type and value: the string "1" is not the Integer 1 (int32). Where a hostile
// payload repeats a key, the last one counts, as it does in Java.
// A nil map has no keys; keys that Go cannot compare are never found.
func (m *Map) Get(key any) (any, bool) {
	if m == nil {
		return nil, false
	}
	for i := len(m.Entries) - 1; i >= 0; i-- {
		if sameKey(m.Entries[i].Key, key) {
			return m.Entries[i].Value, true
		}
	}
	return nil, false
}

// Len returns the number of entries; 0 for a nil map.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.Entries)
}

// Set replaces the value under key in place, or appends a new entry.
func (m *Map) Set(key, value any) {
	for i := len(m.Entries) - 1; i >= 0; i-- {
		if sameKey(m.Entries[i].Key, key) {
			m.Entries[i].Value = value
			return
		}
	}
	m.Entries = append(m.Entries, Entry{Key: key, Value: value})
}

// Get returns the value of the named field and whether the object has it. Where
// several levels of its inheritance have the name, the first one in the object
// counts: see [Field.Level].
func (o *Object) Get(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	for i := range o.Fields {
		if o.Fields[i].Name == name {
			return o.Fields[i].Value, true
		}
	}
	return nil, false
}

// Len returns the number of elements; 0 for a nil list.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return len(l.Elements)
}

// sameKey compares what may be keys, and containers by identity; == on two interfaces would
// panic on keys such as []byte.
func sameKey(a, b any) bool {
	switch a.(type) {
	case nil, string, bool, int8, int16, int32, int64, float32, float64:
		return a == b
	case BigDecimal, *big.Int:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && jdk.Compare(a, b) == 0
	}
	t := jdk.Of(a)
	return t != nil && !t.Foreign && a == b
}

// UnhashableError says that a key's Java hash code cannot be known outside the
// JVM, so that the order of a HashMap holding it cannot be simulated.
type UnhashableError = keyorder.UnhashableError

// HashOrder returns the order in which Java's new HashMap(), filled with keys in ascending
// order, iterates them: that of their values where they are of one kind, as Java's compareTo
// has it, but of strings by code points. Keys must be distinct. The slice given is left as it is.
// The error is an [*UnhashableError].
//
// The same order holds for HashSet, and for maps built by put in that order only: new
// HashMap(otherMap) sizes its table at once, which shows when buckets become trees.
func HashOrder(keys []any) ([]any, error) { return keyorder.HashMap(keys) }
