package avro

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// slot carries one Go type straight between bytes and variables, for the usual case.
// It is an optimization: whatever is unusual in a type, a payload or a value is
// answered by false, and the payload or value goes by values from its first byte,
// which says what is wrong and knows the rest.
type slot struct {
	read  func(r *reader, v reflect.Value) bool
	write func(w *writer, v reflect.Value) bool
	// null reports whether v is written as null; nil where it never is.
	null func(v reflect.Value) bool
}

// Direct reports whether there is such a way for the bound type.
func (b *binding) Direct() bool { return b.slot != nil }

// AppendDirect appends the payload of the variable that source points to.
func (b *binding) AppendDirect(dst []byte, source any, _ *any) ([]byte, bool) {
	w := writer{codec: b.codec.name, out: dst, depth: b.codec.limits.Depth}
	if !b.slot.write(&w, reflect.ValueOf(source).Elem()) || len(w.out)-len(dst) > b.codec.limits.Bytes {
		return dst, false
	}
	return w.out, true
}

// DecodeDirect reads payload into the zero variable that target points to.
func (b *binding) DecodeDirect(payload []byte, target any, _ *any) bool {
	c := b.codec
	r := reader{codec: c.name, b: payload, lim: c.limits, left: c.limits.Of(len(payload)).Elements, depth: c.limits.Depth, bare: true}
	return len(payload) <= c.limits.Bytes && b.slot.read(&r, reflect.ValueOf(target).Elem()) && r.pos == len(payload)
}

// slotKey says where a slot is used: null is no error in a field of a struct.
type slotKey struct {
	node  *node
	typ   reflect.Type
	field bool
}

type slotCompiler struct {
	opts  codecs.BindOptions
	made  map[slotKey]*slot
	stuck bool // something in the type is not usual
}

// compileSlot returns the slot for the bound type, nil if it has none.
func compileSlot(n *node, t reflect.Type, opts codecs.BindOptions) *slot {
	c := slotCompiler{opts: opts, made: map[slotKey]*slot{}}
	s := c.slot(n, t, false)
	if c.stuck || t.Kind() != reflect.Struct {
		return nil
	}
	return s
}

// slot returns the slot of a type; its functions are set once they are known, since
// types can be recursive.
func (c *slotCompiler) slot(n *node, t reflect.Type, field bool) *slot {
	key := slotKey{n, t, field}
	if s := c.made[key]; s != nil || c.stuck {
		return s
	}
	s := &slot{}
	c.made[key] = s
	if n.kind != union && t.Kind() == reflect.Pointer {
		c.pointer(s, n, t)
		c.stuck = c.stuck || s.read == nil
		return s
	}
	switch n.kind {
	case union:
		c.union(s, n, t, field)
	case record:
		c.record(s, n, t)
	case array:
		c.array(s, n, t)
	case mapping:
		c.mapping(s, n, t)
	default:
		c.scalar(s, n, t)
	}
	c.stuck = c.stuck || s.read == nil
	return s
}

// pointer makes the slot of a pointer that is never null in the schema.
func (c *slotCompiler) pointer(s *slot, n *node, t reflect.Type) {
	if javaPointer(t) {
		return
	}
	inner := c.slot(n, t.Elem(), false)
	if inner == nil || c.stuck {
		return
	}
	s.null = reflect.Value.IsNil
	s.read = func(r *reader, v reflect.Value) bool {
		v.Set(reflect.New(t.Elem()))
		return inner.read(r, v.Elem())
	}
	s.write = func(w *writer, v reflect.Value) bool { return !v.IsNil() && inner.write(w, v.Elem()) }
}

func (c *slotCompiler) union(s *slot, n *node, t reflect.Type, field bool) {
	only := n.only()
	if only == nil || n.null < 0 {
		return
	}
	pointer := t.Kind() == reflect.Pointer
	elem := t
	if pointer {
		elem = t.Elem()
	}
	inner := c.slot(only, elem, false)
	if inner == nil || c.stuck {
		return
	}
	nils := pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	branch := int64(1 - n.null)
	if nils {
		s.null = reflect.Value.IsNil
	}
	s.read = func(r *reader, v reflect.Value) bool {
		i, err := r.varint(64)
		if err != nil || r.depth == 0 {
			return false
		}
		if i == int64(n.null) {
			return nils || field // the variable is zero
		}
		if i != branch {
			return false
		}
		if pointer {
			v.Set(reflect.New(elem))
			v = v.Elem()
		}
		r.depth--
		ok := inner.read(r, v)
		r.depth++
		return ok
	}
	s.write = func(w *writer, v reflect.Value) bool {
		if nils && v.IsNil() {
			w.varint(int64(n.null))
			return w.depth > 0
		}
		if pointer {
			v = v.Elem()
		}
		if w.depth == 0 {
			return false
		}
		w.varint(branch)
		w.depth--
		ok := inner.write(w, v)
		w.depth++
		return ok
	}
}

// part is one field of a record: that of the struct, or nil where it has none.
type part struct {
	node  *node
	slot  *slot
	index int
}

func (c *slotCompiler) record(s *slot, n *node, t reflect.Type) {
	if t.Kind() != reflect.Struct || n.form != formKind {
		return
	}
	fields, err := java.BoundFieldsOf(t, c.opts)
	if err != nil {
		return
	}
	parts := make([]part, len(n.fields))
	for i, f := range n.fields {
		parts[i].node = f.node
	}
	for _, f := range fields {
		i, known := n.index[f.Name]
		if !known || len(f.Index) != 1 || f.OmitEmpty || !f.Type.IsZero() && !plainType(f.Type.Class) {
			return
		}
		parts[i].slot, parts[i].index = c.slot(n.fields[i].node, f.GoType, true), f.Index[0]
	}
	s.read = func(r *reader, v reflect.Value) bool {
		if r.depth == 0 {
			return false
		}
		r.depth--
		for i := range parts {
			p := &parts[i]
			if r.left == 0 {
				return false
			}
			r.left--
			if p.slot == nil {
				if _, err := r.value(p.node); err != nil {
					return false
				}
			} else if !p.slot.read(r, v.Field(p.index)) {
				return false
			}
		}
		r.depth++
		return true
	}
	s.write = func(w *writer, v reflect.Value) bool {
		if w.depth == 0 {
			return false
		}
		w.depth--
		for i := range parts {
			p := &parts[i]
			if p.slot == nil {
				if w.value(p.node, nil) != nil {
					return false
				}
			} else if !p.slot.write(w, v.Field(p.index)) {
				return false
			}
		}
		w.depth++
		return true
	}
}

// plainType reports whether a declared type says nothing that changes the bytes.
func plainType(class string) bool {
	switch class {
	case "boolean", "byte", "short", "int", "long", "float", "double", "java.lang.Boolean", "java.lang.Byte", "java.lang.Short",
		"java.lang.Integer", "java.lang.Long", "java.lang.Float", "java.lang.Double", "java.lang.String", "java.util.Date":
		return true
	}
	return false
}

func (c *slotCompiler) array(s *slot, n *node, t reflect.Type) {
	if t.Kind() != reflect.Slice {
		return
	}
	elem := c.slot(n.elem, t.Elem(), false)
	if elem == nil || c.stuck {
		return
	}
	s.read = func(r *reader, v reflect.Value) bool {
		if r.depth == 0 {
			return false
		}
		r.depth--
		out := reflect.MakeSlice(t, 0, 0)
		v.Set(out)
		err := r.blocks(func(i int) error {
			v.Grow(1)
			v.SetLen(i + 1)
			if !elem.read(r, v.Index(i)) {
				return errUnusual
			}
			return nil
		})
		r.depth++
		return err == nil
	}
	s.write = func(w *writer, v reflect.Value) bool {
		if w.depth == 0 || v.IsNil() {
			return false
		}
		w.depth--
		size := v.Len()
		if size > 0 {
			w.varint(int64(size))
		}
		for i := range size {
			if !elem.write(w, v.Index(i)) {
				return false
			}
		}
		w.varint(0)
		w.depth++
		return true
	}
}
