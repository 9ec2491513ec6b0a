package fst

import (
	"encoding/binary"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
)

// hooked reads one object that a writeObject method wrote.
func (d *decoder) hooked() (any, error) {
	start := d.At
	mark, err := d.Byte()
	if err != nil {
		return nil, err
	}
	if mark != tagHook {
		return nil, d.Fail(start, "0x%02x where a writeObject method writes an object: a descriptor does not fit, or another JDK", mark)
	}
	return d.object("")
}

// elements reads n elements of a list by read.
func (d *decoder) elements(list *java.List, n int, read func() (any, error)) error {
	if n > d.Left {
		return d.Charge(d.At, n, 0)
	}
	list.Elements = slices.Grow(list.Elements, n)
	for i := range n {
		v, err := read()
		if err == nil || v != nil {
			list.Elements = append(list.Elements, v)
		}
		if err != nil {
			return underIndex(i, err)
		}
	}
	return nil
}

// entries reads n entries of a map by read.
func (d *decoder) entries(m *java.Map, n int, read func() (any, error)) error {
	if n > d.Left {
		return d.Charge(d.At, n, 0)
	}
	m.Entries = slices.Grow(m.Entries, n)
	for range n {
		k, err := read()
		if err != nil {
			return errpath.UnderDecode("[key]", err)
		}
		if err := d.entry(m, k, read); err != nil {
			return err
		}
	}
	return nil
}

// entry reads the value of an entry.
func (d *decoder) entry(m *java.Map, k any, read func() (any, error)) error {
	v, err := read()
	if err == nil || v != nil {
		m.Entries = append(m.Entries, java.Entry{Key: k, Value: v})
	}
	if err != nil {
		return errpath.UnderDecode(errpath.Key(k), err)
	}
	return nil
}

// next reads an object that is no field.
func (d *decoder) next() (any, error) { return d.object("") }

// hookWidth is what a hooked object takes at least: the mark and a tag.
const hookWidth = 2

// elements reads a count and as many elements.
func elements(d *decoder, b *build) error {
	n, err := d.count(hookWidth)
	if err != nil {
		return err
	}
	return d.elements(b.list, n, d.hooked)
}

// countAndSized reads a number that Java ignores, and as many elements as the
// field size says.
func countAndSized(d *decoder, b *build) error {
	start := d.At
	if _, err := d.int32(); err != nil {
		return err
	}
	n, _ := b.get("size").(int32)
	if n < 0 || int64(n)*hookWidth > int64(d.Remaining()) {
		return d.Fail(start, "the size %d does not fit into the %d bytes that follow", n, d.Remaining())
	}
	return d.elements(b.list, int(n), d.hooked)
}

// hashSet reads capacity, load factor, size and elements.
func hashSet(d *decoder, b *build) error {
	if _, err := d.int32(); err != nil {
		return err
	}
	if _, err := d.float32(); err != nil {
		return err
	}
	return elements(d, b)
}

// treeSet reads comparator, size and elements.
func treeSet(d *decoder, b *build) error {
	c, err := d.hooked()
	if err != nil {
		return err
	}
	b.list.Comparator = c
	return elements(d, b)
}

// untilNull reads elements up to null.
func untilNull(d *decoder, b *build) error {
	for i := 0; ; i++ {
		v, err := d.hooked()
		if v != nil {
			b.list.Elements = append(b.list.Elements, v)
		}
		if err != nil {
			return underIndex(i, err)
		}
		if v == nil {
			return nil
		}
	}
}

// entries reads a count and as many keys and values.
func entries(d *decoder, b *build) error {
	n, err := d.count(2 * hookWidth)
	if err != nil {
		return err
	}
	return d.entries(b.mapping, n, d.hooked)
}

// hashMap reads the number of buckets, then entries.
func hashMap(d *decoder, b *build) error {
	if _, err := d.int32(); err != nil {
		return err
	}
	return entries(d, b)
}

// entriesUntilNull reads keys and values up to a null key.
func entriesUntilNull(d *decoder, b *build) error {
	for {
		k, err := d.hooked()
		if err != nil {
			return errpath.UnderDecode("[key]", err)
		}
		if k == nil {
			return nil
		}
		if err := d.entry(b.mapping, k, d.hooked); err != nil {
			return err
		}
	}
}

// collSer reads an immutable collection: elements, or keys and values in turn. The payload does
// not say which class it was: it is the one that reading it in Java gives.
func collSer(d *decoder, b *build) error {
	n, err := d.count(hookWidth)
	if err != nil {
		return err
	}
	var list java.List
	err = d.elements(&list, n, d.hooked)
	b.items = append([]any{java.Block(binary.BigEndian.AppendUint32(nil, uint32(n)))}, list.Elements...)
	return err
}

// keep remembers what a tail read as if it were a field.
func (b *build) keep(level, name string, v any) {
	b.object.Fields = append(b.object.Fields, java.Field{Name: name, Value: v, Level: level})
}

// millis reads a Date's time.
func millis(d *decoder, b *build) error {
	ms, err := d.int64()
	if err == nil {
		b.keep("java.util.Date", "time", ms)
	}
	return err
}

// separator reads the character that java.io.File writes behind its path.
func separator(d *decoder, _ *build) error {
	_, err := d.unit()
	return err
}

// zoneRules reads the packed rules and times of a SimpleTimeZone.
func zoneRules(d *decoder, _ *build) error {
	n, err := d.count(1)
	if err != nil {
		return err
	}
	if _, err = d.Take(n); err != nil {
		return err
	}
	_, err = d.hooked()
	return err
}

// savedZone reads the time zone that a Calendar writes behind its fields.
func savedZone(d *decoder, b *build) error {
	v, err := d.hooked()
	if err == nil {
		b.keep("java.util.Calendar", "savedZone", v)
	}
	return err
}
