package kryo5

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// payload reads one whole payload into the zero variable at p, with other descriptions of the
// classes in it where the first ones do not fit.
func (d *decoder) payload(payload []byte, plan *plan, p memory.Place) error {
	d.reset(payload, plan.first)
	err := d.attempt(p)
	if err == nil || len(d.met) == 0 {
		return err
	}
	tries := 0
	for _, choice := range d.universe.choices(d.met) {
		d.clean()
		d.reset(payload, plan.in(d.universe.with(choice), d.references))
		again := reflect.New(plan.typ)
		if d.attempt(memory.To(again)) == nil {
			memory.Value(plan.typ, p).Set(again.Elem())
			return nil
		}
		tries++
	}
	var e *codecs.DecodeError
	if tries > 0 && errors.As(err, &e) {
		e.Reason += fmt.Sprintf(" (with the first description of each class; %d other combinations do not fit either)", tries)
	}
	return err
}

// attempt reads one whole payload in the world of d.
func (d *decoder) attempt(p memory.Place) error {
	switch {
	case len(d.in) == 0:
		return d.fault(0, "the payload is empty: Kryo writes at least one byte")
	case len(d.in) > d.limits.Bytes:
		return d.fault(0, "the payload has %d bytes, more than %d: raise Limits.Bytes if that is right", len(d.in), d.limits.Bytes)
	}
	if err := d.tree.readRoot(d, p); err != nil {
		return err
	}
	if n := d.remaining(); n > 0 { // Java ignores them
		return d.fault(d.at, "%d bytes follow the value: another codec, a writer with useReferences or allowedClasses, or other fields in a class", n)
	}
	return nil
}

// value reads class and object, or null. Ctx is the generic type that is known of
// the place, nil for none.
func (d *decoder) value(ctx *layout.Type) (any, error) {
	return d.valueIn(ctx.Declared(), ctx)
}

// valueIn is value in a place that is declared as a class, "" where nothing is known of it.
func (d *decoder) valueIn(declared string, ctx *layout.Type) (any, error) {
	c, err := d.class(nil, declared)
	if err != nil || c == nil {
		return nil, err
	}
	return d.object(c, ctx)
}

// object reads an object that is not null and whose class is known.
func (d *decoder) object(c *class, ctx *layout.Type) (any, error) {
	if d.references && !c.untracked {
		return d.tracked(c, ctx, false)
	}
	return d.body(c, ctx)
}

// body reads what follows class and reference.
func (d *decoder) body(c *class, ctx *layout.Type) (any, error) {
	if c.variants {
		d.meet(c)
	}
	if c.read == nil {
		return nil, d.faultIn(c, d.at, "%s", c.reason)
	}
	start := d.at
	v, err := c.read(d, c, ctx)
	switch {
	case err != nil && !c.partial:
		return nil, err // half a scalar is none
	case err == nil && v == nil:
		err = d.noNull(c, start)
	}
	return v, err
}

// objectOrNull reads an object whose class is known, or null.
func (d *decoder) objectOrNull(c *class, ctx *layout.Type) (any, error) {
	if d.references && !c.untracked {
		return d.tracked(c, ctx, true)
	}
	if present, err := d.present(c); err != nil || !present {
		return nil, err
	}
	return d.body(c, ctx)
}

// present begins an object whose class is known, false for null.
func (d *decoder) present(c *class) (bool, error) {
	switch {
	case !c.acceptsNull || d.references:
		return d.flag()
	case d.at < len(d.in) && d.in[d.at] == c.null():
		d.at++
		return false, nil
	}
	return true, nil
}

// noNull is the error for a null where the payload has said that there is none.
func (d *decoder) noNull(c *class, start int) error {
	return d.faultIn(c, start, "found null where the class has a value")
}

// maxMet bounds the classes that other descriptions are tried of.
const maxMet = 16

// meet notes that another description of a class in the payload may be tried.
func (d *decoder) meet(c *class) {
	name := className(c)
	if len(d.met) == maxMet || slices.Contains(d.met, name) {
		return
	}
	d.met = append(d.met, name)
}

// class reads a class id; nil means null. A class that is not known is an error. Expect is
// the class that usually stands there, nil for none; declared is what the place is declared as,
// see [world.inheriting].
func (d *decoder) class(expect *class, declared string) (*class, error) {
	if d.at >= len(d.in) {
		return nil, d.ended()
	}
	switch b := d.in[d.at]; {
	case b == idNull:
		d.at++
		return nil, nil
	case b == idByName && d.at+2 < len(d.in):
		id := int(d.in[d.at+1])
		switch {
		case id < len(d.classes) && id < 0x80 && d.classes[id].read != nil:
			d.at += 2
			return d.classes[id], nil
		case expect != nil && expect.id == 0 && id == len(d.classes) && id < 0x80 && bytes.HasPrefix(d.in[d.at+2:], expect.wire):
			d.classes = append(d.classes, expect)
			d.at += 2 + len(expect.wire)
			return expect, nil
		}
	case b > idByName && b < idEnd:
		d.at++
		return d.known.byID[b], nil
	case expect != nil && expect.id == uint32(b) && b < 0x80:
		d.at++ // one of allowedClasses
		return expect, nil
	}
	return d.otherClass(declared)
}

// otherClass reads a class id that is none of the usual ones.
func (d *decoder) otherClass(declared string) (*class, error) {
	start := d.at
	c, err := d.anyClass()
	if err == nil && c != nil && c.read == nil {
		if t := d.thrown(c.name); t != nil && !c.described {
			return t, nil
		}
		if t := d.world.inheriting(c.name, declared); t != nil && !c.described {
			d.made[c.name] = t
			d.classes[slices.Index(d.classes, c)] = t
			return t, nil
		}
		err = &codecs.DecodeError{Codec: name, Class: c.name, Offset: start, Reason: unknownReason(c.name, c)}
	}
	return c, err
}

// anyClass reads a class id; nil means null. A class that is not known has no
// read function.
func (d *decoder) anyClass() (*class, error) {
	start := d.at
	id, err := d.uv32()
	switch {
	case err != nil:
		return nil, err
	case id == idNull:
		return nil, nil
	case id == idByName:
		return d.classByName(start)
	case id < idEnd:
		return d.known.byID[id], nil
	case int64(id) < int64(idEnd+len(d.known.allowed)):
		return d.find(d.known.allowed[id-idEnd]), nil
	}
	return nil, d.fault(start, "class id %d is not registered: another codec, a Go type that differs from the Java class (duequeue javadesc -check compares them), or a writer with allowedClasses", id)
}

// maxNameBytes bounds a class name.
const maxNameBytes = 1024

func (d *decoder) classByName(start int) (*class, error) {
	id, err := d.uv32()
	switch {
	case err != nil:
		return nil, err
	case int64(id) < int64(len(d.classes)):
		return d.classes[id], nil
	case int64(id) > int64(len(d.classes)):
		return nil, d.fault(start, "name id %d before id %d was used: another codec", id, len(d.classes))
	}
	text, null, err := d.stringBytes()
	switch {
	case err != nil:
		return nil, err
	case null || len(text) == 0 || len(text) > maxNameBytes:
		return nil, d.fault(start, "a class name must have 1 to %d bytes", maxNameBytes)
	}
	c := d.known.byName[string(text)]
	if c == nil {
		c = d.world.byName[string(text)]
	}
	if c == nil {
		c = d.find(string(text))
	}
	d.classes = append(d.classes, c)
	return c, nil
}

// find returns the class of that name, one without a read function if it is not known.
func (d *decoder) find(name string) *class {
	if c := d.known.byName[name]; c != nil {
		return c
	}
	if c := d.world.byName[name]; c != nil {
		return c
	}
	if c := d.made[name]; c != nil {
		return c
	}
	c := d.world.must(name)
	if d.made == nil {
		d.made = map[string]*class{}
	}
	d.made[name] = c
	return c
}

// unknownReason says why a class cannot be carried. C may be nil.
func unknownReason(name string, c *class) string {
	switch {
	case c != nil && c.reason != "":
		return c.reason
	case strings.Contains(name, "$$Lambda") || strings.Contains(name, "$Proxy"):
		return "a lambda or a proxy: Java itself cannot read it back"
	case strings.Trim(name[strings.LastIndexByte(name, '$')+1:], "0123456789") == "" && strings.Contains(name, "$"):
		return "an anonymous class, such as that of new HashMap<>() {{ … }}: \"duequeue javadesc -classes app.jar '" + name + "'\" writes a Go type for it, to be named by registry.JavaClass"
	case javaName(name):
		return "this codec does not carry the class"
	case anonymousName(name):
		return "the class is not described: it is an anonymous one, as new HashMap() {{ put(…); }} makes, and what \"duequeue javadesc -classes app.jar '" +
			name + "'\" writes describes it"
	}
	return "the class is not described, and no Go type names it: give the payload type a method JavaClass, or describe the class by kryo5.Classes; \"duequeue javadesc -classes app.jar\" writes both"
}

func underIndex(i int, err error) error { return errpath.UnderDecode("["+strconv.Itoa(i)+"]", err) }
