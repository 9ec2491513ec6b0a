package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// entryForm says how the keys and values of a map are written.
type entryForm struct {
	key, value       *class // class of those that are written without one
	keyCtx, valueCtx *layout.Type
}

// openForm is that of a map of which nothing is known.
var openForm entryForm

// newEntryForm returns the form of the entries of a map with context ctx.
func newEntryForm(scope *layout.Scope, ctx *layout.Type, find func(string) *class) (entryForm, bool) {
	entries, ok := scope.Entry(ctx)
	form := entryForm{keyCtx: entries.KeyCtx, valueCtx: entries.ValueCtx}
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

func (n *entrySlots) usual() *class { return n.as }

const oneArgument = "a map in a field whose type has one argument: Java cannot write it"

// mapHeader is what stands before the entries of a map.
type mapHeader struct {
	n          int
	form       *entryForm
	comparator any
	noNullKey  bool // Java fails on a null key
}

// header reads what stands before the entries of a map of class c, and begins them.
func (n *entrySlots) header(d *decoder, c *class, h *mapHeader) error {
	if c.variants {
		d.meet(c)
	}
	start := d.at
	switch {
	case !n.sound:
		return d.faultIn(c, start, oneArgument)
	case n.fixed:
		h.form = &n.form
	default:
		form, _ := newEntryForm(&d.scope, n.ctx, d.find)
		h.form = &form
	}
	if c.zeroWidth {
		return d.enter(start, 0, 0)
	}
	h.n = c.fixed
	if c.fixed < 0 {
		var null bool
		var err error
		if h.n, null, err = d.count(); err == nil && null {
			err = d.noNull(c, start)
		}
		if err != nil {
			return err
		}
		if c.sorted {
			if h.comparator, err = d.comparatorValue(c, nil); err != nil {
				return err
			}
		}
	}
	width := 2 // bytes that an entry takes at least
	for _, known := range [...]*class{h.form.key, h.form.value} {
		if known != nil && known.zeroWidth && c.immutable && !d.references {
			width--
		}
	}
	h.noNullKey = c.noNull || c.noNullKey && h.comparator == nil
	return d.enter(start, h.n, width)
}

// readMap reads a map as a Java value.
func readMap(d *decoder, c *class, ctx *layout.Type) (any, error) {
	if c.fixed == 1 {
		ctx = nil // the declared types do not reach the entry
	}
	out := &java.Map{Class: c.name}
	d.publish(out)
	var h mapHeader
	if err := d.tree.any(ctx).entries.header(d, c, &h); err != nil {
		return nil, err
	}
	out.Comparator, out.Entries = h.comparator, make([]java.Entry, 0, d.mapRoom(h.n, 32))
	_, err := d.readAnyMap(nil, c, &h, out, nil)
	return out, err
}

// pair is an entry of a map that has met no other keys than Strings.
type pair struct {
	text  string
	value any
}

// readAnyMap reads the entries of a map that holds anything, as item does, and ends it: into out
// or, without it, into m, which takes no other keys than Strings; without either, it returns a
// map[string]any or, where a key is no String, a *java.Map. On error the entries before it are in
// out.
func (d *decoder) readAnyMap(values *anyNode, c *class, h *mapHeader, out *java.Map, m map[string]any) (any, error) {
	base := len(d.pairs)
	for range h.n {
		var text string
		var key any
		var err error
		start := d.at
		isText := !d.references && d.textAhead(h.form.key)
		if isText {
			text, _, err = d.string()
		} else if key, err = d.part(c, h.form.key, h.form.keyCtx); err == nil && key == nil && h.noNullKey {
			err = d.nullElement(c)
		}
		if err != nil {
			return nil, errpath.UnderDecode("[key]", err)
		}
		switch {
		case isText && out != nil:
			key = d.boxes.Box(text)
		case isText || out != nil:
		case m != nil:
			return nil, noPlainMap(start, &java.Map{Class: c.name})
		default:
			out = d.javaMap(c, h, base)
		}
		v, err := d.item(values, h.form.value, !c.immutable, h.form.valueCtx)
		if err == nil && v == nil && c.noNull {
			err = d.nullElement(c)
		}
		switch {
		case err != nil && v == nil:
		case out != nil:
			out.Entries = append(out.Entries, java.Entry{Key: key, Value: v})
		case m != nil:
			m[text] = v
		default:
			d.pairs = append(d.pairs, pair{text, v})
		}
		if err != nil {
			if out != nil {
				text = errpath.Key(shown(key))
			} else {
				text = errpath.Key(text)
			}
			return nil, errpath.UnderDecode(text, err)
		}
	}
	d.leave()
	switch {
	case out != nil:
		return out, nil
	case m == nil:
		m = make(map[string]any, len(d.pairs)-base)
		for _, p := range d.pairs[base:] {
			m[p.text] = p.value
		}
		d.dropPairs(base)
	}
	return m, nil
}

// javaMap makes a Java map of the pairs above base, which has met another key than a String.
func (d *decoder) javaMap(c *class, h *mapHeader, base int) *java.Map {
	out := &java.Map{Class: c.name, Comparator: h.comparator}
	for _, p := range d.pairs[base:] {
		out.Entries = append(out.Entries, java.Entry{Key: p.text, Value: p.value})
	}
	d.dropPairs(base)
	return out
}

func (d *decoder) dropPairs(base int) {
	clear(d.pairs[base:])
	d.pairs = d.pairs[:base]
}

// part reads a key or a value as a Java value, of a known class or with its own.
func (d *decoder) part(c, known *class, ctx *layout.Type) (any, error) {
	return d.item(nil, known, !c.immutable, ctx)
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

type mapNode struct {
	entrySlots
	key, value slot
	texts      bool     // a map[string]string
	any        *anyNode // of a map[string]any, which holds it; nil for all others
	doubtful   bool     // not all keys of the Go type can be compared
}

func (n *mapNode) of(_ *encoder, p memory.Place) (*class, any, error) {
	if memory.Pointee(p) == nil {
		return nil, nil, nil
	}
	return n.as, nil, nil
}

func (n *mapNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case !c.mapping:
		return d.convert(&n.place, c, p)
	case c.fixed == 1 && n.ctx != nil:
		return d.tree.node(n.desc, nil).read(d, c, p)
	}
	var h mapHeader
	err := n.header(d, c, &h)
	switch {
	case err != nil:
		return err
	case n.any != nil:
		m := make(map[string]any, d.mapRoom(h.n, 32))
		*memory.At[map[string]any](p) = m
		_, err = d.readAnyMap(n.any.values, c, &h, nil, m)
		return err
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
	null, err := s.readAs(d, known, p, !c.immutable)
	if null && err == nil && noNull {
		err = d.nullElement(c)
	}
	return err
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
			return errpath.UnderDecode("[key]", err)
		}
		v, err := n.textPart(d, c, &n.value, h.form.value, c.noNull)
		if err != nil {
			return errpath.UnderDecode(errpath.Key(k), err)
		}
		m[k] = v
	}
	*to = m
	return nil
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
			return errpath.UnderDecode("[key]", err)
		}
		if n.doubtful && !k.Elem().Comparable() {
			return errpath.UnderDecode("[key]", misfit(start, bridge.Misfit(java.ClassOf(k.Elem().Interface()), t.Key(), "Go cannot compare this key: use *java.Map")))
		}
		if err := d.entryPart(c, &n.value, h.form.value, memory.To(v), c.noNull); err != nil {
			return errpath.UnderDecode(errpath.Key(shown(k.Elem().Interface())), err)
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
