package kryo5

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// entryForm says how the keys and values of a map are written.
type entryForm struct {
	key, value       *class // class of those that are written without one
	keyCtx, valueCtx *layout.Type
	some             bool // anything is known
	noNullKey        bool // Java fails on a null key
}

// newEntryForm returns the form of the entries of a map with context ctx.
func newEntryForm(scope *layout.Scope, ctx *layout.Type, find func(string) *class) (entryForm, bool) {
	entries, ok := scope.Entry(ctx)
	form := entryForm{keyCtx: entries.KeyCtx, valueCtx: entries.ValueCtx, some: entries.KeyCtx != nil}
	if entries.Key != "" {
		form.key = find(entries.Key)
	}
	if entries.Value != "" {
		form.value = find(entries.Value)
	}
	return form, ok
}

// readMap reads the layout that every map has.
func readMap(d *decoder, c *class, ctx *layout.Type) (any, error) {
	start, n := d.at, c.fixed
	var form entryForm
	if ctx != nil && n < 0 {
		var ok bool
		if form, ok = newEntryForm(&d.scope, ctx, d.find); !ok {
			return nil, d.faultIn(c, start, "a map in a field whose type has one argument: Java cannot write it")
		}
	}
	var out *java.Map
	if n < 0 {
		count, null, err := d.count()
		if null || err != nil {
			return nil, err
		}
		out = d.newMap(c)
		if c.sorted {
			comparator, err := d.comparatorValue(c, nil)
			if err != nil {
				return nil, err
			}
			if out != nil {
				out.Comparator = comparator
			}
		}
		n = count
	} else {
		out = d.newMap(c)
	}
	width := 2
	if form.some {
		width = form.width(c, d.references)
	}
	if err := d.enter(start, n, width); err != nil {
		return nil, err
	}
	base := len(d.stack)
	form.noNullKey = c.noNull || c.noNullKey && (out == nil || out.Comparator == nil)
	for range n {
		if err := d.entry(c, &form); err != nil {
			return d.mapOf(c, out, base), err
		}
	}
	d.leave()
	return d.mapOf(c, out, base), nil
}

// width returns how many bytes an entry takes at least.
func (f *entryForm) width(c *class, references bool) int {
	width := 2
	for _, known := range []*class{f.key, f.value} {
		if known != nil && known.zeroWidth && c.immutable && !references {
			width--
		}
	}
	return width
}

// newMap makes the map that entries will go into, as newList does for elements.
func (d *decoder) newMap(c *class) *java.Map {
	if !d.references && !c.sorted {
		return nil
	}
	out := &java.Map{Class: c.name}
	d.publish(out)
	return out
}

// entry pushes one key and its value.
func (d *decoder) entry(c *class, form *entryForm) error {
	key, err := d.key(c, form)
	if err == nil && key == nil && form.noNullKey {
		err = d.nullElement(c)
	}
	if err != nil {
		return java.UnderDecode("[key]", err)
	}
	var value any
	if form.some {
		value, err = d.part(c, form.value, form.valueCtx)
	} else {
		value, err = d.value(nil)
	}
	if err == nil && value == nil && c.noNull {
		err = d.nullElement(c)
	}
	if err == nil || value != nil {
		d.stack = append(d.stack, key, value)
	}
	if err != nil {
		return java.UnderDecode(java.Key(shown(key)), err)
	}
	return nil
}

// part reads a key or a value, of a known class or with its own.
func (d *decoder) part(c, known *class, ctx *layout.Type) (any, error) {
	switch {
	case known == nil:
		return d.value(ctx)
	case c.immutable:
		return d.object(known, ctx)
	}
	return d.objectOrNull(known, ctx)
}

// shown keeps containers and beans out of paths: a key may be huge.
func shown(key any) any {
	switch key := key.(type) {
	case *java.Map, *java.List, *java.Object, []byte, []bool, []int16, []int32, []int64, []java.Char, []float32, []float64, *java.BitSet:
		return java.ClassOf(key)
	case java.Enum:
		return key.Name
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
func (d *decoder) key(c *class, form *entryForm) (any, error) {
	if !form.some && !d.references && d.at < len(d.in) && d.in[d.at] == idString {
		d.at++
		return d.stringKey()
	}
	plain := d.plain
	d.plain = false
	key, err := d.part(c, form.key, form.keyCtx)
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
		return nil, &codecs.DecodeError{Codec: name, Class: "java.lang.String", Offset: start, Reason: "found null where the class has a value"}
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

// mapOf takes the entries above base off the stack.
func (d *decoder) mapOf(c *class, out *java.Map, base int) any {
	pairs := d.stack[base:]
	var v any
	if d.plain && allStrings(pairs) {
		m := make(map[string]any, len(pairs)/2)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		v = m
	} else {
		if out == nil {
			out = &java.Map{Class: c.name}
		}
		out.Entries = make([]java.Entry, len(pairs)/2)
		for i := range out.Entries {
			out.Entries[i] = java.Entry{Key: pairs[2*i], Value: pairs[2*i+1]}
		}
		v = out
	}
	clear(pairs)
	d.stack = d.stack[:base]
	return v
}

func allStrings(pairs []any) bool {
	for i := 0; i < len(pairs); i += 2 {
		if _, ok := pairs[i].(string); !ok {
			return false
		}
	}
	return true
}

func readEmptyMap(d *decoder, c *class, _ *layout.Type) (any, error) {
	return d.mapOf(c, nil, len(d.stack)), nil
}
