package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// sizeAfter reads the count behind the lead byte of an array or collection. Form
// counts from the lead byte of the empty one; the upper four are unshared.
func (d *decoder) sizeAfter(form byte) (n int, unshared bool, err error) {
	if form&3 > 0 {
		n, err = d.size(form&3 - 1)
	}
	return n, form > 3, err
}

// array reads what follows the lead byte at start.
func (d *decoder) array(start int, form byte) (any, error) {
	n, unshared, err := d.sizeAfter(form)
	if err != nil {
		return nil, err
	}
	component, err := d.readClass()
	if err != nil {
		return nil, err
	}
	if component.kind >= idBoolean && component.kind <= idDouble {
		v, failed := d.primitives(start, signatures[component.kind][0], n)
		if failed == nil {
			d.add(v, unshared)
		}
		return v, failed
	}
	if component.depth >= jdk.MaxDimensions && component.kind == idArrayClass || component.kind == idVoid {
		return nil, d.FailClass(start, component.name, "there are no arrays of it")
	}
	list := &java.List{Class: jdk.ArrayName(component.name, 1), Form: componentOf{component}}
	d.add(list, unshared)
	err = d.elementsInto(start, list, n)
	return list, err
}

// elementsInto reads n objects into list.
func (d *decoder) elementsInto(start int, list *java.List, n int) error {
	if err := d.enter(start, n, 1); err != nil {
		return err
	}
	defer d.Leave()
	list.Elements = make([]any, 0, n)
	for i := range n {
		v, err := d.value()
		if v != nil || err == nil {
			list.Elements = append(list.Elements, v)
		}
		if err != nil {
			return errpath.UnderDecode(serial.Index(i), err)
		}
	}
	return nil
}

// primitives reads an array of n primitives.
func (d *decoder) primitives(start int, code byte, n int) (any, error) {
	size := n * serial.Width(code)
	if code == 'Z' {
		size = (n + 7) / 8
	}
	if size > d.Remaining() {
		return nil, d.Fail(start, "%d array elements do not fit into the %d bytes left", n, d.Remaining())
	}
	b, err := d.Take(size)
	if err != nil || code != 'Z' {
		return serial.Primitives(code, b), err
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = b[i/8]>>(i%8)&1 != 0
	}
	return out, nil
}

// classEnumSet is the class of sets of enum constants. River does not say which
// of EnumSet's two implementations one has: this is that of up to 64 constants.
const classEnumSet = "java.util.RegularEnumSet"

// collection reads what follows the lead byte at start.
func (d *decoder) collection(start int, form byte) (any, error) {
	n, unshared, err := d.sizeAfter(form)
	if err != nil {
		return nil, err
	}
	kind, err := d.Byte()
	if err != nil {
		return nil, err
	}
	switch kind {
	case idArrayList, idLinkedList, idHashSet, idLinkedHashSet, idVector, idStack, idArrayDeque:
		list := &java.List{Class: predefinedNames[kind]}
		return d.sharedList(start, list, n, unshared)
	case idTreeSet:
		list := &java.List{Class: predefinedNames[kind]}
		index := d.add(nil, true)
		if list.Comparator, err = d.nested(start); err != nil {
			return nil, errpath.UnderDecode("comparator", err)
		}
		d.set(index, list, unshared)
		err = d.elementsInto(start, list, n)
		return list, err
	case idEnumSet:
		list := &java.List{Class: classEnumSet}
		if list.Of, err = d.enumType(); err != nil {
			return nil, err
		}
		return d.sharedList(start, list, n, unshared)
	case idCopies:
		return d.copies(start, n, unshared)
	case idIdentityHashMap, idHashMap, idHashtable, idLinkedHashMap, idTreeMap, idEnumMap:
		return d.nativeMap(start, kind, n, unshared)
	}
	return nil, d.Fail(d.At-1, "byte 0x%02x is no collection type: another codec", kind)
}

func (d *decoder) sharedList(start int, list *java.List, n int, unshared bool) (any, error) {
	d.add(list, unshared)
	err := d.elementsInto(start, list, n)
	return list, err
}

// nested reads one more object inside a container.
func (d *decoder) nested(start int) (any, error) {
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.Leave()
	return d.value()
}

// enumType reads the class of the elements of an EnumSet or EnumMap.
func (d *decoder) enumType() (string, error) {
	at := d.At
	c, err := d.readClass()
	if err != nil {
		return "", err
	}
	if c.kind != idEnumClass {
		return "", d.FailClass(at, c.name, "it is no enum")
	}
	return c.name, nil
}

// copies reads Collections.nCopies: one object that counts n times.
func (d *decoder) copies(start, n int, unshared bool) (any, error) {
	list := &java.List{Class: predefinedNames[idCopies]}
	index := d.add(nil, true)
	if err := d.Charge(start, n, 0); err != nil {
		return nil, err
	}
	v, err := d.nested(start)
	if err != nil {
		return nil, errpath.UnderDecode(serial.Index(0), err)
	}
	list.Elements = make([]any, n)
	for i := range list.Elements {
		list.Elements[i] = v
	}
	d.set(index, list, unshared)
	return list, nil
}

func (d *decoder) nativeMap(start int, kind byte, n int, unshared bool) (_ any, err error) {
	m := &java.Map{Class: predefinedNames[kind]}
	index := d.add(m, unshared)
	switch kind {
	case idTreeMap:
		d.set(index, nil, true)
		m.Comparator, err = d.nested(start)
		d.set(index, m, unshared)
	case idEnumMap:
		m.Of, err = d.enumType()
	}
	if err != nil {
		return nil, err
	}
	err = d.entriesInto(start, m, n)
	return m, err
}

// entriesInto reads n pairs into m.
func (d *decoder) entriesInto(start int, m *java.Map, n int) error {
	if err := d.enter(start, 2*n, 1); err != nil {
		return err
	}
	defer d.Leave()
	m.Entries = make([]java.Entry, 0, n)
	for i := range n {
		k, err := d.value()
		if err != nil {
			return errpath.UnderDecode("[key]", errpath.UnderDecode(serial.Index(i), err))
		}
		v, err := d.value()
		if v != nil || err == nil {
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: v})
		}
		if err != nil {
			return errpath.UnderDecode(errpath.Key(k), err)
		}
	}
	return nil
}

// special reads the objects whose lead byte is their class.
func (d *decoder) special(start int, lead byte) (any, error) {
	class := predefinedNames[lead]
	switch lead {
	case idEmptyList, idEmptySet:
		return &java.List{Class: class}, nil
	case idEmptyMap:
		return &java.Map{Class: class}, nil
	case idReverseOrder:
		return &java.Object{Class: class}, nil
	case idArrayDeque:
		return nil, d.Fail(start, "byte 0x%02x begins no object: another codec", lead)
	case idSingletonList, idSingletonSet:
		list := &java.List{Class: class}
		d.add(list, false)
		err := d.elementsInto(start, list, 1)
		return list, err
	case idSingletonMap:
		m := &java.Map{Class: class}
		d.add(m, false)
		err := d.entriesInto(start, m, 1)
		return m, err
	case idPair:
		return d.fieldsObject(start, class, "a", "b")
	case idReverseOf:
		return d.fieldsObject(start, class, "cmp")
	}
	return d.unmodifiable(start, lead)
}

// fieldsObject reads an object that is a few values without a descriptor.
func (d *decoder) fieldsObject(start int, class string, names ...string) (any, error) {
	o := &java.Object{Class: class}
	d.add(o, false)
	if err := d.enter(start, len(names), 1); err != nil {
		return nil, err
	}
	defer d.Leave()
	for _, name := range names {
		v, err := d.value()
		if err != nil {
			return o, errpath.UnderDecode(name, err)
		}
		o.Fields = append(o.Fields, java.Field{Name: name, Value: v})
	}
	return o, nil
}

// unmodifiable reads a wrapper of java.util.Collections. It has the elements of
// what it wraps.
func (d *decoder) unmodifiable(start int, lead byte) (any, error) {
	class := predefinedNames[lead]
	index := d.add(nil, true)
	inner, err := d.nested(start)
	if err != nil {
		return inner, err
	}
	if list, ok := inner.(*java.List); ok && lead == idUnmodifiableList && randomAccess(list.Class) {
		class = classRandomAccess
	}
	desc := serial.Known(class)
	if desc == nil {
		o := &java.Object{Class: class, Fields: []java.Field{{Name: "c", Value: inner}}}
		d.set(index, o, false)
		return o, nil
	}
	in, v, err := d.Open(start, desc)
	if err != nil {
		return nil, err
	}
	for i := range in.Levels { // each has the wrapped object under another name
		for range in.Levels[i].Desc.Fields {
			in.Levels[i].Fields = append(in.Levels[i].Fields, inner)
		}
	}
	if v, err = d.Close(start, in, v, nil); err == nil {
		d.set(index, v, false)
	}
	return v, err
}

const classRandomAccess = "java.util.Collections$UnmodifiableRandomAccessList"

// randomAccess reports whether a list class is a java.util.RandomAccess, for
// which Java's unmodifiableList makes another class of wrapper.
func randomAccess(class string) bool {
	switch class {
	case predefinedNames[idLinkedList], predefinedNames[idUnmodifiableList], "java.util.Collections$SynchronizedList":
		return false
	}
	return true
}
