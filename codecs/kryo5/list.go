package kryo5

import (
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// listNode carries slices as lists, sets, queues and arrays. Java's lists are slices too, of
// anything.
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
}

func (n *listNode) usual() *class { return n.as }

func (n *listNode) of(_ *encoder, p memory.Place) (*class, any, error) {
	if memory.Pointee(p) == nil {
		return nil, nil, nil
	}
	return n.as, nil, nil
}

// listHeader is what stands before the elements of a list.
type listHeader struct {
	n          int
	class      *class // of all elements; nil where each is written with its own
	nullable   bool   // elements of the class may be null
	allNull    bool   // the elements are null, and take no bytes
	noNull     bool   // Java fails on null
	comparator any
}

// known returns the class of the elements of a list of class c where the payload leaves it
// out, else nil.
func (n *listNode) known(c *class, w *world, scope *layout.Scope, find func(string) *class) *class {
	var name string
	switch {
	case n.array && c == n.as:
		return n.slot.class
	case c.component != "":
		name = w.elementClass(c)
	default:
		name, _ = scope.Element(n.ctx)
	}
	if name == "" {
		return nil
	}
	return find(name)
}

// header reads what stands before the elements of a list of class c, and begins them.
func (n *listNode) header(d *decoder, c *class, h *listHeader) error {
	if c.variants {
		d.meet(c)
	}
	start := d.at
	switch {
	case c.zeroWidth:
		return d.enter(start, 0, 0)
	case c.fixed == 1:
		h.n = 1
		return d.enter(start, 1, 1)
	}
	if h.class = n.slot.class; !n.fixed || n.array || c.component != "" {
		h.class = n.known(c, d.world, &d.scope, d.find)
	}
	if c.component != "" {
		return d.arrayHeader(c, h)
	}
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
	case u <= 1 && flag:
		return d.fault(start, "an empty or missing list has the flag for elements of one class, or that are null")
	case u == 0:
		return d.noNull(c, start)
	}
	if err = d.checkCount(start, u); err != nil {
		return err
	}
	h.n = int(u - 1)
	if c.sorted {
		if h.comparator, err = d.comparatorValue(c, n.slot.ctx); err != nil {
			return err
		}
	}
	h.noNull = c.noNull && (!c.mayNull || h.comparator == nil)
	switch {
	case h.class != nil:
		h.nullable = flag
	case flag:
		if err := d.sameClass(c, h, n.slot.expect, n.slot.base); err != nil {
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

// arrayHeader reads the length of an array.
func (d *decoder) arrayHeader(c *class, h *listHeader) (err error) {
	start := d.at
	var null bool
	if !c.list { // of primitives, which share the bytes of their wrappers
		h.n, null, err = d.arrayLength(primitiveWidths[c.component])
		d.depth++
	} else {
		h.n, null, err = d.count()
	}
	if err == nil && null {
		err = d.noNull(c, start)
	}
	if err != nil || !c.list {
		return err
	}
	if h.n > 0 && d.world.undescribed(c) {
		return d.faultIn(c, start, "%s", unknownReason(c.component, nil))
	}
	h.nullable = true
	return d.enter(start, h.n, 1)
}

// sameClass reads the class of elements that all have one.
func (d *decoder) sameClass(c *class, h *listHeader, expect *class, declared string) (err error) {
	if h.class, err = d.class(expect, declared); err != nil {
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

func (d *decoder) comparatorValue(c *class, ctx *layout.Type) (any, error) {
	start := d.at
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	v, err := d.value(ctx)
	if err != nil {
		return nil, errpath.UnderDecode("[comparator]", err)
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

// readCollection reads a list, set, queue or array of objects as a Java value.
func readCollection(d *decoder, c *class, ctx *layout.Type) (any, error) {
	if c.fixed == 1 || c.component != "" {
		ctx = nil // the declared types do not reach the elements
	}
	n := d.tree.any(ctx).list
	out := &java.List{Class: c.name}
	d.publish(out)
	var h listHeader
	if err := n.header(d, c, &h); err != nil {
		return nil, err
	}
	out.Comparator = h.comparator
	return out, n.readAny(d, nil, c, &h, &out.Elements)
}

// readAny reads the elements of a list that holds anything, as item does, and ends it. On
// error those before it are there.
func (n *listNode) readAny(d *decoder, values *anyNode, c *class, h *listHeader, to *[]any) (err error) {
	if h.allNull {
		*to = make([]any, h.n)
		d.leave()
		return nil
	}
	list := make([]any, 0, n.room(d, 0, h.n))
	for i := range h.n {
		v, err := d.item(values, h.class, h.nullable, n.slot.ctx)
		if err == nil && v == nil && h.noNull {
			err = d.nullElement(c)
		}
		if err == nil || v != nil {
			list = append(list, v)
		}
		if err != nil {
			*to = list
			return underIndex(i, err)
		}
	}
	*to = list
	d.leave()
	return nil
}

func (n *listNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case !c.list && c != n.as || c.stream != "" || c.enumSet:
		return d.convert(&n.place, c, p)
	case c.fixed == 1 && n.ctx != nil:
		return d.tree.node(n.desc, nil).read(d, c, p)
	}
	var h listHeader
	start := d.at
	err := n.header(d, c, &h)
	switch {
	case err != nil:
		return err
	case n.plain:
		return n.readAny(d, n.slot.node.(*anyNode), c, &h, memory.At[[]any](p))
	case h.allNull && h.n > 0:
		if err = n.slot.null(d, start); err != nil {
			return underIndex(0, err)
		}
		n.grow(p, h.n)
	case h.n == 0:
		n.variable(p).Set(reflect.MakeSlice(n.desc.Go, 0, 0))
	default:
		err = n.readElements(d, c, &h, p)
	}
	d.leave()
	return err
}

func (n *listNode) readElements(d *decoder, c *class, h *listHeader, p memory.Place) error {
	if n.strings && h.class != nil && h.class.id == idString && !h.nullable {
		return n.readStrings(d, h, memory.At[[]string](p))
	}
	room := 0
	for i := range h.n {
		if i == room {
			room = n.room(d, i, h.n)
			n.grow(p, room)
		}
		null, err := n.slot.readAs(d, h.class, memory.Element(p, i, n.size), h.nullable)
		if null && err == nil && h.noNull {
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

// writeCollection writes a Java value that is a list, set, queue or array of objects.
func writeCollection(e *encoder, c *class, v any, ctx *layout.Type) error {
	if c.fixed == 1 || c.component != "" {
		ctx = nil
	}
	n := e.tree.any(ctx).list
	switch l := v.(type) {
	case []any:
		return n.writeList(e, c, memory.BoxOf(v).Data(), nil)
	case *java.List:
		if l != nil {
			return n.writeList(e, c, memory.Of(&l.Elements), l.Comparator)
		}
	}
	return wrongKind(c, v)
}

func (n *listNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	return n.writeList(e, c, p, nil)
}

// survey is what the header of a list says about its elements.
type survey struct {
	common   *class // class of all elements that are not null; nil when all are
	mixed    bool
	nulls    bool
	disorder bool // elements have classes that Java does not compare
}

// writeList writes the elements of the slice at p.
func (n *listNode) writeList(e *encoder, c *class, p memory.Place, comparator any) error {
	if err := e.enter(); err != nil {
		return err
	}
	length := memory.Len(p)
	switch {
	case length >= math.MaxInt32:
		return tooLong(c)
	case (c.zeroWidth || c.empty) && length != 0 || c.fixed == 1 && length != 1:
		return encodeFault(nil, "a %s cannot have %d elements", c.name, length)
	case length > 0 && c.component != "" && c.list && e.world.undescribed(c):
		return encodeFault(nil, "%s: %s", c.component, unknownReason(c.component, nil))
	}
	base := len(e.parts)
	s, err := n.survey(e, p, length)
	if err == nil {
		err = s.check(c, comparator)
	}
	if err == nil && c.distinct {
		err = checkDistinct(c, length, func(i int) any { return e.parts[base+i].value })
	}
	if err == nil {
		err = n.writeElements(e, c, p, comparator, s)
	}
	if len(e.parts) > base {
		clear(e.parts[base:])
		e.parts = e.parts[:base]
	}
	e.leave()
	return err
}

// survey looks at all elements, and pushes what their node says of them, unless that is the
// same of all.
func (n *listNode) survey(e *encoder, p memory.Place, length int) (survey, error) {
	s := survey{common: n.uniform}
	if n.uniform != nil {
		return s, nil
	}
	body := ""
	for i := range length {
		c, v, err := n.slot.of(e, memory.Element(p, i, n.size))
		if err != nil {
			return s, errpath.UnderEncode(indexPath(i), err)
		}
		e.parts = append(e.parts, written{c, v})
		switch {
		case c == nil:
			s.nulls = true
		case s.common == nil:
			s.common, body = c, bodyOf(c, v)
		case s.common != c && s.common.name != c.name, c.enum != nil && bodyOf(c, v) != body:
			s.mixed = true
			s.disorder = s.disorder || !ordered(s.common, c)
		}
	}
	return s, nil
}

// bodyOf returns the class that a constant of an enum has for itself: constants of
// two classes are two classes for Java also where both have one number.
func bodyOf(c *class, v any) string {
	k, ok := v.(java.Enum)
	if !ok || c.enum == nil {
		return ""
	}
	at, err := c.ordinal(k)
	if err != nil {
		return ""
	}
	return c.enum.desc.Constants[at].Body
}

// check refuses what Java would fail to read.
func (s survey) check(c *class, comparator any) error {
	switch {
	case s.nulls && c.noNull && (!c.mayNull || comparator == nil):
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " cannot hold null"}
	case c.natural && comparator == nil && (s.disorder || s.common != nil && !s.common.comparable()):
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " needs elements of one class that Java can compare"}
	}
	return nil
}

func (n *listNode) writeElements(e *encoder, c *class, p memory.Place, comparator any, s survey) error {
	if c.zeroWidth || c.fixed == 1 {
		return n.each(e, nil, p, false)
	}
	length := memory.Len(p)
	size := uint32(length) + 1
	known := n.slot.class
	if !n.fixed || n.array || c.component != "" {
		known = n.known(c, e.world, &e.scope, e.world.must)
	}
	nullable := s.nulls
	switch {
	case c.component != "":
		e.out = appendUV32(e.out, size)
		return n.each(e, known, p, c.list)
	case known != nil && c.immutable:
		e.out = appendUV32(e.out, size)
	case known != nil:
		e.out = appendFlagged(e.out, size, nullable)
	default:
		e.out = appendFlagged(e.out, size, length > 0 && !s.mixed)
	}
	if c.sorted {
		if err := e.comparator(comparator, n.slot.ctx); err != nil {
			return err
		}
	}
	if known == nil && length > 0 && !s.mixed {
		known = s.common
		if err := e.class(known); err != nil || known == nil {
			return err
		}
		if !c.immutable {
			e.out = append(e.out, flagByte(nullable))
		}
	}
	return n.each(e, known, p, nullable)
}

func (e *encoder) comparator(comparator any, ctx *layout.Type) error {
	switch comparator.(type) {
	case nil, *java.Object, java.Enum:
		return errpath.UnderEncode("[comparator]", e.value(comparator, ctx))
	}
	return errpath.UnderEncode("[comparator]", encodeFault(comparator, "it is no comparator"))
}

// each writes the elements, without their class where that is known.
func (n *listNode) each(e *encoder, known *class, p memory.Place, nullable bool) error {
	if n.strings && known != nil && known.id == idString {
		for i, s := range *memory.At[[]string](p) {
			if err := e.string(s); err != nil {
				return errpath.UnderEncode(indexPath(i), err)
			}
		}
		return nil
	}
	length := memory.Len(p)
	base := len(e.parts) - length
	for i := range length {
		v := written{class: n.uniform}
		if n.uniform == nil {
			v = e.parts[base+i]
		}
		if err := n.slot.put(e, known, v, memory.Element(p, i, n.size), nullable); err != nil {
			return errpath.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}
