package kryo5

import (
	"bytes"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
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
	wire   []byte // the name as a String with its class, where that is short; else nil
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

type beanSlot struct {
	of     *beanField
	skip   bool // the struct has no such field
	text   bool // a String without a class, into a string, where null is ""
	own    bool // the struct has the field at its level
	again  bool // another field of the bean filled the variable before
	bound  bool // its class depends on type arguments
	direct bool // neither class nor null stand before what the node writes
	offset uintptr
	slot   slot
}

func (n *structNode) of(_ *encoder, p memory.Place) (*class, any, error) {
	if n.desc.Absent && n.variable(p).IsZero() {
		return nil, nil, nil
	}
	return n.as, nil, nil
}

func (n *structNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case n.own != nil && c == n.as:
		return n.readBean(d, n.own, p)
	case c.fixed == 1 && n.ctx != nil:
		return d.tree.node(n.desc, nil).read(d, c, p)
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
			s.slot.variable(memory.Field(p, s.offset)).SetZero()
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

func (s *beanSlot) read(d *decoder, p memory.Place) (err error) {
	switch {
	case s.text:
		*memory.At[string](p), _, err = d.string()
		return err
	case s.direct:
		return s.slot.read(d, s.slot.class, p)
	case s.skip:
		var v any
		if v, err = d.field(s.of); err == nil {
			err = d.checkField(s.of, v)
		}
		return err
	case s.of.Form == layout.Primitive:
		return s.slot.read(d, s.slot.class, p)
	}
	c := s.slot.class
	if s.bound {
		if name := d.scope.Field(&s.of.Field); name != "" {
			c = d.find(name)
		}
	}
	if c == nil {
		_, err = s.slot.readOpen(d, p)
	} else {
		_, err = s.slot.readAs(d, c, p, true)
	}
	return err
}

func (n *structNode) write(e *encoder, c *class, p memory.Place, _ any) error {
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
		return errpath.UnderEncode(f.missing, n.fault("%s has no such field", c.name))
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
			return errpath.UnderEncode(s.of.Name, err)
		}
	}
	if f.binds {
		e.scope.Leave(mark)
	}
	e.leave()
	return nil
}

func (s *beanSlot) write(e *encoder, p memory.Place) error {
	switch {
	case !s.own:
		return e.field(s.of, zeros[s.of.Class])
	case s.direct:
		return s.slot.write(e, s.slot.class, p, nil)
	case s.of.Form != layout.Primitive:
		c := s.slot.class
		if s.bound {
			if name := e.scope.Field(&s.of.Field); name != "" {
				c = e.world.must(name)
			}
		}
		return s.slot.writeAs(e, c, p)
	}
	v, err := e.tree.plan.java.LowerFrom(s.slot.desc, s.slot.variable(p))
	if err != nil {
		return bridge.Named(name, err)
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
			v, err := d.part(c, h.form.value, h.form.valueCtx)
			if err == nil && v == nil && c.noNull {
				err = d.nullElement(c)
			}
			if err != nil {
				return errpath.UnderDecode(errpath.Key(unknown), err)
			}
			continue
		}
		f := &n.fields[i]
		if seen&(1<<(i&63)) != 0 { // the last one counts
			f.slot.variable(memory.Field(p, f.offset)).SetZero()
		}
		seen |= 1 << (i & 63)
		if err := d.entryPart(c, &f.slot, h.form.value, memory.Field(p, f.offset), c.noNull); err != nil {
			return errpath.UnderDecode(errpath.Key(f.name), err)
		}
	}
	d.leave()
	return nil
}

// fieldOf reads the name of an entry and returns the index of its field, or a name that is
// none and -1. The fields mostly come as HashMap has them.
func (n *structNode) fieldOf(d *decoder, c *class, h *mapHeader, entry int) (i int, unknown string, err error) {
	if h.form.key == nil && entry < len(n.order) { // mostly they come as HashMap has them
		i = n.order[entry]
		if wire := n.fields[i].wire; wire != nil && bytes.HasPrefix(d.in[d.at:], wire) {
			d.at += len(wire)
			return i, "", nil
		}
	}
	if d.textAhead(h.form.key) {
		var b []byte
		if b, _, err = d.stringBytes(); err != nil {
			return -1, "", errpath.UnderDecode("[key]", err)
		}
		if i, known := n.byName[string(b)]; known {
			return i, "", nil
		}
		return -1, string(b), nil
	}
	start := d.at
	key, err := d.part(c, h.form.key, h.form.keyCtx)
	if err != nil {
		err = errpath.UnderDecode("[key]", err)
	} else {
		err = &codecs.DecodeError{
			Codec: name, Class: java.ClassOf(key), Offset: start, Path: "[key]",
			Reason: "does not go into Go type " + n.desc.Go.String() + ": the fields of a struct have String keys",
		}
	}
	return -1, "", err
}

func (n *structNode) writeMap(e *encoder, p memory.Place) error {
	form, err := n.written(e)
	if err != nil {
		return err
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
		if f.wire != nil && form.key == nil {
			e.out = append(e.out, f.wire...)
		} else if err := e.name(f.name, form); err != nil {
			return err
		}
		if err := f.slot.writeAs(e, form.value, memory.Field(p, f.offset)); err != nil {
			return errpath.UnderEncode(errpath.Key(f.name), err)
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
		if f.Format.OmitsEmpty() && bridge.IsEmpty(memory.Value(f.Go, memory.Field(p, f.Offset))) {
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
