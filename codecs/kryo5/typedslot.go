package kryo5

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// typedNode carries values of one Go type in one place of a plan.
// Nodes are immutable.
type typedNode interface {
	// classOf returns the class under which the value at p is written, nil for
	// null. It is false where only the dynamic engine can say.
	classOf(w *typedWriter, p memory.Place) (*class, bool)
	// write writes the body of the value at p, which is not null, as class c.
	write(w *typedWriter, c *class, p memory.Place) bool
	// read reads a body of class c into the zero variable at p.
	read(r *typedReader, c *class, p memory.Place) bool
	// usual returns the usual class there, nil where there is none.
	usual() *class
	// nullable reports whether null leaves the variable zero in every place.
	nullable() bool
}

// typedSlot is a node together with how its values are framed.
type typedSlot struct {
	node   typedNode
	class  *class // the payload leaves this class out; nil where it is written
	expect *class
	field  *layout.Field // of a field whose class depends on type arguments, else nil
	inside bool          // a field: null leaves it zero
	// declared is the class a field is declared as; empty for all other places.
	declared string
}

// fits reports whether Java can put an object of class c there.
func (s *typedSlot) fits(types *typedTypes, c *class) bool {
	return s.declared == "" || c == nil || c == s.expect || types.world.assignable(s.declared, c.name)
}

// known returns the class that the payload leaves out at this moment.
func (s *typedSlot) known(scope *layout.Scope, types *typedTypes) (*class, bool) {
	if s.field == nil {
		return s.class, true
	}
	name := scope.Field(s.field)
	if name == "" {
		return nil, true
	}
	c := types.class(name)
	return c, c != nil
}

func (s *typedSlot) read(r *typedReader, p memory.Place) bool {
	c := s.class
	if s.field != nil {
		var ok bool
		if c, ok = s.known(&r.scope, r.types); !ok {
			return false
		}
	}
	if c == nil {
		actual, ok := r.class(s.expect)
		switch {
		case !ok:
			return false
		case actual == nil:
			return s.inside || s.node.nullable()
		}
		return s.fits(r.types, actual) && s.node.read(r, actual, p)
	}
	return s.readKnown(r, c, p, true)
}

// readKnown reads a value of class c, or null where that is possible.
func (s *typedSlot) readKnown(r *typedReader, c *class, p memory.Place, canBeNull bool) bool {
	if !canBeNull {
		return s.node.read(r, c, p)
	}
	null := byte(0)
	if c.id == idString {
		null = 0x80
	}
	switch b := r.peek(); {
	case b == null:
		r.at++
		return s.inside || s.node.nullable()
	case !c.acceptsNull:
		if b != 1 {
			return false
		}
		r.at++
	}
	return s.node.read(r, c, p)
}

func (s *typedSlot) write(w *typedWriter, p memory.Place) bool {
	c := s.class
	if s.field != nil {
		var ok bool
		if c, ok = s.known(&w.scope, w.types); !ok {
			return false
		}
	}
	if n, open := s.node.(*anyNode); open && c == nil {
		if s.declared != "" && s.declared != "java.lang.Object" {
			return false
		}
		return n.writeOpen(w, *memory.At[any](p))
	}
	actual, ok := s.node.classOf(w, p)
	switch {
	case !ok:
		return false
	case c != nil:
		return s.writeKnown(w, c, actual, p, true)
	}
	if !s.fits(w.types, actual) {
		return false
	}
	w.class(actual)
	return actual == nil || s.node.write(w, actual, p)
}

// writeKnown writes a value whose class c the payload leaves out.
func (s *typedSlot) writeKnown(w *typedWriter, c, actual *class, p memory.Place, canBeNull bool) bool {
	switch {
	case actual == nil && !canBeNull:
		return false
	case actual == nil && c.id == idString:
		w.byte(0x80)
		return true
	case actual == nil:
		w.byte(0)
		return true
	case actual != c:
		return false
	case canBeNull && !c.acceptsNull:
		w.byte(1)
	}
	return s.node.write(w, c, p)
}
