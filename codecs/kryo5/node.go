package kryo5

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// node carries the values of one Go type in one place. Nodes are immutable.
type node interface {
	// usual returns the usual class there, nil where there is none.
	usual() *class
	// of returns the class under which the value at p is written, nil for null, and, from nodes
	// that write a Java value, that value.
	of(e *encoder, p memory.Place) (*class, any, error)
	// write writes the body of what of returned, which is not null, as class c.
	write(e *encoder, c *class, p memory.Place, v any) error
	// read reads a body of class c into the zero variable at p.
	read(d *decoder, c *class, p memory.Place) error
}

// place is what a node is compiled for.
type place struct {
	desc *bridge.Node
	ctx  *layout.Type // what the declared types around it say of the values inside
}

func (n *place) variable(p memory.Place) reflect.Value { return memory.Value(n.desc.Go, p) }

// fault returns the error for a value that cannot be written.
func (n *place) fault(format string, args ...any) error {
	return &codecs.EncodeError{Codec: name, Type: n.desc.Go, Reason: fmt.Sprintf(format, args...)}
}

// convert reads a body of class c that a node does not read itself: the Java value that it
// is, which package java then brings into the variable at p.
func (d *decoder) convert(n *place, c *class, p memory.Place) error {
	start := d.at
	v, err := d.object(c, n.ctx)
	if err != nil {
		return err
	}
	return d.assign(n, start, v, p)
}

// assign stores a Java value that stands at offset start in the variable at p.
func (d *decoder) assign(n *place, start int, v any, p memory.Place) error {
	return misfit(start, d.tree.plan.java.AssignTo(n.desc, v, n.variable(p)))
}

// misfit makes err, of a value that does not go into its Go type, one of this codec.
func misfit(start int, err error) error {
	if err == nil {
		return nil
	}
	err = bridge.Named(name, err)
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		e.Offset = start
	}
	return err
}

// slot is a node together with how its values are framed.
type slot struct {
	node
	place
	class    *class // the payload leaves this class out; nil where it is written
	expect   *class // the usual class, nil for none
	nullable bool   // null leaves the variable zero
	raw      bool   // an Optional is the object that it is, not what it holds
	declared string // the class a field is declared as; empty for all other places
	base     string // what the place is declared as, see [world.inheriting]
}

// fits reports whether Java can put an object of class c there.
func (s *slot) fits(w *world, c *class) bool {
	return s.declared == "" || c == nil || w.assignable(s.declared, className(c))
}

// className returns the name that a value of class c has in package java.
func className(c *class) string {
	if c.enum != nil {
		return c.enum.name
	}
	return c.name
}

// readAs reads a value of class known, or null where it is nullable; a value with its class,
// or null, where known is nil. It reports whether that was null.
func (s *slot) readAs(d *decoder, known *class, p memory.Place, nullable bool) (null bool, err error) {
	if known == nil {
		return s.readOpen(d, p)
	}
	if nullable {
		start := d.at
		if present, err := d.present(known); err != nil || !present {
			if err == nil {
				err = s.null(d, start)
			}
			return true, err
		}
	}
	if known.read == nil {
		return false, d.faultIn(known, d.at, "%s", known.reason)
	}
	if known.holds == holdsNothing {
		return false, s.read(d, known, p)
	}
	return false, s.body(d, known, p)
}

// readOpen reads a value with its class, or null.
func (s *slot) readOpen(d *decoder, p memory.Place) (null bool, err error) {
	start := d.at
	c, err := d.class(s.expect, s.base)
	switch {
	case err != nil:
		return false, err
	case c == nil:
		return true, s.null(d, start)
	case c != s.expect && !s.fits(d.world, c):
		return false, &codecs.DecodeError{
			Codec: name, Class: className(c), Offset: start,
			Reason: "the field is declared as " + s.declared + ": another description of the class is needed",
		}
	case c.holds == holdsNothing:
		return false, s.read(d, c, p)
	}
	return false, s.body(d, c, p)
}

func (s *slot) body(d *decoder, c *class, p memory.Place) error {
	if c.holds != holdsNothing && !s.raw {
		return s.readHeld(d, c, p)
	}
	return s.read(d, c, p)
}

// readHeld reads what an Optional or Atomic class holds.
func (s *slot) readHeld(d *decoder, c *class, p memory.Place) error {
	start := d.at
	if c.holds == holdsObject {
		if err := d.enter(start, 1, 1); err != nil {
			return err
		}
		defer d.leave()
		inner := *s
		inner.declared = ""
		inner.raw = s.desc.Go == anyType
		_, err := inner.readOpen(d, p)
		return errpath.UnderDecode("value", err)
	}
	v, err := d.body(c, nil)
	if err != nil {
		return err
	}
	if held, _ := v.(*java.Object).Get("value"); held == nil {
		return s.null(d, start)
	}
	return d.assign(&s.place, start, v, p)
}

// null leaves a variable zero, where null may do that.
func (s *slot) null(d *decoder, start int) error {
	if s.nullable {
		return nil
	}
	return misfit(start, d.tree.plan.java.AssignTo(s.desc, nil, reflect.New(s.desc.Go).Elem()))
}

// writeAs writes a value without its class where that is known, or null.
func (s *slot) writeAs(e *encoder, known *class, p memory.Place) error {
	c, v, err := s.of(e, p)
	switch {
	case err != nil:
		return err
	case known != nil:
		return s.put(e, known, written{c, v}, p, true)
	case c != s.expect && !s.fits(e.world, c):
		return s.fault("a %s does not go into a field declared as %s", className(c), s.declared)
	}
	if err := e.class(c); err != nil || c == nil {
		return err
	}
	return s.write(e, c, p, v)
}

// written is what the node of a value says of it.
type written struct {
	class *class
	value any
}

// put writes the value at p, of which the node has said v, see writeAs.
func (s *slot) put(e *encoder, known *class, v written, p memory.Place, nullable bool) error {
	if known == nil {
		known = v.class
		if err := e.class(known); err != nil || known == nil {
			return err
		}
	} else if present, err := e.present(known, v.class, v.value, nullable); err != nil || !present {
		return err
	}
	return s.write(e, known, p, v.value)
}

// javaNode carries Go values that are Java values, or that package java makes such of: sets and
// other containers whose order depends on hash codes or comparisons, what is in an Optional or
// Atomic class, and all that has no node of its own.
type javaNode struct {
	place
	as     *class
	itself bool // the Go values are the Java values
	orNull bool // but the zero value is null
	// shared makes it that of a whole payload with references. One object may be met as several Go
	// types there, and pointers that are one must stay one: package java sees to both.
	shared bool
	reads  node // reads the values in place; nil where package java does that
}

func (n *javaNode) usual() *class { return n.as }

func (n *javaNode) of(e *encoder, p memory.Place) (*class, any, error) {
	variable := n.variable(p)
	var v any
	var err error
	switch {
	case n.shared:
		v, err = e.tree.plan.java.LowerShared(variable.Interface())
	case !n.itself:
		v, err = e.tree.plan.java.LowerFrom(n.desc, variable)
	case !n.orNull || !variable.IsZero():
		v = variable.Interface()
	}
	if err != nil {
		return nil, nil, bridge.Named(name, err)
	}
	return e.resolve(v)
}

func (n *javaNode) write(e *encoder, c *class, _ memory.Place, v any) error {
	return e.object(c, v, n.ctx)
}

func (n *javaNode) read(d *decoder, c *class, p memory.Place) error {
	if n.reads != nil {
		return n.reads.read(d, c, p)
	}
	start := d.at
	v, err := d.object(c, n.ctx)
	switch {
	case err != nil:
		return err
	case n.shared:
		return misfit(start, d.tree.plan.java.Assign(v, memory.PointerTo(n.desc.Go, p)))
	case !n.itself || reflect.TypeOf(v) != n.desc.Go:
		return d.assign(&n.place, start, v, p)
	}
	n.variable(p).Set(reflect.ValueOf(v))
	return nil
}

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	place
	elem node
}

func (n *pointerNode) usual() *class {
	if n.elem == nil {
		return nil // the type is being compiled, and contains itself
	}
	return n.elem.usual()
}

func (n *pointerNode) of(e *encoder, p memory.Place) (*class, any, error) {
	to := memory.Pointee(p)
	if to == nil {
		return nil, nil, nil
	}
	return n.elem.of(e, to)
}

func (n *pointerNode) write(e *encoder, c *class, p memory.Place, v any) error {
	return n.elem.write(e, c, memory.Pointee(p), v)
}

func (n *pointerNode) read(d *decoder, c *class, p memory.Place) error {
	to := memory.New(n.desc.Elem.Go)
	memory.SetPointer(p, to)
	return n.elem.read(d, c, to)
}

// anyNode carries what any holds inside a Go type: plain Go values, as java.Plain makes them.
type anyNode struct {
	place
	exact   bool       // the Java values instead
	list    *listNode  // a []any there
	entries entrySlots // a map[string]any there
	values  *anyNode   // of its entries
}

func (n *anyNode) usual() *class { return nil }

func (n *anyNode) of(e *encoder, p memory.Place) (*class, any, error) {
	return e.resolve(*memory.At[any](p))
}

func (n *anyNode) write(e *encoder, c *class, _ memory.Place, v any) error {
	return e.object(c, v, n.ctx)
}

func (n *anyNode) read(d *decoder, c *class, p memory.Place) (err error) {
	if n.exact {
		*memory.At[any](p), err = d.object(c, n.ctx)
	} else {
		*memory.At[any](p), err = n.body(d, c)
	}
	return err
}

// item reads a value of a container that holds anything: of class known, or null where it is
// nullable; with its class, or null, where known is nil. Without a node it is a Java value of
// context ctx.
func (d *decoder) item(n *anyNode, known *class, nullable bool, ctx *layout.Type) (any, error) {
	switch {
	case known == nil:
		c, err := d.class(nil, ctx.Declared())
		if err != nil || c == nil {
			return nil, err
		}
		known = c
	case nullable && n == nil:
		return d.objectOrNull(known, ctx)
	case nullable:
		if present, err := d.present(known); err != nil || !present {
			return nil, err
		}
	}
	if n == nil {
		return d.object(known, ctx)
	}
	return n.body(d, known)
}

// body reads a body of class c.
func (n *anyNode) body(d *decoder, c *class) (any, error) {
	switch {
	case c.mapping:
		return n.readMap(d, c)
	case c.list && !c.enumSet:
		var l []any
		err := n.list.read(d, c, memory.Of(&l))
		return l, err
	}
	v, err := d.object(c, n.ctx)
	if err != nil {
		return nil, err
	}
	return java.Plain(v), nil
}

// readMap reads the body of a map: a Go map where all keys are Strings, else a Java map.
func (n *anyNode) readMap(d *decoder, c *class) (any, error) {
	if c.fixed == 1 {
		n = d.tree.any(nil)
	}
	var h mapHeader
	if err := n.entries.header(d, c, &h); err != nil {
		return nil, err
	}
	return d.readAnyMap(n.values, c, &h, nil, nil)
}
