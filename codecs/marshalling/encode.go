package marshalling

import (
	"math/big"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// value writes any Java value.
func (e *encoder) value(v any) error {
	e.unshared = false
	return e.form(v)
}

// form writes any Java value, shared or not as e.unshared says. What the value
// holds goes through value again, but for the elements of arrays.
func (e *encoder) form(v any) error {
	switch v := v.(type) {
	case nil:
		e.u8(idNull)
		return nil
	case string:
		return e.string(v)
	case java.Enum:
		return e.enum(v)
	case *java.List:
		if v == nil {
			e.u8(idNull)
			return nil
		}
		return e.deeper(func() error { return e.list(v) })
	case *java.Map:
		if v == nil {
			e.u8(idNull)
			return nil
		}
		return e.deeper(func() error { return e.mapping(v) })
	case *java.Object:
		if v == nil {
			e.u8(idNull)
			return nil
		}
		return e.deeper(func() error { return e.object(v) })
	case java.ClassRef:
		return e.classValue(string(v))
	}
	if e.scalar(v) {
		return nil
	}
	if done, err := e.primitiveArray(v); done || err != nil {
		return err
	}
	return e.other(v)
}

func (e *encoder) deeper(write func() error) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	return write()
}

// scalar writes the wrappers of primitives, which take no index.
func (e *encoder) scalar(v any) bool {
	switch v := v.(type) {
	case bool:
		lead := byte(idFalse)
		if v {
			lead = idTrue
		}
		e.u8(lead)
	case int8:
		e.Out = append(e.Out, idByteValue, byte(v))
	case int16:
		e.u8(idShortValue)
		e.u16(uint16(v))
	case int32:
		e.u8(idIntegerValue)
		e.u32(uint32(v))
	case int64:
		e.u8(idLongValue)
		e.u64(uint64(v))
	case java.Char:
		e.u8(idCharValue)
		e.u16(uint16(v))
	case float32:
		e.u8(idFloatValue)
		e.u32(javatext.FloatBits(v))
	case float64:
		e.u8(idDoubleValue)
		e.u64(javatext.DoubleBits(v))
	default:
		return false
	}
	return true
}

// enum writes a constant. Java has one object for each, so the second time it
// is a reference.
func (e *encoder) enum(v java.Enum) error {
	switch {
	case v.Class == "":
		return e.fail("an enum constant without a class")
	case v.Name == "":
		if v.Name = e.codec.constant(v); v.Name == "" {
			return e.fail("constant %d of enum %s has no name, and River carries names: declare the enum's constants", v.Ordinal, v.Class)
		}
	}
	if err := e.mustShare("an enum constant"); err != nil {
		return err
	}
	if i, ok := e.enums.Find(constant{v.Class, v.Name}); ok {
		e.back(i)
		return nil
	}
	e.u8(idNewObject)
	if err := e.namedClass(idEnumClass, v.Class, 0); err != nil {
		return err
	}
	if err := e.text32(v.Name); err != nil {
		return err
	}
	e.enums.Put(constant{v.Class, v.Name}, e.next())
	return nil
}

// seen reports an object written before, after writing the reference, and gives
// a new one its index.
func (e *encoder) seen(v any) bool {
	if e.known(v) {
		return true
	}
	e.note(v)
	return false
}

// known reports an object written before, after writing the reference.
func (e *encoder) known(v any) bool {
	if e.unshared {
		return false
	}
	i, ok := 0, false
	if key := serial.Constant(v); key != nil {
		i, ok = e.equal[key]
	} else if id := serial.Identity(v); !id.IsZero() {
		i, ok = e.objects.Find(id)
	}
	if ok {
		e.back(i)
	}
	return ok
}

// note gives v the next index.
func (e *encoder) note(v any) {
	if e.unshared { // nothing refers to it
		e.size++
		return
	}
	if key := serial.Constant(v); key != nil {
		e.noteEqual(key)
	} else if id := serial.Identity(v); !id.IsZero() {
		e.objects.Put(id, e.size)
	}
	e.size++
}

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
	case isEnumSet(class):
		return e.enumSet(l)
	case id == 0 || id == idCopyOnWriteList || id == idCopyOnWriteSet:
		return e.shaped(l)
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
		return e.unnamed(m, &named)
	}
	switch id {
	case 0:
		return e.shaped(m)
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
		of := m.Of
		if of == "" && len(m.Entries) > 0 {
			constant, _ := m.Entries[0].Key.(java.Enum)
			of = constant.Class
		}
		if of == "" {
			return e.fail("an empty EnumMap must say of which enum its keys are (java.Map.Of)")
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
			return java.UnderEncode("[key]", err)
		}
		if err := e.value(entry.Value); err != nil {
			return java.UnderEncode(java.Key(entry.Key), err)
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
			return java.UnderEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

func isEnumSet(class string) bool {
	switch class {
	case classEnumSet, "java.util.JumboEnumSet", "java.util.EnumSet$SerializationProxy":
		return true
	}
	return false
}

func (e *encoder) enumSet(l *java.List) error {
	if e.known(l) {
		return nil
	}
	of := l.Of
	if of == "" && len(l.Elements) > 0 {
		constant, _ := l.Elements[0].(java.Enum)
		of = constant.Class
	}
	if of == "" {
		return e.fail("an empty EnumSet must say of which enum it is (java.List.Of)")
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
	if e.unshared {
		return e.unsharedValues(l.Elements)
	}
	return e.values(l.Elements)
}

// other writes plain Go values, and Java ones that a class of the JDK holds.
func (e *encoder) other(v any) error {
	if n, ok := v.(*big.Int); ok && n == nil {
		e.u8(idNull)
		return nil
	}
	if java.ClassOf(v) != "" && !plainGo(v) {
		return e.deeper(func() error { return e.shaped(v) })
	}
	lowered, err := java.LowerShared(v)
	if err != nil {
		return java.EncodeError(name, err)
	}
	if lowered != nil && reflect.TypeOf(lowered) == reflect.TypeOf(v) {
		return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: "no Java value corresponds to it"}
	}
	return e.form(lowered)
}

// plainGo reports values that stand for Java ones and must be lowered first.
func plainGo(v any) bool {
	switch v.(type) {
	case int, map[string]any, []any:
		return true
	}
	return false
}
