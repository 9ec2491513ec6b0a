package kryo5

import (
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// readCollection reads the layout that every list, set and queue has.
func readCollection(d *decoder, c *class, ctx *layout.Type) (any, error) {
	if c.fixed == 1 {
		return d.singleton(c)
	}
	if ctx != nil {
		if known, elem := d.scope.Element(ctx); known != "" || elem != nil {
			return d.collection(c, known, elem)
		}
	}
	return d.collection(c, "", nil)
}

// collection reads a collection whose elements have a known final class, or "",
// and a context.
func (d *decoder) collection(c *class, known string, elem *layout.Type) (any, error) {
	if known != "" {
		return d.knownElements(c, d.find(known), elem)
	}
	start := d.at
	u, same, err := d.flagged()
	switch {
	case err != nil:
		return nil, err
	case u <= 1 && same:
		return nil, d.fault(start, "an empty or missing list has the flag for elements of one class")
	case u == 0:
		return nil, nil
	}
	if err := d.checkCount(start, u); err != nil {
		return nil, err
	}
	out := d.newList(c)
	if err := d.comparator(c, out, elem); err != nil {
		return nil, err
	}
	n := int(u - 1)
	if same {
		return d.sameClass(start, n, c, out, elem)
	}
	if err := d.enter(start, n, 1); err != nil {
		return nil, err
	}
	if elem == nil {
		return d.elementsOf(n, c, out, func(d *decoder) (any, error) { return d.value(nil) })
	}
	return d.elementsOf(n, c, out, func(d *decoder) (any, error) { return d.value(elem) })
}

// newList makes the list that elements will go into. Without references that can
// wait until they are there.
func (d *decoder) newList(c *class) *java.List {
	if d.plain && !c.sorted {
		return nil
	}
	out := &java.List{Class: c.name}
	d.publish(out)
	return out
}

// knownElements reads elements of a final class that the declared type tells.
func (d *decoder) knownElements(c, element *class, elem *layout.Type) (any, error) {
	start := d.at
	var u uint32
	var nullable bool
	var err error
	if c.immutable {
		u, err = d.uv32()
	} else {
		u, nullable, err = d.flagged()
	}
	switch {
	case err != nil:
		return nil, err
	case u <= 1 && nullable:
		return nil, d.fault(start, "an empty or missing list has the flag for elements that are null")
	case u == 0:
		return nil, nil
	}
	if err := d.checkCount(start, u); err != nil {
		return nil, err
	}
	out := d.newList(c)
	if err := d.comparator(c, out, elem); err != nil {
		return nil, err
	}
	return d.uniform(start, int(u-1), c, out, element, nullable, elem)
}

// comparator reads the header of sorted containers, null for natural order.
func (d *decoder) comparator(c *class, out *java.List, elem *layout.Type) error {
	if !c.sorted {
		return nil
	}
	v, err := d.comparatorValue(c, elem)
	if out != nil {
		out.Comparator = v
	}
	return err
}

// comparatorOf returns the comparator of a list that is being read; nil for the
// lists that are not made yet, which have none.
func comparatorOf(out *java.List) any {
	if out == nil {
		return nil
	}
	return out.Comparator
}

func (d *decoder) comparatorValue(c *class, ctx *layout.Type) (any, error) {
	start := d.at
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	plain := d.plain
	d.plain = false
	v, err := d.value(ctx)
	d.plain = plain
	if err != nil {
		return nil, java.UnderDecode("[comparator]", err)
	}
	switch v.(type) {
	case nil, *java.Object, java.Enum:
		return v, nil
	}
	return nil, d.faultIn(c, start, "a %s is no comparator", java.ClassOf(v))
}

// sameClass reads n elements that are all of one class, or null.
func (d *decoder) sameClass(start, n int, c *class, out *java.List, elem *layout.Type) (any, error) {
	element, err := d.class()
	if err != nil {
		return nil, underIndex(0, err)
	}
	if element == nil {
		return d.allNull(start, n, c, out)
	}
	nullable := false
	if !c.immutable {
		if nullable, err = d.flag(); err != nil {
			return nil, err
		}
	}
	return d.uniform(start, n, c, out, element, nullable, elem)
}

// uniform reads n elements of one class.
func (d *decoder) uniform(start, n int, c *class, out *java.List, element *class, nullable bool, elem *layout.Type) (any, error) {
	width := 1
	if element.zeroWidth && !nullable && !d.references {
		width = 0
	}
	if err := d.enter(start, n, width); err != nil {
		return nil, err
	}
	if nullable {
		return d.elementsOf(n, c, out, func(d *decoder) (any, error) { return d.objectOrNull(element, elem) })
	}
	return d.elementsOf(n, c, out, func(d *decoder) (any, error) { return d.object(element, elem) })
}

// allNull makes n nulls that take no bytes.
func (d *decoder) allNull(start, n int, c *class, out *java.List) (any, error) {
	if c.refusesNull(comparatorOf(out)) {
		return nil, d.nullElement(c)
	}
	if err := d.enter(start, n, 0); err != nil {
		return nil, err
	}
	d.leave()
	return d.finish(c, out, make([]any, n)), nil
}

func (d *decoder) nullElement(c *class) error {
	return d.faultIn(c, d.at, "the class cannot hold null")
}

// elementsOf reads n elements and leaves the level that enter began. On error
// the list so far comes back too.
func (d *decoder) elementsOf(n int, c *class, out *java.List, read func(d *decoder) (any, error)) (any, error) {
	base := len(d.stack)
	noNull := c.refusesNull(comparatorOf(out))
	for i := range n {
		v, err := read(d)
		if err == nil && v == nil && noNull {
			err = d.nullElement(c)
		}
		if err != nil {
			if v != nil {
				d.stack = append(d.stack, v)
			}
			return d.finish(c, out, d.pop(base)), underIndex(i, err)
		}
		d.stack = append(d.stack, v)
	}
	d.leave()
	return d.finish(c, out, d.pop(base)), nil
}

// pop takes the values above base off the stack, as a slice of their own.
func (d *decoder) pop(base int) []any {
	out := make([]any, len(d.stack)-base)
	copy(out, d.stack[base:])
	clear(d.stack[base:])
	d.stack = d.stack[:base]
	return out
}

// finish returns the list: the one made before, or in plain form the elements.
func (d *decoder) finish(c *class, out *java.List, elements []any) any {
	switch {
	case d.plain:
		return elements
	case out == nil:
		return &java.List{Class: c.name, Elements: elements}
	}
	out.Elements = elements
	return out
}

func (d *decoder) singleton(c *class) (any, error) {
	if err := d.enter(d.at, 1, 1); err != nil {
		return nil, err
	}
	return d.elementsOf(1, c, d.newList(c), func(d *decoder) (any, error) { return d.value(nil) })
}

func readEmptyList(d *decoder, c *class, _ *layout.Type) (any, error) {
	return d.finish(c, nil, []any{}), nil
}
