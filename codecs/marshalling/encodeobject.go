package marshalling

import (
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// list writes a list, set, queue or array of objects.
func (e *encoder) list(l *java.List) error {
	class := l.Class
	if class == "" {
		class = java.ClassArrayList
	}
	if class[0] == '[' {
		return e.objectArray(l, class)
	}
	id := predefinedIDs[class]
	switch {
	case class == classEnumSet || class == "java.util.JumboEnumSet" || class == "java.util.EnumSet$SerializationProxy":
		return e.enumSet(l)
	case id == 0 || id == idCopyOnWriteList || id == idCopyOnWriteSet:
		return e.shaped(l, l)
	case id == idEmptyList || id == idEmptySet:
		if len(l.Elements) > 0 {
			return e.fail("a %s with %d elements", class, len(l.Elements))
		}
		e.u8(id)
		return nil
	case id == idCopies && len(l.Elements) == 0:
		e.u8(idEmptyList)
		return nil
	}
	if e.seen(l) {
		return nil
	}
	switch id {
	case idArrayList, idLinkedList, idVector, idStack, idArrayDeque:
		e.collectionHead(id, len(l.Elements))
		return e.values(l.Elements)
	case idSingletonList, idSingletonSet:
		if len(l.Elements) != 1 {
			return e.fail("a %s with %d elements", class, len(l.Elements))
		}
		e.u8(id)
		return e.values(l.Elements)
	case idCopies:
		e.collectionHead(id, len(l.Elements))
		return e.value(l.Elements[0])
	}
	return e.wrapper(id, l)
}

// mapping writes a map.
func (e *encoder) mapping(m *java.Map) error {
	id := predefinedIDs[m.Class]
	if m.Class == "" {
		named := *m
		named.Class = java.ClassHashMap
		return e.shaped(m, &named)
	}
	switch id {
	case 0:
		return e.shaped(m, m)
	case idEmptyMap:
		if len(m.Entries) > 0 {
			return e.fail("a %s with %d entries", m.Class, len(m.Entries))
		}
		e.u8(id)
		return nil
	}
	if e.seen(m) {
		return nil
	}
	switch id {
	case idSingletonMap:
		if len(m.Entries) != 1 {
			return e.fail("a %s with %d entries", m.Class, len(m.Entries))
		}
		e.u8(id)
		return e.entries(m)
	case idIdentityHashMap:
		e.collectionHead(id, len(m.Entries))
		return e.entries(m)
	case idEnumMap:
		of, err := serial.EnumOfKeys(m)
		if err != nil {
			return e.fail("%v", err)
		}
		e.collectionHead(id, len(m.Entries))
		if err := e.namedClass(idEnumClass, of, 0); err != nil {
			return err
		}
		return e.entries(m)
	}
	return e.wrapper(id, m)
}

func (e *encoder) entries(m *java.Map) error {
	for _, entry := range m.Entries {
		if err := e.value(entry.Key); err != nil {
			return errpath.UnderEncode("[key]", err)
		}
		if err := e.value(entry.Value); err != nil {
			return errpath.UnderEncode(errpath.Key(entry.Key), err)
		}
	}
	return nil
}

// wrapper writes an unmodifiable wrapper of java.util.Collections: its lead byte
// and what it wraps.
func (e *encoder) wrapper(id byte, v any) error {
	d, err := e.describe.Describe(v)
	if err != nil || id < idUnmodifiable || d.Instance == nil || len(d.Instance.Levels[0].Fields) != 1 {
		return e.fail("class %s cannot be written", java.ClassOf(v))
	}
	e.u8(id)
	return e.value(d.Instance.Levels[0].Fields[0])
}

// collectionHead writes lead byte, count and type of a collection.
func (e *encoder) collectionHead(kind byte, n int) {
	e.count(idCollection+e.unsharedForms(), n)
	e.u8(kind)
}

func (e *encoder) values(values []any) error {
	for i, v := range values {
		if err := e.value(v); err != nil {
			return errpath.UnderEncode(serial.Index(i), err)
		}
	}
	return nil
}

func (e *encoder) enumSet(l *java.List) error {
	if e.known(l) {
		return nil
	}
	of, err := serial.EnumOf(l)
	if err != nil {
		return e.fail("%v", err)
	}
	e.collectionHead(idEnumSet, len(l.Elements))
	if err := e.namedClass(idEnumClass, of, 0); err != nil {
		return err
	}
	e.note(l)
	return e.values(l.Elements)
}

func (e *encoder) objectArray(l *java.List, class string) error {
	if e.known(l) {
		return nil
	}
	e.count(idArrayEmpty+e.unsharedForms(), len(l.Elements))
	if err := e.component(l, class); err != nil {
		return err
	}
	e.note(l)
	unshared := e.unshared // then the elements are unshared, too
	for i, v := range l.Elements {
		e.unshared = unshared
		if err := e.form(v); err != nil {
			return errpath.UnderEncode(serial.Index(i), err)
		}
	}
	e.unshared = false
	return nil
}

// object writes a bean, or another object that has no Go type.
func (e *encoder) object(o *java.Object) error {
	switch id := predefinedIDs[o.Class]; id {
	case idReverseOrder:
		e.u8(id)
		return nil
	case idPair, idReverseOf:
		if e.seen(o) {
			return nil
		}
		e.u8(id)
		for _, f := range o.Fields {
			if err := e.value(f.Value); err != nil {
				return errpath.UnderEncode(errpath.Key(f.Name), err)
			}
		}
		return nil
	}
	return e.shaped(o, o)
}

// shaped writes v, which is original or a copy with a class, as an instance of its class.
// Objects take their index after the class.
func (e *encoder) shaped(original, v any) error {
	if e.known(original) {
		return nil
	}
	d, err := e.describe.Describe(v)
	if err != nil {
		return e.fail("%v", serial.Unwritable(v, err))
	}
	switch d.Kind {
	case serial.KindInstance:
	case serial.KindClass:
		return e.describedClass(d.Desc)
	case serial.KindNull:
		e.u8(idNull)
		return nil
	default:
		return e.fail("a value of class %s cannot be written", java.ClassOf(v))
	}
	in, s := d.Instance, d.Desc.Serial
	lead := byte(idNewObject)
	if e.unshared {
		lead = idNewUnshared
	}
	e.u8(lead)
	if s.Class == predefinedNames[idCopyOnWriteList] || s.Class == predefinedNames[idCopyOnWriteSet] {
		e.u8(predefinedIDs[s.Class])
	} else if err = e.classOf(d.Desc); err != nil {
		return err
	}
	e.note(original)
	for i := range in.Levels {
		if err = e.level(&in.Levels[i]); err != nil {
			return err
		}
	}
	return nil
}

// level writes fields and custom data of one class.
func (e *encoder) level(l *serial.Level) error {
	for _, at := range l.Desc.ByName {
		f := &l.Desc.Fields[at]
		var v any
		if l.Fields != nil {
			v = l.Fields[at]
		}
		switch {
		case len(f.Signature) == 1 && v == nil:
			e.out = append(e.out, make([]byte, serial.Width(f.Signature[0]))...)
		case len(f.Signature) == 1:
			e.out = serial.AppendPrimitive(e.out, v)
		default:
			e.unshared = f.Unshared
			err := e.form(v)
			if e.unshared = false; err != nil {
				return errpath.UnderEncode(errpath.Key(f.Name), err)
			}
		}
	}
	if l.Desc.Flags&(serial.FlagWriteMethod|serial.FlagExternalizable) == 0 {
		return nil
	}
	for i, item := range l.Items {
		if b, ok := item.(java.Block); ok {
			e.block(b)
			continue
		}
		if err := e.value(item); err != nil {
			return errpath.UnderEncode(serial.Index(i), err)
		}
	}
	e.u8(idBlockEnd)
	return nil
}

// block writes bytes as one block. Java fails on an empty one before an object.
func (e *encoder) block(b []byte) {
	switch n := len(b); {
	case n == 0:
		return
	case n < 256:
		e.out = append(e.out, idBlockSmall, byte(n))
	case n < 65536:
		e.u8(idBlockMedium)
		e.u16(uint16(n))
	default:
		e.u8(idBlockLarge)
		e.u32(uint32(n))
	}
	e.out = append(e.out, b...)
}
