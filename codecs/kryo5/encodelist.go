package kryo5

import (
	"math"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// writeCollection writes the elements of a list, set or queue.
func writeCollection(e *encoder, c *class, v any, ctx *layout.Type) error {
	switch v := v.(type) {
	case []any:
		return e.collection(c, v, nil, ctx)
	case *java.List:
		if v != nil {
			return e.collection(c, v.Elements, v.Comparator, ctx)
		}
	}
	return wrongKind(c, v)
}

func (e *encoder) collection(c *class, elements []any, comparator any, ctx *layout.Type) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	n := len(elements)
	switch {
	case n >= math.MaxInt32:
		return tooLong(c)
	case (c.zeroWidth || c.empty) && n != 0 || c.fixed == 1 && n != 1:
		return encodeFault(nil, "a %s cannot have %d elements", c.name, n)
	case c.zeroWidth:
		return nil
	case c.fixed == 1:
		return e.elements(elements, nil)
	}
	var known string
	var elem *layout.Type
	if ctx != nil {
		known, elem = e.scope.Element(ctx)
	}
	elements, s, err := e.survey(elements)
	if err == nil {
		err = s.check(c, comparator)
	}
	if err == nil && c.distinct {
		err = checkDistinct(c, n, func(i int) any { return elements[i] })
	}
	switch {
	case err != nil:
		return err
	case known != "":
		return e.knownElements(c, elements, comparator, e.world.must(known), s, elem)
	case n == 0:
		e.out = append(e.out, 1)
		return e.comparator(c, comparator, elem)
	}
	return e.several(c, elements, comparator, s, elem)
}

func (e *encoder) comparator(c *class, comparator any, ctx *layout.Type) error {
	if !c.sorted {
		return nil
	}
	switch comparator.(type) {
	case nil, *java.Object, java.Enum:
		return java.UnderEncode("[comparator]", e.value(comparator, ctx))
	}
	return java.UnderEncode("[comparator]", encodeFault(comparator, "it is no comparator"))
}

// survey is what the header of a collection says about its elements.
type survey struct {
	common   *class // class of all elements that are not null; nil when all are
	mixed    bool
	nulls    bool
	disorder bool // elements have classes that Java does not compare
}

func (e *encoder) several(c *class, elements []any, comparator any, s survey, elem *layout.Type) error {
	e.out = appendFlagged(e.out, uint32(len(elements))+1, !s.mixed)
	if err := e.comparator(c, comparator, elem); err != nil {
		return err
	}
	if s.mixed {
		return e.elements(elements, elem)
	}
	if err := e.class(s.common); err != nil || s.common == nil {
		return err
	}
	if !c.immutable {
		e.out = append(e.out, flagByte(s.nulls))
	}
	return e.uniform(s.common, elements, s.nulls, elem)
}

// knownElements writes elements whose final class the declared type tells.
func (e *encoder) knownElements(c *class, elements []any, comparator any, element *class, s survey, elem *layout.Type) error {
	if s.mixed || s.common != nil && s.common != element && s.common.name != element.name {
		return encodeFault(elements, "the type says that all elements are %s", element.name)
	}
	n := uint32(len(elements)) + 1
	if c.immutable {
		e.out = appendUV32(e.out, n)
	} else {
		e.out = appendFlagged(e.out, n, s.nulls)
	}
	if err := e.comparator(c, comparator, elem); err != nil {
		return err
	}
	return e.uniform(element, elements, s.nulls, elem)
}

// uniform writes elements of one class.
func (e *encoder) uniform(c *class, elements []any, nullable bool, ctx *layout.Type) error {
	for i, v := range elements {
		var err error
		if nullable {
			err = e.objectOrNull(c, v, ctx)
		} else {
			err = e.object(c, v, ctx)
		}
		if err != nil {
			return java.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}

// survey looks at all elements and returns them as values that body writes.
func (e *encoder) survey(elements []any) ([]any, survey, error) {
	var s survey
	own, body := false, ""
	for i, v := range elements {
		c, resolved, err := e.resolve(v)
		if err != nil {
			return nil, s, java.UnderEncode(indexPath(i), err)
		}
		if changed(v, resolved) {
			if !own {
				elements, own = slices.Clone(elements), true
			}
			elements[i] = resolved
		}
		switch {
		case c == nil:
			s.nulls = true
		case s.common == nil:
			s.common, body = c, bodyOf(c, resolved)
		case s.common != c && s.common.name != c.name, c.enum != nil && bodyOf(c, resolved) != body:
			s.mixed = true
			s.disorder = s.disorder || !ordered(s.common, c)
		}
	}
	return elements, s, nil
}

// bodyOf returns the class that a constant of an enum has for itself: constants of
// two classes are two classes for Java also where both have one number.
func bodyOf(c *class, v any) string {
	k, ok := v.(java.Enum)
	if !ok || c.enum == nil {
		return ""
	}
	at, err := c.ordinal(k)
	if err != nil {
		return ""
	}
	return c.enum.desc.Constants[at].Body
}

// changed reports whether resolve made another value; types suffice, since it
// never changes a value within its type.
func changed(v, resolved any) bool { return reflect.TypeOf(v) != reflect.TypeOf(resolved) }

// check refuses what Java would fail to read.
func (s survey) check(c *class, comparator any) error {
	switch {
	case s.nulls && c.refusesNull(comparator):
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " cannot hold null"}
	case c.natural && comparator == nil && (s.disorder || s.common != nil && !s.common.comparable()):
		return &codecs.EncodeError{Codec: name, Reason: "a " + c.name + " needs elements of one class that Java can compare"}
	}
	return nil
}

// elements writes each with its class.
func (e *encoder) elements(elements []any, ctx *layout.Type) error {
	for i, v := range elements {
		if err := e.value(v, ctx); err != nil {
			return java.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}

func (n *listNode) write(e *encoder, c *class, p memory.Place) error {
	if n.values != nil {
		return n.writeValues(e, c, p)
	}
	if err := e.enter(); err != nil {
		return err
	}
	length := memory.Len(p)
	if length >= math.MaxInt32 {
		return tooLong(c)
	}
	err := n.writeElements(e, c, p, length)
	e.leave()
	return err
}

// writeValues writes the elements as Java values.
func (n *listNode) writeValues(e *encoder, c *class, p memory.Place) error {
	var elements []any
	if n.plain {
		elements = *memory.At[[]any](p)
	} else {
		elements = make([]any, memory.Len(p))
		for i := range elements {
			v, err := n.values.value(e, memory.Element(p, i, n.size))
			if err != nil {
				return java.UnderEncode(indexPath(i), err)
			}
			elements[i] = v
		}
	}
	if n.array {
		return c.write(e, c, &java.List{Class: n.as.name, Elements: elements}, nil)
	}
	return e.collection(c, elements, nil, n.ctx)
}

func (n *listNode) writeElements(e *encoder, c *class, p memory.Place, length int) error {
	known := n.slot.class
	switch {
	case n.array && !n.as.list: // of primitives
		e.out = appendUV32(e.out, uint32(length)+1)
		return n.writePrimitives(e, p, length)
	case n.array:
		if length > 0 && e.world.undescribed(c) {
			return n.fault("%s: %s", c.component, unknownReason(c.component, nil))
		}
		if c != n.as {
			known = nil
			if name := e.world.elementClass(c); name != "" {
				known = e.world.must(name)
			}
		}
		e.out = appendUV32(e.out, uint32(length)+1)
		if known != nil {
			return n.each(e, known, p, length, true)
		}
		return n.writeMixed(e, p, length)
	case !n.fixed:
		known = nil
		if name, _ := e.scope.Element(n.ctx); name != "" {
			known = e.world.must(name)
		}
	}
	if n.strings && known == nil && length > 0 {
		e.out = append(appendFlagged(e.out, uint32(length)+1, true), idString, 0)
		return n.each(e, n.uniform, p, length, false)
	}
	s, err := n.survey(e, p, length)
	switch {
	case err != nil:
		return err
	case known != nil:
		e.out = appendFlagged(e.out, uint32(length)+1, s.nulls)
		return n.each(e, known, p, length, s.nulls)
	case length == 0:
		e.out = append(e.out, 1)
		return nil
	}
	e.out = appendFlagged(e.out, uint32(length)+1, !s.mixed)
	if s.mixed {
		return n.writeMixed(e, p, length)
	}
	if err := e.class(s.common); err != nil || s.common == nil {
		return err
	}
	e.out = append(e.out, flagByte(s.nulls))
	return n.each(e, s.common, p, length, s.nulls)
}

// survey looks at the classes of all elements.
func (n *listNode) survey(e *encoder, p memory.Place, length int) (survey, error) {
	s := survey{common: n.uniform}
	if n.uniform != nil {
		return s, nil
	}
	for i := range length {
		c, err := n.slot.classOf(e, memory.Element(p, i, n.size))
		switch {
		case err != nil:
			return s, java.UnderEncode(indexPath(i), err)
		case c == nil:
			s.nulls = true
		case s.common == nil:
			s.common = c
		case c != s.common && c.name != s.common.name:
			s.mixed = true
		}
	}
	return s, nil
}

// each writes elements without their class.
func (n *listNode) each(e *encoder, c *class, p memory.Place, length int, nullable bool) error {
	if n.strings && c.id == idString {
		for i, s := range *memory.At[[]string](p) {
			if err := e.string(s); err != nil {
				return java.UnderEncode(indexPath(i), err)
			}
		}
		return nil
	}
	for i := range length {
		at := memory.Element(p, i, n.size)
		actual := n.uniform
		var err error
		if actual == nil {
			actual, err = n.slot.classOf(e, at)
		}
		if err == nil {
			err = n.slot.writeKnown(e, c, actual, at, nullable)
		}
		if err != nil {
			return java.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}

// writeMixed writes elements with their class.
func (n *listNode) writeMixed(e *encoder, p memory.Place, length int) error {
	for i := range length {
		if err := n.slot.write(e, memory.Element(p, i, n.size)); err != nil {
			return java.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}

// writePrimitives writes the elements of an array of primitives.
func (n *listNode) writePrimitives(e *encoder, p memory.Place, length int) error {
	wrapper := n.slot.class
	for i := range length {
		at := memory.Element(p, i, n.size)
		actual, err := n.slot.classOf(e, at)
		switch {
		case err != nil:
		case actual == nil:
			err = n.fault("an array of primitives cannot hold null")
		case actual.name != wrapper.name:
			err = n.fault("it is no %s", n.as.component)
		default:
			err = n.slot.node.write(e, wrapper, at)
		}
		if err != nil {
			return java.UnderEncode(indexPath(i), err)
		}
	}
	return nil
}
