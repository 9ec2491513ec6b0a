package databind

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// node carries values of one Go type. Nodes are immutable.
type node interface {
	// null reports whether the value at p is null in Java.
	null(p memory.Place) bool
	// nullable reports whether null leaves the variable zero in every place.
	nullable() bool
	// write writes the value at p, which is not null.
	write(w *writer, p memory.Place) error
	// read reads token i, which is not null, into the zero variable at p: as the node was
	// compiled for its place, what names its class apart.
	read(r *reader, i int, p memory.Place) error
	// readAs reads the value at token i, which may be null, as one in another place: with
	// all that is around it. Inside says that null leaves the variable zero.
	readAs(r *reader, i int, p memory.Place, as *place, inside bool) error
}

// errUnusual is what read of a node says of a value that only readAs takes, before
// anything was read, and write of one that only its leaf writes.
var errUnusual = errors.New("not as usual")

// unusual reports whether an error is that one, which nothing wraps.
func unusual(err error) bool { return err == errUnusual } //nolint:errorlint // each value asks

// framedNode is a node together with how its values are framed.
type framedNode struct {
	node   node
	leaf   *leafNode // what a node for the usual values of a leaf leaves over
	as     *place
	wrap   fixedName // the class beside the value, empty where there is none
	inside bool      // a field: null leaves it zero
	object bool      // the node sees to the type id itself
}

// fixedName is a key or a class, and its bytes where the format has fixed ones.
type fixedName struct{ text, fixed string }

// read reads the value at token i, with what is around it.
func (s *framedNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	switch at := i; {
	case k.Kind == token.Null:
		if k.Type == 0 && (s.inside || s.node.nullable()) {
			return nil
		}
	case s.wrap.text == "":
		if k.Type == 0 || s.object {
			if err := s.node.read(r, i, p); !unusual(err) {
				return err
			}
		}
	default:
		if k.Type == 0 {
			at = i + 2
		}
		if s.names(r, i) {
			if err := s.node.read(r, at, p); !unusual(err) {
				return err
			}
		}
	}
	return s.readAs(r, i, p, s.as)
}

// readAs reads the value at token i as one in another place.
func (s *framedNode) readAs(r *reader, i int, p memory.Place, as *place) error {
	if s.leaf != nil {
		return s.leaf.readAs(r, i, p, as, s.inside)
	}
	return s.node.readAs(r, i, p, as, s.inside)
}

// names reports whether the value at i names the class of the slot, and is not null.
func (s *framedNode) names(r *reader, i int) bool {
	k := &r.toks[i]
	if k.Type != 0 {
		return r.tape.Class(k) == s.wrap.text
	}
	if !r.pair(i) {
		return false
	}
	id, v := &r.toks[i+1], &r.toks[i+2]
	return r.is(id, s.wrap.text) && v.Kind != token.Null && v.Type == 0
}

// write writes the value at p, which is not null.
func (s *framedNode) write(w *writer, p memory.Place) error {
	if s.wrap.text == "" {
		err := s.node.write(w, p)
		if unusual(err) {
			err = s.leaf.write(w, p)
		}
		return err
	}
	if err := w.beginWrap(&s.wrap); err != nil {
		return err
	}
	if err := s.node.write(w, p); err != nil {
		if unusual(err) {
			err = s.leaf.refuse(w, p)
		}
		return err
	}
	w.gen.EndWrap()
	return nil
}

// writeOrNull writes the value at p, or null.
func (s *framedNode) writeOrNull(w *writer, p memory.Place) error {
	if s.node.null(p) {
		w.gen.Null()
		return nil
	}
	return s.write(w, p)
}

// enter begins a container of a Go type that holds n values.
func (w *writer) enter(t reflect.Type, n int) error {
	w.left -= n + 8
	switch {
	case w.depth <= 0:
		return w.tooDeep(t)
	case w.left < 0:
		return w.failType(t, "too many values; pointers to one thing count each time")
	case w.gen.Len() > w.most:
		return w.tooLong(t)
	}
	w.depth--
	return nil
}

func (w *writer) leave() { w.depth++ }

// variable returns a new zero variable of type t, for maps.
func variable(t reflect.Type) reflect.Value { return reflect.New(t).Elem() }

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	elem reflect.Type
	to   framedNode // of what it points to; what is around that is the pointer's
}

func (n *pointerNode) nullable() bool { return true }

// null looks through the pointer too: what it points to may be null in Java.
func (n *pointerNode) null(p memory.Place) bool {
	to := memory.Pointee(p)
	return to == nil || n.to.node.null(to)
}

func (n *pointerNode) write(w *writer, p memory.Place) error {
	w.left -= 8
	to := memory.Pointee(p)
	err := n.to.node.write(w, to)
	if unusual(err) {
		err = n.to.leaf.write(w, to)
	}
	return err
}

func (n *pointerNode) read(r *reader, i int, p memory.Place) error {
	to := memory.New(n.elem)
	if err := n.to.node.read(r, i, to); err != nil {
		return err
	}
	n.keep(r, i, to)
	memory.SetPointer(p, to)
	return nil
}

func (n *pointerNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) error {
	k := &r.toks[i]
	if k.Kind == token.Null {
		return nil
	}
	if b, ok := n.to.node.(*beanNode); ok && r.refers(as) {
		if a := r.number(i); a != nil {
			to, err := b.first(r, a)
			memory.SetPointer(p, to)
			return err
		}
	}
	// Null within an array or annotation that names a class is null too.
	at := i
	if k.Kind == token.Array && k.N == 2 || r.pair(i) {
		at = i + 2
	}
	if r.toks[at].Kind == token.Null {
		if f, err := r.frame(i, as); err != nil || f.at == at {
			return err
		}
	}
	if k := &r.toks[at]; n.to.leaf != nil && k.Kind == token.String && r.blank(string(r.tape.Text(k))) {
		if v, err := n.to.leaf.value(r, i, as); v == nil {
			return err
		}
	}
	to := memory.New(n.elem)
	if err := n.to.readAs(r, i, to, as); err != nil {
		return err
	}
	n.keep(r, i, to)
	memory.SetPointer(p, to)
	return nil
}

// keep notes the variable of an object that has a number.
func (n *pointerNode) keep(r *reader, i int, to memory.Place) {
	if r.latest != nil && r.latest.at == i {
		r.latest.keep(n.elem, to)
	}
}

// holderNode carries a Go type as an Optional or an AtomicReference, of which Jackson
// writes what it holds.
type holderNode struct {
	class string
	elem  framedNode
	// property says that a reference to null is left out, as null is in beans.
	property bool
}

func (n *holderNode) nullable() bool { return n.elem.node.nullable() }

func (n *holderNode) null(p memory.Place) bool {
	return n.property && n.class == classAtomicReference && n.elem.node.null(p)
}

func (n *holderNode) write(w *writer, p memory.Place) error {
	if n.class == classOptional && w.codec.rules.Jackson == 2 {
		return w.noOptional(&java.Object{Class: n.class})
	}
	return n.elem.writeOrNull(w, p)
}

func (n *holderNode) read(r *reader, i int, p memory.Place) error { return n.elem.read(r, i, p) }

func (n *holderNode) readAs(r *reader, i int, p memory.Place, as *place, _ bool) error {
	return n.elem.readAs(r, i, p, as)
}
