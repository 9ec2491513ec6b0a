package marshalling

import (
	"encoding/binary"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

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
				return java.UnderEncode(java.Key(f.Name), err)
			}
		}
		return nil
	}
	return e.shaped(o)
}

// unnamed writes v, a copy of original with a class.
func (e *encoder) unnamed(original, v any) error {
	if e.known(original) {
		return nil
	}
	return e.asInstance(original, v)
}

// shaped writes a value as an instance of its class.
func (e *encoder) shaped(v any) error {
	if e.known(v) {
		return nil
	}
	return e.asInstance(v, v)
}

// asInstance writes v in place of original. Objects take their index after the
// class.
func (e *encoder) asInstance(original, v any) error {
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
	switch {
	case s.Flags&serial.FlagExternalizable != 0:
		err = e.namedClass(idExternalizable, s.Class, s.UID)
	case s.Class == predefinedNames[idCopyOnWriteList] || s.Class == predefinedNames[idCopyOnWriteSet]:
		e.u8(predefinedIDs[s.Class])
	default:
		err = e.serialClass(d.Desc)
	}
	if err != nil {
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
	places := formOf(l.Desc).places
	for i := range l.Desc.Fields {
		at := i
		if places != nil {
			at = places[i]
		}
		var v any
		if l.Fields != nil {
			v = l.Fields[at]
		}
		f := &l.Desc.Fields[at]
		if err := e.field(v, fieldKind(f.Signature), f.Unshared); err != nil {
			return java.UnderEncode(java.Key(f.Name), err)
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
			return java.UnderEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	e.u8(idBlockEnd)
	return nil
}

// field writes a value as the declared kind of its field says: objects as
// objects, primitives as their bits. A primitive that is missing is zero.
func (e *encoder) field(v any, kind byte, unshared bool) error {
	switch {
	case kind != idObjectClass:
	case unshared:
		return e.unsharedValue(v)
	default:
		return e.value(v)
	}
	bits := uint64(0)
	if v != nil {
		var ok bool
		if bits, ok = primitiveBits(v, kind); !ok {
			return e.fail("a %s does not go into a field of Java's type %s", java.ClassOf(v), predefinedNames[kind])
		}
	}
	e.primitive(bits, kind)
	return nil
}

func (e *encoder) primitive(bits uint64, kind byte) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], bits)
	e.Out = append(e.Out, b[8-widths[kind]:]...)
}

// primitiveBits returns the bits of v, which must be of the kind.
func primitiveBits(v any, kind byte) (uint64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, kind == idBoolean
		}
		return 0, kind == idBoolean
	case int8:
		return uint64(v), kind == idByte
	case int16:
		return uint64(v), kind == idShort
	case int32:
		return uint64(v), kind == idInt
	case int64:
		return uint64(v), kind == idLong
	case java.Char:
		return uint64(v), kind == idChar
	case float32:
		return uint64(javatext.FloatBits(v)), kind == idFloat
	case float64:
		return javatext.DoubleBits(v), kind == idDouble
	}
	return 0, false
}

// block writes bytes as one block. Java fails on an empty one before an object.
func (e *encoder) block(b []byte) {
	switch n := len(b); {
	case n == 0:
		return
	case n < 256:
		e.Out = append(e.Out, idBlockSmall, byte(n))
	case n < 65536:
		e.u8(idBlockMedium)
		e.u16(uint16(n))
	default:
		e.u8(idBlockLarge)
		e.u32(uint32(n))
	}
	e.Out = append(e.Out, b...)
}
