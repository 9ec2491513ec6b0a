package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// entryForm says how the keys and values of a map are written.
type entryForm struct {
	key, value       *class // class of those that are written without one
	keyCtx, valueCtx *layout.Type
	some             bool // anything is known
}

// openForm is that of a map of which nothing is known.
var openForm entryForm

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

// entrySlots is what maps and structs have in common.
type entrySlots struct {
	place
	as    *class
	form  entryForm
	sound bool // Java can write such a map
	fixed bool // the form depends on no type variable
}

const oneArgument = "a map in a field whose type has one argument: Java cannot write it"

// header begins the entries of a map of class c.
func (n *entrySlots) header(d *decoder, c *class, h *mapHeader) error {
	h.form = &n.form
	switch {
	case c.fixed >= 0:
		h.form = &openForm
	case !n.sound:
		return d.faultIn(c, d.at, oneArgument)
	case !n.fixed:
		form, _ := newEntryForm(&d.scope, n.ctx, d.find)
		h.form = &form
	}
	start := d.at
	err := d.mapHeader(c, h)
	if err == nil && h.missing {
		err = d.noNull(c, start)
	}
	return err
}

// written returns how the entries are written.
func (n *entrySlots) written(e *encoder) (*entryForm, error) {
	switch {
	case !n.sound:
		return nil, n.fault(oneArgument)
	case n.fixed:
		return &n.form, nil
	}
	form, _ := newEntryForm(&e.scope, n.ctx, e.world.must)
	return &form, nil
}

// mapHeader is what stands before the entries of a map.
type mapHeader struct {
	n          int
	form       *entryForm
	comparator any
	noNullKey  bool // Java fails on a null key
	missing    bool // null
}

// mapHeader reads what stands before the entries of a map of class c, and begins them.
func (d *decoder) mapHeader(c *class, h *mapHeader) error {
	if c.variants {
		d.meet(c)
	}
	start := d.at
	if c.zeroWidth {
		return d.enter(start, 0, 0)
	}
	h.n = c.fixed
	if c.fixed < 0 {
		var err error
		if h.n, h.missing, err = d.count(); err != nil || h.missing {
			return err
		}
		if c.sorted {
			if h.comparator, err = d.comparatorValue(c, nil); err != nil {
				return err
			}
		}
	}
	width := 2
	if h.form.some {
		width = h.form.width(c, d.references)
	}
	h.noNullKey = c.noNull || c.noNullKey && h.comparator == nil
	return d.enter(start, h.n, width)
}

// readMap reads the layout that every map has.
func readMap(d *decoder, c *class, ctx *layout.Type) (any, error) {
	h := mapHeader{form: &openForm}
	if ctx != nil && c.fixed < 0 {
		form, ok := newEntryForm(&d.scope, ctx, d.find)
		if !ok {
			return nil, d.faultIn(c, d.at, oneArgument)
		}
		h.form = &form
	}
	out := d.newMap(c)
	if err := d.mapHeader(c, &h); err != nil || h.missing {
		return nil, err
	}
	out.Comparator = h.comparator
	base := len(d.stack)
	for range h.n {
		if err := d.entry(c, &h); err != nil {
			return d.mapOf(out, base), err
		}
	}
	d.leave()
	return d.mapOf(out, base), nil
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

// newMap makes the map that entries will go into.
func (d *decoder) newMap(c *class) *java.Map {
	out := &java.Map{Class: c.name}
	d.publish(out)
	return out
}

// entry pushes one key and its value.
func (d *decoder) entry(c *class, h *mapHeader) error {
	key, err := d.key(c, h)
	if err != nil {
		return err
	}
	value, err := d.entryValue(c, h.form)
	if err == nil || value != nil {
		d.stack = append(d.stack, key, value)
	}
	if err != nil {
		return java.UnderDecode(java.Key(shown(key)), err)
	}
	return nil
}

// entryValue reads the value of an entry.
func (d *decoder) entryValue(c *class, form *entryForm) (any, error) {
	v, err := d.part(c, form.value, form.valueCtx)
	if err == nil && v == nil && c.noNull {
		err = d.nullElement(c)
	}
	return v, err
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

// key reads a key as a Java value.
func (d *decoder) key(c *class, h *mapHeader) (any, error) {
	key, err := d.part(c, h.form.key, h.form.keyCtx)
	if err == nil && key == nil && h.noNullKey {
		err = d.nullElement(c)
	}
	return key, java.UnderDecode("[key]", err)
}

// mapOf takes the entries above base off the stack.
func (d *decoder) mapOf(out *java.Map, base int) any {
	pairs := d.stack[base:]
	out.Entries = make([]java.Entry, len(pairs)/2)
	for i := range out.Entries {
		out.Entries[i] = java.Entry{Key: pairs[2*i], Value: pairs[2*i+1]}
	}
	clear(pairs)
	d.stack = d.stack[:base]
	return out
}

func readEmptyMap(d *decoder, c *class, _ *layout.Type) (any, error) {
	return d.mapOf(d.newMap(c), len(d.stack)), nil
}

// mapNode carries Go maps.
type mapNode struct {
	entrySlots
	key, value slot
	texts      bool     // a map[string]string
	any        *anyNode // of a map[string]any, which holds it; nil for all others
	doubtful   bool     // not all keys of the Go type can be compared
}

func (n *mapNode) usual() *class { return n.as }

func (n *mapNode) classOf(_ *encoder, p memory.Place) (*class, error) {
	if memory.Pointee(p) == nil {
		return nil, nil
	}
	return n.as, nil
}

func (n *mapNode) read(d *decoder, c *class, p memory.Place) error {
	if !c.mapping {
		return d.convert(&n.place, c, p)
	}
	var h mapHeader
	err := n.header(d, c, &h)
	switch {
	case err != nil:
		return err
	case n.any != nil:
		err = n.readPlain(d, c, &h, memory.At[map[string]any](p))
	case n.texts:
		err = n.readTexts(d, c, &h, memory.At[map[string]string](p))
	default:
		err = n.readEntries(d, c, &h, p)
	}
	d.leave()
	return err
}

// entryPart reads a key or a value. Java fails on null where noNull says so.
func (d *decoder) entryPart(c *class, s *slot, known *class, p memory.Place, noNull bool) error {
	start := d.at
	var err error
	if known == nil {
		err = s.read(d, p)
	} else {
		err = s.readKnown(d, known, p, !c.immutable)
	}
	if err == nil && noNull && d.wasNull(c, known, start) {
		err = d.nullElement(c)
	}
	return err
}

// wasNull reports whether what was read from start on, in a container of class c, is a null.
func (d *decoder) wasNull(c, known *class, start int) bool {
	switch {
	case d.at != start+1:
		return false
	case known == nil:
		return d.in[start] == idNull
	}
	return !c.immutable && d.in[start] == known.null()
}

// textAhead passes over the class of a String that is not null; false where something else
// stands there.
func (d *decoder) textAhead(known *class) bool {
	switch {
	case d.at >= len(d.in):
	case known != nil:
		return known.id == idString && d.in[d.at] != 0x80
	case d.in[d.at] == idString && d.at+1 < len(d.in) && d.in[d.at+1] != 0x80:
		d.at++
		return true
	}
	return false
}

// textPart reads a key or a value that is mostly a String.
func (n *mapNode) textPart(d *decoder, c *class, s *slot, known *class, noNull bool) (text string, err error) {
	if d.textAhead(known) {
		text, _, err = d.string()
		return text, err
	}
	other := new(string)
	err = d.entryPart(c, s, known, memory.Of(other), noNull)
	return *other, err
}

func (n *mapNode) readTexts(d *decoder, c *class, h *mapHeader, to *map[string]string) error {
	m := make(map[string]string, d.mapRoom(h.n, 32))
	for range h.n {
		k, err := n.textPart(d, c, &n.key, h.form.key, h.noNullKey)
		if err != nil {
			return java.UnderDecode("[key]", err)
		}
		v, err := n.textPart(d, c, &n.value, h.form.value, c.noNull)
		if err != nil {
			return java.UnderDecode(java.Key(k), err)
		}
		m[k] = v
	}
	*to = m
	return nil
}

func (n *mapNode) readPlain(d *decoder, c *class, h *mapHeader, to *map[string]any) error {
	m := make(map[string]any, d.mapRoom(h.n, 32))
	for range h.n {
		if !d.textAhead(h.form.key) {
			return n.otherKey(d, c, h)
		}
		k, _, err := d.string()
		if err != nil {
			return java.UnderDecode("[key]", err)
		}
		v, err := n.any.entryValue(d, c, h)
		if err != nil {
			return java.UnderDecode(java.Key(k), err)
		}
		m[k] = v
	}
	*to = m
	return nil
}

// otherKey is the error for a key that is no String.
func (n *mapNode) otherKey(d *decoder, c *class, h *mapHeader) error {
	start := d.at
	if _, err := d.key(c, h); err != nil {
		return err
	}
	return noPlainMap(start, &java.Map{Class: c.name})
}

func (n *mapNode) readEntries(d *decoder, c *class, h *mapHeader, p memory.Place) error {
	t := n.desc.Go
	m := reflect.MakeMapWithSize(t, d.mapRoom(h.n, t.Key().Size()+t.Elem().Size()))
	k, v := reflect.New(t.Key()), reflect.New(t.Elem())
	for range h.n {
		k.Elem().SetZero()
		v.Elem().SetZero()
		start := d.at
		if err := d.entryPart(c, &n.key, h.form.key, memory.To(k), h.noNullKey); err != nil {
			return java.UnderDecode("[key]", err)
		}
		if n.doubtful && !k.Elem().Comparable() {
			return java.UnderDecode("[key]", misfit(start, &java.AssignError{
				Class: java.ClassOf(k.Elem().Interface()), Type: t.Key(), Reason: "Go cannot compare this key: use *java.Map",
			}))
		}
		if err := d.entryPart(c, &n.value, h.form.value, memory.To(v), c.noNull); err != nil {
			return java.UnderDecode(java.Key(shown(k.Elem().Interface())), err)
		}
		m.SetMapIndex(k.Elem(), v.Elem())
	}
	n.variable(p).Set(m)
	return nil
}

// mapRoom returns how many entries of a Go size the bytes left justify room for.
func (d *decoder) mapRoom(entries int, size uintptr) int {
	const least, perByte = 4096, 16
	if entries <= 8 && size <= least/8 {
		return entries
	}
	return min(entries, (least+perByte*d.remaining())/int(max(size, 1)))
}
