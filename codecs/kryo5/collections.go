package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// listHeader is what stands before the elements of a list, set, queue or array.
type listHeader struct {
	n          int
	class      *class       // of all elements; nil where each is written with its own
	ctx        *layout.Type // of the elements
	nullable   bool         // elements of the class may be null
	allNull    bool         // the elements are null, and take no bytes
	noNull     bool         // Java fails on null
	comparator any
	missing    bool // null
}

// readCollection reads the layout that every list, set and queue has.
func readCollection(d *decoder, c *class, ctx *layout.Type) (any, error) {
	var h listHeader
	if ctx != nil && c.fixed < 0 {
		var known string
		if known, h.ctx = d.scope.Element(ctx); known != "" {
			h.class = d.find(known)
		}
	}
	out := d.newList(c)
	if err := d.listHeader(c, &h, nil); err != nil || h.missing {
		return nil, err
	}
	out.Comparator = h.comparator
	return d.elementsOf(c, out, &h)
}

// listHeader reads what stands before the elements of a list of class c, and begins them. H
// says what the declared type tells of the elements; expect is their usual class.
func (d *decoder) listHeader(c *class, h *listHeader, expect *class) error {
	if c.variants {
		d.meet(c)
	}
	switch {
	case c.zeroWidth:
		return d.enter(d.at, 0, 0)
	case c.fixed == 1:
		h.n, h.class, h.ctx = 1, nil, nil
		return d.enter(d.at, 1, 1)
	case c.component != "":
		return d.arrayHeader(c, h)
	}
	start := d.at
	var u uint32
	var flag bool
	var err error
	if h.class != nil && c.immutable {
		u, err = d.uv32()
	} else {
		u, flag, err = d.flagged()
	}
	switch {
	case err != nil:
		return err
	case u <= 1 && flag && h.class != nil:
		return d.fault(start, "an empty or missing list has the flag for elements that are null")
	case u <= 1 && flag:
		return d.fault(start, "an empty or missing list has the flag for elements of one class")
	case u == 0:
		h.missing = true
		return nil
	}
	if err = d.checkCount(start, u); err != nil {
		return err
	}
	h.n = int(u - 1)
	if c.sorted {
		if h.comparator, err = d.comparatorValue(c, h.ctx); err != nil {
			return err
		}
	}
	h.noNull = c.refusesNull(h.comparator)
	switch {
	case h.class != nil:
		h.nullable = flag
	case flag:
		if err := d.sameClass(c, h, expect); err != nil {
			return err
		}
	default:
		return d.enter(start, h.n, 1)
	}
	width := 1
	if h.allNull || h.class.zeroWidth && !h.nullable && !d.references {
		width = 0
	}
	return d.enter(start, h.n, width)
}

// sameClass reads the class of elements that all have one.
func (d *decoder) sameClass(c *class, h *listHeader, expect *class) (err error) {
	if h.class, err = d.class(expect); err != nil {
		return underIndex(0, err)
	}
	switch {
	case h.class == nil && h.noNull:
		return d.nullElement(c)
	case h.class == nil:
		h.allNull = true
	case !c.immutable:
		h.nullable, err = d.flag()
	}
	return err
}

// newList makes the list that elements will go into.
func (d *decoder) newList(c *class) *java.List {
	out := &java.List{Class: c.name}
	d.publish(out)
	return out
}

func (d *decoder) comparatorValue(c *class, ctx *layout.Type) (any, error) {
	start := d.at
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	v, err := d.value(ctx)
	if err != nil {
		return nil, java.UnderDecode("[comparator]", err)
	}
	switch v.(type) {
	case nil, *java.Object, java.Enum:
		return v, nil
	}
	return nil, d.faultIn(c, start, "a %s is no comparator", java.ClassOf(v))
}

func (d *decoder) nullElement(c *class) error {
	return d.faultIn(c, d.at, "the class cannot hold null")
}

// element reads an element of a list.
func (d *decoder) element(h *listHeader) (any, error) {
	switch {
	case h.class == nil:
		return d.value(h.ctx)
	case h.nullable:
		return d.objectOrNull(h.class, h.ctx)
	}
	return d.object(h.class, h.ctx)
}

// elementsOf reads the elements of a list and ends it. On error the list so far comes back
// too.
func (d *decoder) elementsOf(c *class, out *java.List, h *listHeader) (any, error) {
	if h.allNull {
		d.leave()
		out.Elements = make([]any, h.n)
		return out, nil
	}
	base := len(d.stack)
	for i := range h.n {
		v, err := d.element(h)
		if err == nil && v == nil && h.noNull {
			err = d.nullElement(c)
		}
		if err != nil {
			if v != nil {
				d.stack = append(d.stack, v)
			}
			out.Elements = d.pop(base)
			return out, underIndex(i, err)
		}
		d.stack = append(d.stack, v)
	}
	d.leave()
	out.Elements = d.pop(base)
	return out, nil
}

// pop takes the values above base off the stack, as a slice of their own.
func (d *decoder) pop(base int) []any {
	out := make([]any, len(d.stack)-base)
	copy(out, d.stack[base:])
	clear(d.stack[base:])
	d.stack = d.stack[:base]
	return out
}

func readEmptyList(_ *decoder, c *class, _ *layout.Type) (any, error) {
	return &java.List{Class: c.name, Elements: []any{}}, nil
}

// listNode carries slices.
type listNode struct {
	place
	as      *class // written as
	size    uintptr
	slot    slot   // its class is that of the elements, where the declared type tells it
	fixed   bool   // the class of the elements depends on no type variable
	array   bool   // the slice is declared as an array
	strings bool   // the slice is a []string
	plain   bool   // the slice is a []any
	uniform *class // of elements that are never null and all of one class, else nil
	values  valued // elements that are written as Java values, else nil
}

func (n *listNode) usual() *class { return n.as }

func (n *listNode) classOf(_ *encoder, p memory.Place) (*class, error) {
	if memory.Pointee(p) == nil {
		return nil, nil
	}
	return n.as, nil
}

func (n *listNode) read(d *decoder, c *class, p memory.Place) error {
	if !c.list && c != n.as || c.stream != "" || c.enumSet {
		return d.convert(&n.place, c, p)
	}
	h := listHeader{class: n.slot.class, ctx: n.slot.ctx}
	if !n.fixed && c.fixed < 0 {
		h.class = nil
		if known, _ := d.scope.Element(n.ctx); known != "" {
			h.class = d.find(known)
		}
	}
	start := d.at
	if err := d.listHeader(c, &h, n.slot.expect); err != nil {
		return err
	}
	var err error
	switch {
	case h.missing:
		return d.noNull(c, start)
	case h.allNull:
		err = n.readNulls(d, start, h.n, p)
	case h.n == 0:
		n.variable(p).Set(reflect.MakeSlice(n.desc.Go, 0, 0))
	default:
		err = n.readElements(d, c, &h, p)
	}
	d.leave()
	return err
}

// readNulls makes n elements that are null.
func (n *listNode) readNulls(d *decoder, start, length int, p memory.Place) error {
	if length > 0 {
		if err := n.slot.null(d, start); err != nil {
			return underIndex(0, err)
		}
	}
	n.grow(p, length)
	return nil
}

func (n *listNode) readElements(d *decoder, c *class, h *listHeader, p memory.Place) (err error) {
	if n.strings && h.class != nil && h.class.id == idString && !h.nullable {
		return n.readStrings(d, h, memory.At[[]string](p))
	}
	if n.plain {
		return n.readPlain(d, c, h, memory.At[[]any](p))
	}
	room := 0
	for i := range h.n {
		if i == room {
			room = n.room(d, i, h.n)
			n.grow(p, room)
		}
		at, start := memory.Element(p, i, n.size), d.at
		if h.class != nil {
			err = n.slot.readKnown(d, h.class, at, h.nullable)
		} else {
			err = n.slot.read(d, at)
		}
		if err == nil && h.noNull && (h.nullable || h.class == nil) && d.wasNull(c, h.class, start) {
			err = d.nullElement(c)
		}
		if err != nil {
			return underIndex(i, err)
		}
	}
	return nil
}

func (n *listNode) readStrings(d *decoder, h *listHeader, to *[]string) error {
	list := make([]string, h.n)
	for i := range list {
		start := d.at
		s, null, err := d.string()
		if null && err == nil {
			err = d.noNull(h.class, start)
		}
		if err != nil {
			return underIndex(i, err)
		}
		list[i] = s
	}
	*to = list
	return nil
}

// room returns how long the slice may become now: elements of large Go types get
// their memory as the payload goes on to justify it.
func (n *listNode) room(d *decoder, have, want int) int {
	const least, perByte = 4096, 32
	allowed := (least + perByte*d.remaining()) / int(max(n.size, 1))
	return min(want, max(2*have, allowed, 1))
}

// grow makes the slice at p that long; its new elements are zero.
func (n *listNode) grow(p memory.Place, length int) {
	v := n.variable(p)
	v.Grow(length - v.Len())
	v.SetLen(length)
}
