package kryo5

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// readMap reads the layout that every map has.
func readMap(d *decoder, c *class) (any, error) {
	start, n := d.at, c.fixed
	if n < 0 {
		count, null, err := d.count()
		if null || err != nil {
			return nil, err
		}
		if err := d.comparator(c); err != nil {
			return nil, err
		}
		n = count
	}
	if err := d.enter(start, n, 2); err != nil {
		return nil, err
	}
	base := len(d.stack)
	for range n {
		if err := d.entry(c); err != nil {
			return d.mapping(c, base), err
		}
	}
	d.depth--
	return d.mapping(c, base), nil
}

// entry pushes one key and its value.
func (d *decoder) entry(c *class) error {
	key, err := d.key()
	if err == nil && key == nil && (c.noNull || c.noNullKey) {
		err = d.nullElement(c)
	}
	if err != nil {
		return under("[key]", err)
	}
	value, err := d.value()
	if err == nil && value == nil && c.noNull {
		err = d.nullElement(c)
	}
	if err == nil || value != nil {
		d.stack = append(d.stack, key, value)
	}
	if err != nil {
		return under(java.Key(shown(key)), err)
	}
	return nil
}

// shown keeps containers out of paths: a key may be a huge list.
func shown(key any) any {
	switch key.(type) {
	case *java.Map, *java.List, []byte:
		return java.ClassOf(key)
	}
	return key
}

// Bounds of the keys a decoder remembers.
const (
	maxInternedBytes = 32
	maxInterned      = 256
)

// key reads a key. Keys are never plain, so that they can be told apart; strings
// are remembered, since the maps of a queue mostly have the same ones.
func (d *decoder) key() (any, error) {
	if d.at < len(d.in) && d.in[d.at] == idString {
		d.at++
		return d.stringKey()
	}
	plain := d.plain
	d.plain = false
	key, err := d.value()
	d.plain = plain
	return key, err
}

func (d *decoder) stringKey() (any, error) {
	start := d.at
	b, null, err := d.stringBytes()
	switch {
	case err != nil:
		return nil, err
	case null:
		return nil, &codecs.DecodeError{Codec: name, Class: "java.lang.String", Offset: start, Reason: "null stands where the class says there is a value"}
	case len(b) > maxInternedBytes:
		return string(b), nil
	}
	if key, ok := d.interned[string(b)]; ok {
		return key, nil
	}
	text := string(b)
	if d.interned == nil || len(d.interned) >= maxInterned {
		d.interned = make(map[string]any)
	}
	var key any = text
	d.interned[text] = key
	return key, nil
}

// mapping takes the entries above base off the stack.
func (d *decoder) mapping(c *class, base int) any {
	pairs := d.stack[base:]
	var out any
	if d.plain && allStrings(pairs) {
		m := make(map[string]any, len(pairs)/2)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		out = m
	} else {
		m := &java.Map{Class: c.name, Entries: make([]java.Entry, len(pairs)/2)}
		for i := range m.Entries {
			m.Entries[i] = java.Entry{Key: pairs[2*i], Value: pairs[2*i+1]}
		}
		out = m
	}
	clear(pairs)
	d.stack = d.stack[:base]
	return out
}

func allStrings(pairs []any) bool {
	for i := 0; i < len(pairs); i += 2 {
		if _, ok := pairs[i].(string); !ok {
			return false
		}
	}
	return true
}

func readEmptyMap(d *decoder, c *class) (any, error) { return d.mapping(c, len(d.stack)), nil }
