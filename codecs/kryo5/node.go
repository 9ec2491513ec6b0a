package kryo5

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// node carries the values of one Go type in one place. Nodes are immutable.
type node interface {
	// classOf returns the class under which the value at p is written, nil for null.
	classOf(e *encoder, p memory.Place) (*class, error)
	// write writes the body of the value at p, which is not null, as class c.
	write(e *encoder, c *class, p memory.Place) error
	// read reads a body of class c into the zero variable at p.
	read(d *decoder, c *class, p memory.Place) error
	// usual returns the usual class there, nil where there is none.
	usual() *class
}

// valued is the reading half of a node whose values are written as the values of package
// java that they are, or become: of any class, or in an order that Java's hash codes and
// comparisons decide.
type valued interface {
	// value returns what stands at p, nil for null, as a value that [encoder.resolve] takes.
	value(e *encoder, p memory.Place) (any, error)
	read(d *decoder, c *class, p memory.Place) error
	usual() *class
}

// valueNode makes a node of it.
type valueNode struct {
	valued
	ctx *layout.Type
}

func (n *valueNode) classOf(e *encoder, p memory.Place) (*class, error) {
	v, err := n.value(e, p)
	if err != nil {
		return nil, err
	}
	c, _, err := e.resolve(v)
	return c, err
}

func (n *valueNode) write(e *encoder, c *class, p memory.Place) error {
	v, err := n.value(e, p)
	if err != nil {
		return err
	}
	if _, v, err = e.resolve(v); err != nil {
		return err
	}
	return e.body(c, v, n.ctx)
}

// place is what a node is compiled for.
type place struct {
	desc *java.Node
	ctx  *layout.Type // what the declared types around it say of the values inside
}

// variable returns the variable at p.
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
	err = java.DecodeError(name, err)
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
	value    valued        // the same node, where it is a [valueNode]
	class    *class        // the payload leaves this class out; nil where it is written
	expect   *class        // the usual class, nil for none
	field    *layout.Field // of a field whose class depends on type arguments, else nil
	nullable bool          // null leaves the variable zero
	raw      bool          // an Optional is the object that it is, not what it holds
	declared string        // the class a field is declared as; empty for all other places
}

// fits reports whether Java can put an object of class c there.
func (s *slot) fits(w *world, c *class) bool {
	return s.declared == "" || c == nil || c == s.expect || w.assignable(s.declared, className(c))
}

// className returns the name that a value of class c has in package java.
func className(c *class) string {
	if c.enum != nil {
		return c.enum.name
	}
	return c.name
}

// read reads a value with its class, or null, unless the place knows the class.
func (s *slot) read(d *decoder, p memory.Place) error {
	c := s.class
	if s.field != nil {
		if name := d.scope.Field(s.field); name != "" {
			c = d.find(name)
		}
	}
	if c != nil {
		return s.readKnown(d, c, p, true)
	}
	start := d.at
	c, err := d.class(s.expect)
	switch {
	case err != nil:
		return err
	case c == nil:
		return s.null(d, start)
	case c == s.expect && c.holds == holdsNothing:
		return s.node.read(d, c, p)
	case !s.fits(d.world, c):
		return &codecs.DecodeError{
			Codec: name, Class: className(c), Offset: start,
			Reason: "the field is declared as " + s.declared + ": another description of the class is needed",
		}
	}
	return s.body(d, c, p)
}

// body reads a body of class c.
func (s *slot) body(d *decoder, c *class, p memory.Place) error {
	if c.holds != holdsNothing && !s.raw {
		return s.readHeld(d, c, p)
	}
	return s.node.read(d, c, p)
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
		inner.class, inner.field, inner.declared = nil, nil, ""
		return java.UnderDecode("value", inner.read(d, p))
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

// readKnown reads a value of class c, or null where that is possible.
func (s *slot) readKnown(d *decoder, c *class, p memory.Place, canBeNull bool) error {
	if canBeNull {
		start := d.at
		if c.acceptsNull {
			if start < len(d.in) && d.in[start] == c.null() {
				d.at++
				return s.null(d, start)
			}
		} else if present, err := d.flag(); err != nil || !present {
			if err != nil {
				return err
			}
			return s.null(d, start)
		}
	}
	if c.read == nil {
		return d.faultIn(c, d.at, "%s", c.reason)
	}
	return s.body(d, c, p)
}

// null leaves a variable zero, where null may do that.
func (s *slot) null(d *decoder, start int) error {
	if s.nullable {
		return nil
	}
	return misfit(start, d.tree.plan.java.AssignTo(s.desc, nil, reflect.New(s.desc.Go).Elem()))
}

// write writes a value with its class, or null, unless the place knows the class.
func (s *slot) write(e *encoder, p memory.Place) error {
	c := s.class
	if s.field != nil {
		if name := e.scope.Field(s.field); name != "" {
			c = e.world.must(name)
		}
	}
	if s.value != nil {
		return s.writeValue(e, c, p)
	}
	actual, err := s.classOf(e, p)
	switch {
	case err != nil:
		return err
	case c != nil:
		return s.writeKnown(e, c, actual, p, true)
	case !s.fits(e.world, actual):
		return s.stranger(actual)
	}
	if err := e.class(actual); err != nil || actual == nil {
		return err
	}
	return s.node.write(e, actual, p)
}

func (s *slot) stranger(c *class) error {
	return s.fault("a %s does not go into a field declared as %s", className(c), s.declared)
}

// writeValue writes a value of package java, without its class where that is c.
func (s *slot) writeValue(e *encoder, c *class, p memory.Place) error {
	v, err := s.value.value(e, p)
	if err != nil {
		return err
	}
	if c != nil {
		return e.exactly(c, v, s.ctx)
	}
	actual, v, err := e.resolve(v)
	switch {
	case err != nil:
		return err
	case !s.fits(e.world, actual):
		return s.stranger(actual)
	}
	return e.resolved(actual, v, s.ctx)
}

// writeKnown writes a value whose class c the payload leaves out.
func (s *slot) writeKnown(e *encoder, c, actual *class, p memory.Place, canBeNull bool) error {
	switch {
	case actual == nil:
		e.out = append(e.out, c.null())
		return nil
	case actual != c && actual.name != c.name && (c.component == "" || actual.component == ""):
		return s.fault("found a %s where the type says %s", className(actual), c.name)
	case canBeNull && !c.acceptsNull:
		e.out = append(e.out, 1)
	}
	return s.node.write(e, c, p)
}

// javaNode carries values that are those of package java, or that it makes of Go's.
type javaNode struct {
	place
	as     *class
	itself bool // the Go values are the Java values
	orNull bool // but the zero value is null
}

func (n *javaNode) usual() *class { return n.as }

func (n *javaNode) value(e *encoder, p memory.Place) (any, error) {
	v := n.variable(p)
	if !n.itself {
		out, err := e.tree.plan.java.LowerFrom(n.desc, v)
		return out, java.EncodeError(name, err)
	}
	if n.orNull && v.IsZero() {
		return nil, nil
	}
	return v.Interface(), nil
}

func (n *javaNode) read(d *decoder, c *class, p memory.Place) error {
	if !n.itself {
		return d.convert(&n.place, c, p)
	}
	start := d.at
	v, err := d.object(c, n.ctx)
	switch {
	case err != nil:
		return err
	case reflect.TypeOf(v) != n.desc.Go:
		return d.assign(&n.place, start, v, p)
	}
	n.variable(p).Set(reflect.ValueOf(v))
	return nil
}

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	place
	kind reflect.Kind // of what they point to
	elem node
}

func (n *pointerNode) usual() *class {
	if n.elem == nil {
		return nil // the type is being compiled, and contains itself
	}
	return n.elem.usual()
}

func (n *pointerNode) classOf(e *encoder, p memory.Place) (*class, error) {
	to := memory.Pointee(p)
	if to == nil {
		return nil, nil
	}
	return n.elem.classOf(e, to)
}

func (n *pointerNode) write(e *encoder, c *class, p memory.Place) error {
	return n.elem.write(e, c, memory.Pointee(p))
}

func (n *pointerNode) read(d *decoder, c *class, p memory.Place) error {
	to := memory.New(n.desc.Elem.Go, n.kind)
	memory.SetPointer(p, to)
	return n.elem.read(d, c, to)
}

// pointerValue carries pointers to what is written as a Java value.
type pointerValue struct {
	*pointerNode
	to valued
}

func (n pointerValue) value(e *encoder, p memory.Place) (any, error) {
	at := memory.Pointee(p)
	if at == nil {
		return nil, nil
	}
	return n.to.value(e, at)
}

// loweredNode carries what is read in place and written as the Java values that package java
// makes of it: sets and other containers whose order depends on hash codes or comparisons,
// and Go types inside an Optional or Atomic class.
type loweredNode struct {
	javaNode
	reads node
}

func (n *loweredNode) read(d *decoder, c *class, p memory.Place) error { return n.reads.read(d, c, p) }
