package kryo5

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// anyNode carries what any holds inside a Go type: plain Go values, as java.Plain makes them.
type anyNode struct {
	place
	list    *listNode  // a []any there
	entries entrySlots // a map[string]any there
	values  *anyNode   // of its entries
}

func (n *anyNode) usual() *class { return nil }

func (n *anyNode) value(_ *encoder, p memory.Place) (any, error) { return *memory.At[any](p), nil }

func (n *anyNode) read(d *decoder, c *class, p memory.Place) (err error) {
	*memory.At[any](p), err = n.body(d, c)
	return err
}

// of reads a value whose class is known, unless that is nil, and may be null.
func (n *anyNode) of(d *decoder, known *class, nullable bool) (any, error) {
	switch {
	case known == nil:
		c, err := d.class(nil)
		if err != nil || c == nil {
			return nil, err
		}
		return n.body(d, c)
	case !nullable:
	case known.acceptsNull:
		if d.at < len(d.in) && d.in[d.at] == known.null() {
			d.at++
			return nil, nil
		}
	default:
		if present, err := d.flag(); err != nil || !present {
			return nil, err
		}
	}
	if known.read == nil {
		return nil, d.faultIn(known, d.at, "%s", known.reason)
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
		return n.plainMap(d, c)
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

// pair is an entry of a map that is mostly one of Strings.
type pair struct {
	key   string
	value any
}

// plainMap reads the body of a map: a Go map where all keys are Strings.
func (n *anyNode) plainMap(d *decoder, c *class) (any, error) {
	var h mapHeader
	if err := n.entries.header(d, c, &h); err != nil {
		return nil, err
	}
	base := len(d.pairs)
	for i := range h.n {
		if !d.textAhead(h.form.key) {
			return n.mixedMap(d, c, &h, base, h.n-i)
		}
		k, _, err := d.string()
		if err != nil {
			return nil, java.UnderDecode("[key]", err)
		}
		v, err := n.values.of(d, h.form.value, !c.immutable)
		if err == nil && v == nil && c.noNull {
			err = d.nullElement(c)
		}
		if err != nil {
			return nil, java.UnderDecode(java.Key(k), err)
		}
		d.pairs = append(d.pairs, pair{k, v})
	}
	pairs := d.pairs[base:]
	m := make(map[string]any, len(pairs))
	for i := range pairs {
		m[pairs[i].key] = pairs[i].value
	}
	clear(pairs)
	d.pairs = d.pairs[:base]
	d.leave()
	return m, nil
}

// entryValue reads the value of an entry.
func (n *anyNode) entryValue(d *decoder, c *class, h *mapHeader) (any, error) {
	v, err := n.values.of(d, h.form.value, !c.immutable)
	if err == nil && v == nil && c.noNull {
		err = d.nullElement(c)
	}
	return v, err
}

// mixedMap reads the rest of a map that has another key than a String, after the pairs from
// base on: it stays a Java map.
func (n *anyNode) mixedMap(d *decoder, c *class, h *mapHeader, base, left int) (any, error) {
	out := &java.Map{Class: c.name, Comparator: h.comparator}
	for _, p := range d.pairs[base:] {
		out.Entries = append(out.Entries, java.Entry{Key: p.key, Value: p.value})
	}
	clear(d.pairs[base:])
	d.pairs = d.pairs[:base]
	for range left {
		k, err := d.key(c, h)
		if err != nil {
			return nil, err
		}
		v, err := n.entryValue(d, c, h)
		if err != nil {
			return nil, java.UnderDecode(java.Key(shown(k)), err)
		}
		out.Entries = append(out.Entries, java.Entry{Key: k, Value: v})
	}
	d.leave()
	return out, nil
}

// readPlain reads the elements of a []any.
func (n *listNode) readPlain(d *decoder, c *class, h *listHeader, to *[]any) error {
	const least, perByte = 4096, 32
	list := make([]any, 0, min(h.n, (least+perByte*d.remaining())/16))
	elements := n.slot.value.(*anyNode)
	for i := range h.n {
		v, err := elements.of(d, h.class, h.nullable)
		if err == nil && v == nil && h.noNull {
			err = d.nullElement(c)
		}
		if err != nil {
			return underIndex(i, err)
		}
		list = append(list, v)
	}
	*to = list
	return nil
}
