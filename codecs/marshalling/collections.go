package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// classEnumSet is the class of sets of enum constants. River does not say which
// of EnumSet's two implementations one has: this is that of up to 64 constants.
const classEnumSet = "java.util.RegularEnumSet"

// collection reads what follows the lead byte at start.
func (d *decoder) collection(start int, form byte) (any, error) {
	n, unshared, err := d.sizeAfter(form)
	if err != nil {
		return nil, err
	}
	kind, err := d.u8()
	if err != nil {
		return nil, err
	}
	switch kind {
	case idArrayList, idLinkedList, idHashSet, idLinkedHashSet, idVector, idStack, idArrayDeque:
		list := &java.List{Class: predefinedNames[kind]}
		return d.sharedList(start, list, n, unshared)
	case idTreeSet:
		list := &java.List{Class: predefinedNames[kind]}
		index := d.addShared(nil, true)
		if list.Comparator, err = d.nested(start); err != nil {
			return nil, java.UnderDecode("comparator", err)
		}
		d.objects.set(index, shared(list, unshared))
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
	return nil, d.fault(d.At-1, "byte 0x%02x is no collection type: another codec", kind)
}

func (d *decoder) sharedList(start int, list *java.List, n int, unshared bool) (any, error) {
	d.addShared(list, unshared)
	err := d.elementsInto(start, list, n)
	return list, err
}

// nested reads one more object inside a container.
func (d *decoder) nested(start int) (any, error) {
	if err := d.enter(start, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
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
		return "", d.classFault(at, c.name, "it is no enum")
	}
	return c.name, nil
}

// copies reads Collections.nCopies: one object that counts n times.
func (d *decoder) copies(start, n int, unshared bool) (any, error) {
	list := &java.List{Class: predefinedNames[idCopies]}
	index := d.addShared(nil, true)
	if err := d.charge(start, n, 0); err != nil {
		return nil, err
	}
	v, err := d.nested(start)
	if err != nil {
		return nil, underIndex(0, err)
	}
	list.Elements = make([]any, n)
	for i := range list.Elements {
		list.Elements[i] = v
	}
	d.objects.set(index, shared(list, unshared))
	return list, nil
}

func (d *decoder) nativeMap(start int, kind byte, n int, unshared bool) (_ any, err error) {
	m := &java.Map{Class: predefinedNames[kind]}
	index := d.addShared(m, unshared)
	switch kind {
	case idTreeMap:
		d.objects.set(index, shared(nil, true))
		m.Comparator, err = d.nested(start)
		d.objects.set(index, shared(m, unshared))
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
	if err := d.fits(start, n, 2); err != nil {
		return err
	}
	if err := d.enter(start, 2*n, 1); err != nil {
		return err
	}
	defer d.leave()
	m.Entries = make([]java.Entry, 0, n)
	for i := range n {
		k, err := d.value()
		if err != nil {
			return java.UnderDecode("[key]", underIndex(i, err))
		}
		v, err := d.value()
		if v != nil || err == nil {
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: v})
		}
		if err != nil {
			return java.UnderDecode(java.Key(k), err)
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
		return nil, d.fault(start, "byte 0x%02x begins no object: another codec", lead)
	case idSingletonList, idSingletonSet:
		list := &java.List{Class: class}
		d.add(list)
		err := d.elementsInto(start, list, 1)
		return list, err
	case idSingletonMap:
		m := &java.Map{Class: class}
		d.add(m)
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
	d.add(o)
	if err := d.enter(start, len(names), 1); err != nil {
		return nil, err
	}
	defer d.leave()
	for _, name := range names {
		v, err := d.value()
		if err != nil {
			return o, java.UnderDecode(name, err)
		}
		o.Fields = append(o.Fields, java.Field{Name: name, Value: v})
	}
	return o, nil
}

// unmodifiable reads a wrapper of java.util.Collections. It has the elements of
// what it wraps.
func (d *decoder) unmodifiable(start int, lead byte) (any, error) {
	class := predefinedNames[lead]
	index := d.addShared(nil, true)
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
		d.objects.set(index, object{value: o})
		return o, nil
	}
	in := serial.Instance{Desc: desc, Budget: &d.Left, Unfinished: &d.views, Flavor: serial.River}
	for _, l := range desc.Lineage(nil) {
		fields := make([]any, len(l.Fields)) // each has the wrapped object under another name
		for i := range fields {
			fields[i] = inner
		}
		in.Levels = append(in.Levels, serial.Level{Desc: l, Fields: fields})
	}
	v := serial.Begin(desc)
	if v, err = in.End(v); err != nil {
		return nil, d.classFault(start, class, "%v", err)
	}
	d.objects.set(index, object{value: v})
	return v, nil
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
