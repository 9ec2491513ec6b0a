package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	elem reflect.Type
	kind reflect.Kind // of elem
	to   framedNode   // of what it points to; what is around that is the pointer's
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
	to := memory.New(n.elem, n.kind)
	if err := n.to.node.read(r, i, to); err != nil {
		return err
	}
	n.keep(r, i, to)
	memory.SetPointer(p, to)
	return nil
}

func (n *pointerNode) readAs(r *reader, i int, p memory.Place, as place, _ bool) error {
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
	if k.Kind == token.Array && k.N == 2 {
		at = i + 2
	}
	if r.toks[at].Kind == token.Null {
		if f, err := r.frame(i, as); err != nil || f.at == at {
			return err
		}
	}
	to := memory.New(n.elem, n.kind)
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

func (n *holderNode) readAs(r *reader, i int, p memory.Place, as place, _ bool) error {
	return n.elem.readAs(r, i, p, as)
}
