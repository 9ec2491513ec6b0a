package typed

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bean is the plan of a struct with a Java class.
type Bean[R Reader, W Writer] struct {
	Type    reflect.Type
	Class   string
	Fields  []Field[R, W]
	class   any            // prepared, for writing
	order   []*Field[R, W] // for writing
	layouts atomic.Pointer[[]*layout[R, W]]
}

// Field is one field of a Go struct.
type Field[R Reader, W Writer] struct {
	Name, Level string
	offset      uintptr
	kind        reflect.Kind
	primitive   byte // its code where it is declared as one, for writing
	nils        bool // a nil pointer, slice or map is null
	node        *Node[R, W]
}

// structure plans a struct with a Java class.
func (c *compiler[R, W]) structure(n *Node[R, W], d *java.Node) {
	desc := c.described.Find(d.Class)
	if desc == nil || desc.Shaped() || desc.Enum() {
		return
	}
	b := &Bean[R, W]{Type: d.Go, Class: d.Class, Fields: make([]Field[R, W], len(d.Fields))}
	n.Bean = b
	omits := false
	for i, f := range d.Fields { // after n.Bean is there, for types that hold themselves
		omits = omits || f.OmitEmpty
		kind := f.Go.Kind()
		b.Fields[i] = Field[R, W]{
			Name: f.Name, Level: f.Level, offset: f.Offset, kind: kind, node: c.node(f.Node),
			nils: kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map,
		}
	}
	n.Read = readBean[R, W]
	if !omits && c.writeOrder(b, desc) {
		n.Write = writeBean[R, W]
	}
}

// writeOrder finds the Go field of every Java field.
func (c *compiler[R, W]) writeOrder(b *Bean[R, W], desc *serial.Desc) bool {
	b.class = c.format.Class(desc)
	for _, l := range desc.Lineage(nil) {
		if l.Flags != serial.FlagSerializable {
			return false
		}
		for _, f := range c.format.Order(l.Serial) {
			i := slices.IndexFunc(b.Fields, func(own Field[R, W]) bool { return own.Name == f.Name && own.Level == l.Class })
			if i < 0 {
				return false
			}
			own := &b.Fields[i]
			if len(f.Signature) == 1 {
				if own.primitive = f.Signature[0]; own.primitive != CodeOf(own.node.Type) {
					return false
				}
			}
			b.order = append(b.order, own)
		}
	}
	return b.class != nil
}

// writable reports whether all fields can be written, or perhaps can.
func (b *Bean[R, W]) writable() bool {
	for _, f := range b.order {
		if f.primitive == 0 && f.node.Write == nil {
			return false
		}
	}
	return true
}

// layout says where the fields of one class in the stream go.
type layout[R Reader, W Writer] struct {
	class  place
	levels []layoutLevel[R, W]
	is     bool // the class is that of the bean, or a subclass
}

type layoutLevel[R Reader, W Writer] struct {
	steps  []step[R, W]
	custom bool
}

// step stores one field of the stream; a nil field passes over it.
type step[R Reader, W Writer] struct {
	code  byte
	other bool // a char, or a pointer to what the stream has as a primitive
	field *Field[R, W]
}

const maxLayouts = 16

// layoutOf returns the layout of a class, made once for each class descriptor.
func (b *Bean[R, W]) layoutOf(r R, class place) *layout[R, W] {
	known := b.layouts.Load()
	if known != nil {
		for _, l := range *known {
			if l.class == class {
				return l
			}
		}
	}
	l := &layout[R, W]{class: class}
	levels := r.Levels(class)
	for i := range levels {
		level := &levels[i]
		l.is = l.is || level.Class == b.Class
		steps := make([]step[R, W], len(level.Fields))
		for j, f := range level.Fields {
			field := b.FieldFor(levels, level.Class, f.Name)
			steps[j] = step[R, W]{code: f.Code, field: field, other: field != nil && (f.Code == 'C' || field.node.Type == charType || field.kind == reflect.Pointer)}
		}
		l.levels = append(l.levels, layoutLevel[R, W]{steps: steps, custom: level.Custom})
	}
	list := []*layout[R, W]{l}
	if known != nil {
		list = append(list, (*known)[:min(len(*known), maxLayouts-1)]...)
	}
	b.layouts.CompareAndSwap(known, &list) // who comes second makes it again
	return l
}

// FieldFor finds the Go field for a field of the stream: that of its level, or else one
// of its name whose own level the stream does not have.
func (b *Bean[R, W]) FieldFor(levels []Level, level, name string) *Field[R, W] {
	var other *Field[R, W]
	for i := range b.Fields {
		f := &b.Fields[i]
		switch {
		case f.Name != name:
		case f.Level == level:
			return f
		case !declares(levels, f.Level, name):
			other = f
		}
	}
	return other
}

func declares(levels []Level, class, name string) bool {
	for i := range levels {
		if levels[i].Class == class && slices.ContainsFunc(levels[i].Fields, func(f LevelField) bool { return f.Name == name }) {
			return true
		}
	}
	return false
}

func readBean[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	return readBeanInto(r, n, p, lead, false)
}

// readBeanInto reads a bean. Own is true for a variable that belongs to it alone: a
// pointer to it is the object, also while it is read.
func readBeanInto[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte, own bool) bool {
	if lead != n.format.Object {
		return false
	}
	c := r.Position()
	desc, class, index := r.Open()
	if desc == nil || !c.Enter(0) || desc.Shaped() || desc.Flags&serial.FlagExternalizable != 0 || desc.Class == java.ReferenceClass {
		return false
	}
	if own {
		keep(r, n, p, index)
	}
	l := n.Bean.layoutOf(r, class)
	if c.Depth == 1 && !l.is {
		return false // the whole payload is of another class
	}
	for i := range l.levels {
		if !readLevel(r, c, n.format.Null, p, &l.levels[i]) {
			return false
		}
	}
	c.Leave()
	return true
}

func readLevel[R Reader, W Writer](r R, c *Cursor, null byte, p place, l *layoutLevel[R, W]) bool {
	for i := range l.steps {
		s := &l.steps[i]
		f := s.field
		if s.code != 'L' {
			switch {
			case f == nil:
				if c.At += Width(s.code); c.At > len(c.In) {
					return false
				}
			case s.other:
				if !f.node.StoreIn(c, s.code, memory.Field(p, f.offset)) {
					return false
				}
			case !c.Store(s.code, f.kind, memory.Field(p, f.offset)):
				return false
			}
			continue
		}
		if !c.more() {
			return false
		}
		lead := c.lead()
		switch {
		case f == nil:
			if _, err := r.Value(lead); err != nil {
				return false
			}
		case lead == null: // the variable is zero
		case !f.node.Read(r, f.node, memory.Field(p, f.offset), lead):
			return false
		}
	}
	return !l.custom || r.SkipCustom()
}

func writeBean[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	o := w.Output()
	if !o.Enter() || !w.Object(n.Bean.class) {
		return false
	}
	for _, f := range n.Bean.order {
		at := memory.Field(p, f.offset)
		switch {
		case f.primitive != 0:
			if !Append(&o.Out, f.primitive, f.kind, at, n.format.JavaNaN) {
				return false
			}
		case f.nils && memory.Pointee(at) == nil:
			o.Out = append(o.Out, n.format.Null)
		case f.node.Write == nil || !f.node.Write(w, f.node, at):
			return false
		}
	}
	o.Leave()
	return true
}
