package kryo5

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

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
		c, err := d.class(nil)
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

// body reads a body of class c. The usual ones save a call each.
func (n *anyNode) body(d *decoder, c *class) (any, error) {
	switch c.id {
	case idString:
		start := d.at
		s, null, err := d.string()
		if null && err == nil {
			err = d.noNull(c, start)
		}
		if err != nil {
			return nil, err
		}
		return d.boxes.Box(s), nil
	case idInteger:
		v, err := d.zz32()
		return v, err
	case idLong:
		v, err := d.zz64()
		return v, err
	case idBoolean:
		v, err := d.flag()
		return v, err
	}
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
