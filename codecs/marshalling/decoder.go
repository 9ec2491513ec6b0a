package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Protocol versions of River. Redisson's codec writes the highest.
const (
	minVersion = 2
	maxVersion = 4
)

// decoder reads one payload.
type decoder struct {
	serial.Reader
	known   *knownClasses
	version byte
	objects []object           // the instance table
	classes []*class           // the class table; nil for a class that is being read
	fields  []java.SerialField // of the classes being read, the innermost one last
	indexes []int              // of their names in the instance table; -1 where that is a reference
	lowest  lowest             // of what the class that is being read refers to
}

// lowest are the lowest entries of the tables that were referred to.
type lowest struct{ object, class int }

// object is one entry of the instance table. A text has its text, and its
// value once that is boxed.
type object struct {
	text  string
	value any
}

// missing is in the instance table in place of what must not be referred to: an
// object written unshared, or one that is not whole yet and has no identity.
type missing struct{}

// add gives v the next index, which may be referred to unless unshared.
func (d *decoder) add(v any, unshared bool) int {
	d.objects = append(d.objects, object{})
	d.set(len(d.objects)-1, v, unshared)
	return len(d.objects) - 1
}

func (d *decoder) set(index int, v any, unshared bool) {
	if unshared || v == nil {
		v = missing{}
	}
	d.objects[index] = object{value: v}
}

// enter starts something that holds n values of at least width bytes each.
// Every call that succeeds is followed by one of Leave.
func (d *decoder) enter(start, n, width int) error {
	if err := d.Charge(start, n, width); err != nil {
		return err
	}
	return d.Enter(start)
}

// payload reads one whole payload.
func (d *decoder) payload() (any, error) {
	version, err := d.Byte()
	switch {
	case err != nil:
		return nil, d.Fail(0, "the payload is empty: River writes at least two bytes")
	case version < minVersion || version > maxVersion:
		return nil, d.Fail(0, "byte 0x%02x is no protocol version of River (2 to 4): another codec", version)
	}
	d.version = version
	if err = d.Charge(0, 1, 0); err != nil {
		return nil, err
	}
	lead, err := d.Byte()
	for err == nil && (lead == idClearClasses || lead == idClearObjects) { // the tables are empty anyhow
		lead, err = d.Byte()
	}
	if err != nil {
		return nil, err
	}
	return d.valueAfter(lead)
}

// value reads one object, or null. The caller has charged it.
func (d *decoder) value() (any, error) {
	lead, err := d.Byte()
	if err != nil {
		return nil, err
	}
	return d.valueAfter(lead)
}

func (d *decoder) valueAfter(lead byte) (any, error) {
	start := d.At - 1
	switch {
	case lead == idNull:
		return nil, nil
	case lead == idObjectFar || lead == idObjectNear || lead == idObjectNearish:
		return d.back(lead, start)
	case lead == idNewObject || lead == idNewUnshared:
		return d.newObject(start, lead == idNewUnshared)
	case lead >= idEmptyString && lead <= idStringLarge:
		return d.stringAfter(lead)
	case lead >= idArrayEmpty && lead <= idArrayLast:
		return d.array(start, lead-idArrayEmpty)
	case lead >= idByteValue && lead <= idFalse:
		return d.boxed(lead)
	case lead >= idCollection && lead <= idCollectionLast:
		return d.collection(start, lead-idCollection)
	case objectOnly(lead):
		return d.special(start, lead)
	case predefinedNames[lead] != "":
		return java.ClassRef(predefinedNames[lead]), nil
	case lead == idPredefined:
		return nil, d.Fail(start, "an object of a table that only the writer has")
	case lead == idClearClasses || lead == idClearObjects:
		return nil, d.Fail(start, "a cleared table in the middle of a value")
	case lead >= idBlockSmall && lead <= idBlockEnd:
		return nil, d.Fail(start, "a block of bytes where an object belongs")
	}
	return nil, d.Fail(start, "byte 0x%02x begins no object: another codec", lead)
}

// back resolves a reference into the instance table.
func (d *decoder) back(lead byte, start int) (any, error) {
	i, err := d.reference(lead, len(d.objects))
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(d.objects) {
		return nil, d.Fail(start, "a reference to object %d of %d", i, len(d.objects))
	}
	o := &d.objects[i]
	if o.value == nil { // a text: box it once
		o.value = o.text
	}
	if _, missing := o.value.(missing); missing {
		return nil, d.Fail(start, "a reference to an object that is unshared or not whole yet")
	}
	return o.value, nil
}

// reference reads the index behind a lead byte of either table. A near one counts from the
// end of the table.
func (d *decoder) reference(lead byte, size int) (int, error) {
	switch lead {
	case idObjectNear, idClassNear:
		n, err := d.Int(1)
		return d.refersTo(lead == idObjectNear, size-256+n), err
	case idObjectNearish, idClassNearish:
		n, err := d.Int(2)
		return d.refersTo(lead == idObjectNearish, size-65536+n), err
	}
	i, err := d.Int(4)
	d.lowest = lowest{-1, -1} // it means another entry in another place
	return i, err
}

func (d *decoder) refersTo(object bool, i int) int {
	if object {
		d.lowest.object = min(d.lowest.object, i)
	} else {
		d.lowest.class = min(d.lowest.class, i)
	}
	return i
}

// size reads the count of a string, array or collection. Form 0 is one byte, 1
// two bytes and 2 four; of the short ones 0 stands for the next power.
func (d *decoder) size(form byte) (int, error) {
	start := d.At
	n, err := d.Int(1 << form)
	switch {
	case err != nil || n > 0:
	case form < 2:
		n = 256 << (8 * form)
	default:
		err = d.Fail(start, "count %d where Java writes a positive one", n)
	}
	return n, err
}

// stringAfter reads a string as a value.
func (d *decoder) stringAfter(lead byte) (any, error) {
	if lead == idEmptyString {
		return "", nil
	}
	n, err := d.size(lead - idString)
	if err != nil {
		return nil, err
	}
	s, err := d.utf(n)
	if err != nil {
		return nil, err
	}
	v := any(s)
	d.objects = append(d.objects, object{s, v})
	return v, nil
}

// utf reads n code units of modified UTF-8.
func (d *decoder) utf(n int) (string, error) {
	if n < 0 || n > d.Remaining() {
		return "", d.Fail(d.At, "a text of %d characters does not fit into the %d bytes left", n, d.Remaining())
	}
	size := serial.UnitsEnd(d.In[d.At:], n)
	if size < 0 {
		return "", d.Fail(d.At, "the payload ends in the middle of a text of %d characters, or that is not modified UTF-8", n)
	}
	return d.Text(size)
}

func (d *decoder) boxed(lead byte) (any, error) {
	switch lead {
	case idTrue:
		return true, nil
	case idFalse:
		return false, nil
	}
	return d.primitive(boxedTypes[lead-idByteValue])
}

// boxedTypes has the primitives in the order of the lead bytes 49 to 4F.
const boxedTypes = "BSIJCFD"

// primitive reads one primitive value of a type of the JVM.
func (d *decoder) primitive(code byte) (any, error) {
	b, err := d.Take(serial.Width(code))
	if err != nil {
		return nil, err
	}
	return serial.Primitive(code, b), nil
}

// newObject reads what follows a lead byte of 04 or 05 at start.
func (d *decoder) newObject(start int, unshared bool) (any, error) {
	if err := d.enter(start, 0, 0); err != nil {
		return nil, err
	}
	defer d.Leave()
	c, err := d.readClass()
	if err != nil {
		return nil, err
	}
	switch {
	case c.desc != nil:
		return d.instance(start, c, unshared)
	case c.kind == idEnumClass:
		n, err := d.Int32()
		if err != nil {
			return nil, err
		}
		text, err := d.nameOf(start, int(n))
		if err != nil {
			return nil, err
		}
		var v any = java.Enum{Class: c.name, Name: text, Ordinal: -1}
		d.add(v, false)
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
	return nil, d.FailClass(start, c.name, "it has no serialized form")
}

// instance reads an object of a class that writes itself or its fields.
func (d *decoder) instance(start int, c *class, unshared bool) (any, error) {
	in, v, err := d.Open(start, c.desc)
	if err != nil {
		return nil, err
	}
	index := d.add(v, unshared)
	v, err = d.Close(start, in, v, d.level(in, len(in.Levels)-1, c))
	if err == nil {
		d.set(index, v, unshared)
	}
	return v, err
}

// level reads what the classes of an instance wrote, up to c, that of level i.
func (d *decoder) level(in *serial.Instance, i int, c *class) (err error) {
	if c.super != nil {
		if err = d.level(in, i-1, c.super); err != nil {
			return err
		}
	}
	l := &in.Levels[i]
	n := len(l.Desc.Fields)
	if err = d.Charge(d.At, n, 1); err != nil {
		return err
	}
	l.Fields = make([]any, n)
	for i := range n {
		place := c.place(i)
		f := &l.Desc.Fields[place]
		if len(f.Signature) > 1 {
			l.Fields[place], err = d.value()
		} else {
			l.Fields[place], err = d.primitive(f.Signature[0])
		}
		if err != nil {
			return errpath.UnderDecode(errpath.Key(f.Name), err)
		}
	}
	if c.kind != idSerializable {
		l.Items, err = d.custom(in.Desc.Shaped())
	}
	return err
}

// custom reads what a writeObject or writeExternal method wrote, to its end
// mark: bytes and objects.
func (d *decoder) custom(joined bool) ([]any, error) {
	var items []any
	for {
		at := d.At
		lead, err := d.Byte()
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
			if err = d.Charge(at, 1, 0); err != nil {
				return items, err
			}
			items = append(items, append(make(java.Block, 0, len(block)), block...))
		default:
			if err = d.Charge(at, 1, 0); err != nil {
				return items, err
			}
			v, err := d.valueAfter(lead)
			if err != nil {
				return items, errpath.UnderDecode(serial.Index(len(items)), err)
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
	n, err := d.Int(1 << (lead - idBlockSmall))
	if err != nil {
		return nil, err
	}
	if n < 0 || n > d.Remaining() {
		return nil, d.Fail(at, "a block of %d bytes does not fit into the %d bytes left", n, d.Remaining())
	}
	return d.Take(n)
}
