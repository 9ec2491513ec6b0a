package marshalling

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// encoder writes one payload.
type encoder struct {
	out      []byte
	depth    int // levels that may still be within each other
	maxDepth int
	strings  Strings
	describe serial.Describer
	size     int               // of the instance table
	objects  map[serial.ID]int // what was written, by its place in memory
	equal    map[any]int       // values that Java keeps one object of, and equal texts
	names    map[string]int    // names of classes and fields
	classes  map[string]written
	unshared bool // the value being written is that of an unshared field
}

// written is a class in the class table.
type written struct {
	index int
	desc  *serial.Desc // of a serializable class
}

func (e *encoder) fail(format string, args ...any) error {
	return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf(format, args...)}
}

func (e *encoder) u8(b byte)    { e.out = append(e.out, b) }
func (e *encoder) u16(v uint16) { e.out = binary.BigEndian.AppendUint16(e.out, v) }
func (e *encoder) u32(v uint32) { e.out = binary.BigEndian.AppendUint32(e.out, v) }
func (e *encoder) u64(v uint64) { e.out = binary.BigEndian.AppendUint64(e.out, v) }

// count writes a lead byte and a count: lead for none, the next three for counts
// in one, two and four bytes.
func (e *encoder) count(lead byte, n int) {
	switch {
	case n == 0:
		e.u8(lead)
	case n <= 256:
		e.out = append(e.out, lead+1, byte(n))
	case n <= 65536:
		e.u8(lead + 2)
		e.u16(uint16(n))
	default:
		e.u8(lead + 3)
		e.u32(uint32(n))
	}
}

// back writes a reference to object index.
func (e *encoder) back(index int) {
	e.reference(idObjectNear, idObjectNearish, idObjectFar, e.size, index)
}

// classBack writes a reference to class index.
func (e *encoder) classBack(index int) {
	e.reference(idClassNear, idClassNearish, idClassFar, len(e.classes), index)
}

// reference writes a reference into a table of that size.
func (e *encoder) reference(near, nearish, far byte, size, index int) {
	switch distance := size - index; {
	case distance <= 256:
		e.out = append(e.out, near, byte(-distance))
	case distance <= 65536:
		e.u8(nearish)
		e.u16(uint16(-distance))
	default:
		e.u8(far)
		e.u32(uint32(index))
	}
}

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
	if code, n := serial.ArrayOf(v); code != "" {
		e.primitives(v, code, n)
		return nil
	}
	return e.other(v)
}

func (e *encoder) deeper(write func() error) error {
	if e.depth == 0 {
		return e.fail("nested more than %d levels deep: raise Limits.Depth if that is right", e.maxDepth)
	}
	e.depth--
	err := write()
	e.depth++
	return err
}

// scalar writes the wrappers of primitives, which take no index.
func (e *encoder) scalar(v any) bool {
	var lead byte
	switch v := v.(type) {
	case bool:
		if lead = idFalse; v {
			lead = idTrue
		}
		e.u8(lead)
		return true
	case int8:
		lead = idByteValue
	case int16:
		lead = idShortValue
	case int32:
		lead = idIntegerValue
	case int64:
		lead = idLongValue
	case java.Char:
		lead = idCharValue
	case float32:
		lead = idFloatValue
	case float64:
		lead = idDoubleValue
	default:
		return false
	}
	e.out = serial.AppendPrimitive(append(e.out, lead), v)
	return true
}

// enum writes a constant. Java has one object for each, so the second time it
// is a reference.
func (e *encoder) enum(v java.Enum) error {
	if v.Class == "" {
		return e.fail("an enum constant without a class")
	}
	d, err := e.describe.Describe(v)
	if err != nil {
		return e.fail("%s: %v", v.Class, err)
	}
	if err := e.mustShare("an enum constant"); err != nil {
		return err
	}
	key := java.Enum{Class: v.Class, Name: d.Name}
	if i, ok := e.equal[key]; ok {
		e.back(i)
		return nil
	}
	e.u8(idNewObject)
	if err := e.namedClass(idEnumClass, v.Class, 0); err != nil {
		return err
	}
	if err := e.text32(d.Name); err != nil {
		return err
	}
	e.equal[key] = e.size
	e.size++
	return nil
}

// primitives writes an array of primitives.
func (e *encoder) primitives(v any, code string, n int) {
	switch {
	case n == 0 && reflect.ValueOf(v).IsNil():
		e.u8(idNull)
		return
	case e.seen(v):
		return
	}
	e.count(idArrayEmpty+e.unsharedForms(), n)
	e.u8(fieldKind(code))
	bools, ok := v.([]bool)
	if !ok {
		e.out = serial.AppendPrimitives(e.out, v)
		return
	}
	for i, b := range bools { // packed, the first one lowest
		if i%8 == 0 {
			e.u8(0)
		}
		if b {
			e.out[len(e.out)-1] |= 1 << (i % 8)
		}
	}
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
		i, ok = e.objects[id]
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
		e.equal[key] = e.size
	} else if id := serial.Identity(v); !id.IsZero() {
		if _, ok := e.objects[id]; !ok {
			e.objects[id] = e.size
		}
	}
	e.size++
}

// string writes a String value: a reference where it is the same object as one
// before.
func (e *encoder) string(s string) error {
	if s == "" {
		e.u8(idEmptyString)
		return nil
	}
	if !e.unshared {
		if index, known := e.knownString(s); known {
			e.back(index)
			return nil
		}
	}
	e.size++
	return e.text(s)
}

// knownString finds s, or notes it under the next index.
func (e *encoder) knownString(s string) (index int, known bool) {
	switch e.strings {
	case Distinct:
	case Equal:
		if index, known = e.names[s]; !known {
			if index, known = e.equal[s]; !known {
				e.equal[s] = e.size
			}
		}
	case Identical:
		id := serial.StringID(s)
		if index, known = e.objects[id]; !known {
			e.objects[id] = e.size
		}
	}
	return index, known
}

// text writes a string in full.
func (e *encoder) text(s string) error {
	if !serial.IsText(s) {
		return e.fail("a string is not UTF-8: Java would read something else; use []byte for bytes")
	}
	_, n := serial.TextSize(s)
	e.count(idEmptyString, n)
	e.out = serial.AppendText(e.out, s)
	return nil
}

// text32 writes a text with a count of four bytes, as names outside protocol 4
// and writeUTF have it.
func (e *encoder) text32(s string) error {
	if !serial.IsText(s) {
		return e.fail("a name of %d bytes is not UTF-8", len(s))
	}
	_, n := serial.TextSize(s)
	e.u32(uint32(n))
	e.out = serial.AppendText(e.out, s)
	return nil
}

// other writes plain Go values, and Java ones that a class of the JDK holds.
func (e *encoder) other(v any) error {
	if n, ok := v.(*big.Int); ok && n == nil {
		e.u8(idNull)
		return nil
	}
	if serial.IsJava(v) {
		return e.deeper(func() error { return e.shaped(v, v) })
	}
	lowered, err := bridge.LowerShared(v)
	if err != nil {
		return bridge.Named(name, err)
	}
	if lowered != nil && reflect.TypeOf(lowered) == reflect.TypeOf(v) {
		return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: "no Java value corresponds to it"}
	}
	return e.form(lowered)
}

// unsharedForms is how far the lead bytes of unshared arrays and collections are
// from those of shared ones.
func (e *encoder) unsharedForms() byte {
	if e.unshared {
		return 4
	}
	return 0
}

// mustShare refuses what Java writes in the shared form even in an unshared field,
// and then does not read there.
func (e *encoder) mustShare(what string) error {
	if e.unshared {
		return e.fail("%s in a field that Java declares unshared: Java cannot read it", what)
	}
	return nil
}
