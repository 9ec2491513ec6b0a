package kryo5

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// readCollection reads the layout that every list, set and queue has.
func readCollection(d *decoder, c *class) (any, error) {
	if c.fixed == 1 {
		return d.singleton(c)
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
	if err := d.comparator(c); err != nil {
		return nil, err
	}
	n := int(u - 1)
	if same {
		return d.sameClass(start, n, c)
	}
	if err := d.enter(start, n, 1); err != nil {
		return nil, err
	}
	return d.elementsOf(n, c, (*decoder).value)
}

// comparator reads the header of sorted containers. Only natural order, written
// as null, is carried.
func (d *decoder) comparator(c *class) error {
	if !c.sorted {
		return nil
	}
	start := d.at
	comparator, err := d.class()
	if err == nil && comparator != nil {
		err = &codecs.DecodeError{Codec: name, Class: comparator.name, Offset: start, Reason: "a " + c.name + " with a comparator is not carried"}
	}
	return err
}

// sameClass reads n elements that are all of one class, or null.
func (d *decoder) sameClass(start, n int, c *class) (any, error) {
	element, err := d.class()
	if err != nil {
		return nil, underIndex(0, err)
	}
	if element == nil {
		return d.allNull(start, n, c)
	}
	nullable := false
	if !c.immutable {
		if nullable, err = d.flag(); err != nil {
			return nil, err
		}
	}
	width := 1
	if element.zeroWidth && !nullable {
		width = 0
	}
	if err := d.enter(start, n, width); err != nil {
		return nil, err
	}
	if nullable {
		return d.elementsOf(n, c, func(d *decoder) (any, error) { return d.objectOrNull(element) })
	}
	return d.elementsOf(n, c, func(d *decoder) (any, error) { return d.object(element) })
}

// allNull makes n nulls that take no bytes.
func (d *decoder) allNull(start, n int, c *class) (any, error) {
	if c.noNull {
		return nil, d.nullElement(c)
	}
	if err := d.enter(start, n, 0); err != nil {
		return nil, err
	}
	d.depth--
	return d.list(c, make([]any, n)), nil
}

func (d *decoder) nullElement(c *class) error {
	return &codecs.DecodeError{Codec: name, Class: c.name, Offset: d.at, Reason: "the class cannot hold null"}
}

// elementsOf reads n elements and leaves the level that enter began. On error
// the list so far comes back too.
func (d *decoder) elementsOf(n int, c *class, read func(d *decoder) (any, error)) (any, error) {
	base := len(d.stack)
	for i := range n {
		v, err := read(d)
		if err == nil && v == nil && c.noNull {
			err = d.nullElement(c)
		}
		if err != nil {
			if v != nil {
				d.stack = append(d.stack, v)
			}
			return d.list(c, d.pop(base)), underIndex(i, err)
		}
		d.stack = append(d.stack, v)
	}
	d.depth--
	return d.list(c, d.pop(base)), nil
}

// pop takes the values above base off the stack, as a slice of their own.
func (d *decoder) pop(base int) []any {
	out := make([]any, len(d.stack)-base)
	copy(out, d.stack[base:])
	clear(d.stack[base:])
	d.stack = d.stack[:base]
	return out
}

func (d *decoder) list(c *class, elements []any) any {
	if d.plain {
		return elements
	}
	return &java.List{Class: c.name, Elements: elements}
}

func (d *decoder) singleton(c *class) (any, error) {
	if err := d.enter(d.at, 1, 1); err != nil {
		return nil, err
	}
	return d.elementsOf(1, c, (*decoder).value)
}

func readEmptyList(d *decoder, c *class) (any, error) { return d.list(c, []any{}), nil }
