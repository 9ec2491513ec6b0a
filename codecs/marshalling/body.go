package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// newObject reads what follows a lead byte of 04 or 05 at start.
func (d *decoder) newObject(start int, unshared bool) (any, error) {
	if err := d.enter(start, 0, 0); err != nil {
		return nil, err
	}
	defer d.leave()
	c, err := d.readClass()
	if err != nil {
		return nil, err
	}
	switch {
	case c.serializable():
		return d.instance(start, c, unshared)
	case c.kind == idExternalizable:
		return d.external(start, c, unshared)
	case c.kind == idEnumClass:
		n, err := d.i32()
		if err != nil {
			return nil, err
		}
		text, err := d.nameOf(start, int(n))
		if err != nil {
			return nil, err
		}
		var v any = java.Enum{Class: c.name, Name: text, Ordinal: -1}
		d.add(v)
		return v, nil
	case c.kind == idClassClass:
		named, err := d.readClass()
		if err != nil {
			return nil, err
		}
		switch {
		case named.desc != nil:
			return serial.ClassValue(named.desc), nil
		case named.kind == idEnumClass:
			return serial.ClassValue(serial.EnumClass(named.name)), nil
		}
		return java.ClassRef(named.name), nil
	}
	return nil, d.classFault(start, c.name, "it has no serialized form")
}

// instance reads an object of a serializable class.
func (d *decoder) instance(start int, c *class, unshared bool) (any, error) {
	if err := d.refusals.Check(name, c.desc); err != nil {
		err.Offset = start
		return nil, err
	}
	v := serial.Begin(c.desc)
	index := d.addShared(v, v == nil || unshared)
	in := serial.Instance{Desc: c.desc, Budget: &d.Left, Unfinished: &d.views, Flavor: serial.River}
	if err := d.charge(start, c.values, 1); err != nil {
		return nil, err
	}
	in.Levels = make([]serial.Level, len(c.chain))
	values := make([]any, c.values)
	var err error
	for i, l := range c.chain {
		level := &in.Levels[i]
		level.Desc, level.Fields, values = l.desc, values[:len(l.fields):len(l.fields)], values[len(l.fields):]
		if err = d.fieldsInto(l, level.Fields); err != nil {
			break
		}
		if l.kind == idWriteObject {
			if level.Items, err = d.custom(c.desc.Shaped()); err != nil {
				break
			}
		}
	}
	return d.end(start, &in, v, index, unshared, err)
}

// end makes the value of an instance, also of one that was cut short where that
// is possible.
func (d *decoder) end(start int, in *serial.Instance, v any, index int, unshared bool, err error) (any, error) {
	if err != nil && in.Desc.Shaped() {
		return nil, err
	}
	v, endErr := in.End(v)
	if err != nil {
		return v, err
	}
	if endErr != nil {
		return nil, d.classFault(start, in.Desc.Class, "%v", endErr)
	}
	d.objects.set(index, shared(v, unshared))
	return v, nil
}

func (d *decoder) fieldsInto(l *class, values []any) (err error) {
	for i := range l.fields {
		f := &l.fields[i]
		if f.kind == idObjectClass {
			values[f.place], err = d.value()
		} else {
			values[f.place], err = d.primitive(f.kind)
		}
		if err != nil {
			return java.UnderDecode(java.Key(f.name), err)
		}
	}
	return nil
}

// external reads an object of an Externalizable class.
func (d *decoder) external(start int, c *class, unshared bool) (any, error) {
	v := serial.Begin(c.desc)
	index := d.addShared(v, v == nil || unshared)
	items, err := d.custom(c.desc.Shaped())
	in := serial.Instance{
		Desc: c.desc, Budget: &d.Left, Unfinished: &d.views, Flavor: serial.River,
		Levels: []serial.Level{{Desc: c.desc, Items: items}},
	}
	return d.end(start, &in, v, index, unshared, err)
}

// custom reads what a writeObject or writeExternal method wrote, to its end
// mark: bytes and objects.
func (d *decoder) custom(joined bool) ([]any, error) {
	var items []any
	for {
		at := d.At
		lead, err := d.u8()
		if err != nil {
			return items, err
		}
		switch lead {
		case idBlockEnd:
			return items, nil
		case idBlockSmall, idBlockMedium, idBlockLarge:
			var block []byte
			if block, err = d.block(at, lead); err != nil {
				return items, err
			}
			if last, ok := lastBlock(items); ok && joined {
				items[len(items)-1] = append(last, block...)
				continue
			}
			if err = d.charge(at, 1, 0); err != nil {
				return items, err
			}
			items = append(items, append(make(java.Block, 0, len(block)), block...))
		default:
			if err = d.charge(at, 1, 0); err != nil {
				return items, err
			}
			v, err := d.valueAfter(lead)
			if err != nil {
				return items, underIndex(len(items), err)
			}
			items = append(items, v)
		}
	}
}

func lastBlock(items []any) (java.Block, bool) {
	if len(items) == 0 {
		return nil, false
	}
	b, ok := items[len(items)-1].(java.Block)
	return b, ok
}

// block reads the bytes of one block.
func (d *decoder) block(at int, lead byte) ([]byte, error) {
	var n int
	switch lead {
	case idBlockSmall:
		b, err := d.u8()
		if err != nil {
			return nil, err
		}
		n = int(b)
	case idBlockMedium:
		w, err := d.u16()
		if err != nil {
			return nil, err
		}
		n = int(w)
	default:
		i, err := d.i32()
		if err != nil {
			return nil, err
		}
		n = int(i)
	}
	if n < 0 || n > d.remaining() {
		return nil, d.fault(at, "a block of %d bytes does not fit into the %d bytes left", n, d.remaining())
	}
	return d.fixed(n)
}
