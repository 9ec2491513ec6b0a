package kryo5

import (
	"bytes"
	"math"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// structNode carries structs: those with a Java class as beans, others as maps. Both take
// beans and maps, by the names of their fields.
type structNode struct {
	entrySlots
	fields []entryField   // as the struct has them
	byName map[string]int // the field that is meant where a payload gives no level
	order  []int          // of the fields, as HashMap has their names
	omits  bool           // some fields are left out where they are empty
	own    *beanForm      // of the struct's own class; nil without one
}

// entryField is one field of a struct, as the entry of a map.
type entryField struct {
	name   string
	wire   []byte // the name as a String with its class
	text   bool   // the name is one
	offset uintptr
	slot   slot
}

// beanForm is how objects of one class fill a struct.
type beanForm struct {
	class   *class
	layout  *layout.Bean
	binds   bool       // the context binds type parameters
	fields  []beanSlot // in wire order
	missing string     // a field of the struct that the class has not
	err     error      // the class cannot be laid out
}

// beanOp is how one field of a bean is carried. The first ones are the usual pairs of a
// Java type and the Go type of the same width; they save a call each.
type beanOp uint8

const (
	opSlot    beanOp = iota
	opText           // String and string
	opInt            // int and int32 or int
	opLong           // long and int64
	opBoolean        // boolean and bool
	opDouble         // double and float64
	opPrimitive
	opSkip // the struct has no such field
)

// beanSlot is one field of a bean.
type beanSlot struct {
	of     *beanField
	op     beanOp
	wide   bool // of opInt: the Go type is int
	own    bool // the struct has the field at its level
	again  bool // another field of the bean filled the variable before
	offset uintptr
	slot   slot
}

func (n *structNode) usual() *class                                  { return n.as }
func (n *structNode) classOf(*encoder, memory.Place) (*class, error) { return n.as, nil }

func (n *structNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case n.own != nil && c == n.as:
		return n.readBean(d, n.own, p)
	case c.mapping:
		return n.readMap(d, c, p)
	case c.bean != nil && c.name != java.ReferenceClass:
		return n.readBean(d, d.tree.formOf(n, c), p)
	}
	return d.convert(&n.place, c, p)
}

// formKey says which class fills which struct.
type formKey struct {
	of   *structNode
	from *class
}

// formOf returns how objects of class k fill a struct.
func (t *tree) formOf(n *structNode, k *class) *beanForm {
	key := formKey{n, k}
	if f, ok := t.forms.Load(key); ok {
		return f.(*beanForm)
	}
	c := newCompiler(t)
	f, _ := t.forms.LoadOrStore(key, c.form(n, k))
	c.done()
	return f.(*beanForm)
}

// taker returns the field that takes field b of class k: the one of its name, at its level if
// there is one. A struct may name inherited fields as its own, but what the class has at that
// very level goes there first.
func (n *structNode) taker(b *beanField, k *class) (int, bool) {
	for i := range n.desc.Fields {
		if f := &n.desc.Fields[i]; f.Name == b.Name && f.Level == b.Level {
			return i, true
		}
	}
	i, ok := n.byName[b.Name]
	if !ok {
		return 0, false
	}
	own := &n.desc.Fields[i]
	return i, own.Level == "" || !k.hasField(&java.Field{Name: own.Name, Level: own.Level})
}

func (n *structNode) readBean(d *decoder, f *beanForm, p memory.Place) error {
	if f.err != nil {
		return d.faultIn(f.class, d.at, "%v", f.err)
	}
	if f.class.variants {
		d.meet(f.class)
	}
	if err := d.enter(d.at, len(f.fields), 0); err != nil {
		return err
	}
	mark := 0
	if f.binds {
		mark = d.scope.Enter(f.layout, n.ctx)
	}
	for i := range f.fields {
		s := &f.fields[i]
		if s.again {
			s.zero(p)
		}
		if err := s.read(d, memory.Field(p, s.offset)); err != nil {
			return inBean(f.class, s.of, err)
		}
	}
	if f.binds {
		d.scope.Leave(mark)
	}
	d.leave()
	return nil
}

func (s *beanSlot) zero(p memory.Place) {
	s.slot.variable(memory.Field(p, s.offset)).SetZero()
}

func (s *beanSlot) read(d *decoder, p memory.Place) (err error) {
	switch s.op {
	case opText:
		*memory.At[string](p), _, err = d.string()
	case opInt:
		var v int32
		v, err = d.zz32()
		if s.wide {
			*memory.At[int](p) = int(v)
		} else {
			*memory.At[int32](p) = v
		}
	case opLong:
		*memory.At[int64](p), err = d.zz64()
	case opBoolean:
		*memory.At[bool](p), err = d.flag()
	case opDouble:
		var v uint64
		v, err = d.fixed64()
		*memory.At[float64](p) = math.Float64frombits(v)
	case opPrimitive:
		err = s.slot.node.read(d, s.slot.class, p)
	case opSkip:
		var v any
		if v, err = d.field(s.of); err == nil {
			err = d.checkField(s.of, v)
		}
	default:
		err = s.slot.read(d, p)
	}
	return err
}

func (n *structNode) write(e *encoder, c *class, p memory.Place) error {
	if n.own != nil {
		return n.writeBean(e, c, p)
	}
	return n.writeMap(e, p)
}

func (n *structNode) writeBean(e *encoder, c *class, p memory.Place) error {
	f := n.own
	switch {
	case f.err != nil:
		return n.fault("%v", f.err)
	case f.missing != "":
		return java.UnderEncode(f.missing, n.fault("%s has no such field", c.name))
	}
	if err := e.enter(); err != nil {
		return err
	}
	mark := 0
	if f.binds {
		mark = e.scope.Enter(f.layout, n.ctx)
	}
	if e.exact {
		if err := e.inexact(f.class, len(n.fields)); err != nil {
			return err
		}
	}
	for i := range f.fields {
		s := &f.fields[i]
		if err := s.write(e, memory.Field(p, s.offset)); err != nil {
			return java.UnderEncode(s.of.Name, err)
		}
	}
	if f.binds {
		e.scope.Leave(mark)
	}
	e.leave()
	return nil
}

func (s *beanSlot) write(e *encoder, p memory.Place) error {
	if !s.own {
		return e.field(s.of, zeros[s.of.primitive])
	}
	switch s.op {
	case opText:
		return e.string(*memory.At[string](p))
	case opInt:
		if s.wide {
			return s.slot.node.write(e, s.slot.class, p)
		}
		e.out = appendZZ32(e.out, *memory.At[int32](p))
	case opLong:
		e.out = appendZZ64(e.out, *memory.At[int64](p))
	case opBoolean:
		e.out = append(e.out, flagByte(*memory.At[bool](p)))
	case opDouble:
		e.fixed64(javatext.DoubleBits(*memory.At[float64](p)))
	case opPrimitive:
		return s.writePrimitive(e, p)
	default:
		return s.slot.write(e, p)
	}
	return nil
}

func (s *beanSlot) writePrimitive(e *encoder, p memory.Place) error {
	if s.slot.usual() == s.slot.class && s.slot.value == nil {
		return s.slot.node.write(e, s.slot.class, p)
	}
	v, err := e.tree.plan.java.LowerFrom(s.slot.desc, s.slot.variable(p))
	if err != nil {
		return java.EncodeError(name, err)
	}
	return e.primitive(s.of, v)
}

// readMap reads a map into the fields that its keys name.
func (n *structNode) readMap(d *decoder, c *class, p memory.Place) error {
	var h mapHeader
	if err := n.header(d, c, &h); err != nil {
		return err
	}
	var seen uint64
	for entry := range h.n {
		i, unknown, err := n.fieldOf(d, c, &h, entry)
		if err != nil {
			return err
		}
		if i < 0 {
			if _, err = d.entryValue(c, h.form); err != nil {
				return java.UnderDecode(java.Key(unknown), err)
			}
			continue
		}
		f := &n.fields[i]
		if seen&(1<<(i&63)) != 0 { // the last one counts
			f.slot.variable(memory.Field(p, f.offset)).SetZero()
		}
		seen |= 1 << (i & 63)
		if err := d.entryPart(c, &f.slot, h.form.value, memory.Field(p, f.offset), c.noNull); err != nil {
			return java.UnderDecode(java.Key(f.name), err)
		}
	}
	d.leave()
	return nil
}

// fieldOf reads the name of an entry and returns the index of its field, or a name that is
// none and -1. The fields mostly come as HashMap has them.
func (n *structNode) fieldOf(d *decoder, c *class, h *mapHeader, entry int) (i int, unknown string, err error) {
	if h.form.key == nil {
		if entry < len(n.order) && len(n.fields) <= len(n.order) {
			i = n.order[entry]
			wire := n.fields[i].wire
			if len(wire) <= maxNameBytes && wire[1] < 0x80 && bytes.HasPrefix(d.in[d.at:], wire) {
				d.at += len(wire)
				return i, "", nil
			}
		}
		if d.at < len(d.in) && d.in[d.at] == idString {
			d.at++
			return n.nameOf(d, c)
		}
	} else if h.form.key.id == idString {
		return n.nameOf(d, c)
	}
	start := d.at
	key, err := d.key(c, h)
	if err == nil {
		err = &codecs.DecodeError{
			Codec: name, Class: java.ClassOf(key), Offset: start, Path: "[key]",
			Reason: "does not go into Go type " + n.desc.Go.String() + ": the fields of a struct have String keys",
		}
	}
	return -1, "", err
}

// nameOf reads a String that names a field.
func (n *structNode) nameOf(d *decoder, c *class) (i int, unknown string, err error) {
	start := d.at
	b, null, err := d.stringBytes()
	if err == nil && null {
		err = d.noNull(c, start)
	}
	if err != nil {
		return -1, "", java.UnderDecode("[key]", err)
	}
	if i, known := n.byName[string(b)]; known {
		return i, "", nil
	}
	return -1, string(b), nil
}

// writeMap writes the fields as the entries of a HashMap.
func (n *structNode) writeMap(e *encoder, p memory.Place) error {
	form, err := n.written(e)
	if err != nil {
		return err
	}
	if form.key != nil && form.key.id != idString {
		return n.fault("found a java.lang.String where the type says %s", form.key.name)
	}
	if err := e.enter(); err != nil {
		return err
	}
	order := n.order
	if n.omits {
		order = n.present(p)
	}
	e.out = appendUV32(e.out, uint32(len(order))+1)
	for _, i := range order {
		f := &n.fields[i]
		name := f.wire
		if form.key != nil {
			name = name[1:]
		}
		if !f.text {
			return java.UnderEncode("[key]", n.fault("the string is not UTF-8: use []byte for bytes"))
		}
		e.out = append(e.out, name...)
		if err := f.slot.writeEntry(e, form.value, memory.Field(p, f.offset)); err != nil {
			return java.UnderEncode(java.Key(f.name), err)
		}
	}
	e.leave()
	return nil
}

// present returns the fields that are not left out, as HashMap has them.
func (n *structNode) present(p memory.Place) []int {
	var names []string
	for _, i := range n.order {
		f := &n.desc.Fields[i]
		if f.OmitEmpty && java.IsEmpty(memory.Value(f.Go, memory.Field(p, f.Offset))) {
			continue
		}
		names = append(names, f.Name)
	}
	keyorder.Strings(names)
	order := make([]int, len(names))
	for i, name := range names {
		order[i] = n.byName[name]
	}
	return order
}
