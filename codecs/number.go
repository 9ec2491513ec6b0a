package codecs

import (
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// Long returns the codec of Redisson's LongCodec: the payload is the decimal
// text of a 64-bit number, for example "-42". Canonical name "long".
//
// It carries every signed integer type and uint8 to uint32; decoding a number
// that the Go type cannot hold is a [*DecodeError]. uint, uint64 and uintptr are
// refused, since Java's long is signed. Without a Go type it yields int64.
func Long(opts ...PlainOption) Codec {
	return wholeNumber("long", "long", 64).with(opts)
}

// wholeNumber is the codec of decimal integers of the given width. java is the
// Java type, for messages.
func wholeNumber(name, java string, bits int) plain {
	p := plain{name: name}
	parse := func(payload []byte) (int64, error) {
		n, err := javatext.ParseInt(string(payload), bits)
		if err != nil {
			return 0, &DecodeError{Codec: name, Offset: 0, Reason: "not a Java " + java + ": " + sizeOf(payload), Err: err}
		}
		return n, nil
	}
	p.decode = func(payload []byte) (any, error) {
		n, err := parse(payload)
		switch {
		case err != nil:
			return nil, err
		case bits == 32:
			return int32(n), nil
		}
		return n, nil
	}
	p.bind = func(t reflect.Type) (setter, string) {
		if !wholeKind(t.Kind(), bits) {
			return nil, "it does not fit Java's " + java + ": " + instead(t)
		}
		return func(v reflect.Value, payload []byte) error {
			n, err := parse(payload)
			if err != nil {
				return err
			}
			return setWhole(name, v, n)
		}, ""
	}
	p.encode = func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.CanUint() {
			return strconv.AppendUint(dst, v.Uint(), 10), nil
		}
		n := v.Int()
		if bits == 32 && n != int64(int32(n)) {
			return dst, &EncodeError{Codec: name, Type: v.Type(), Reason: strconv.FormatInt(n, 10) +
				" does not fit Java's 32-bit int: use the long codec", Err: javatext.ErrRange}
		}
		return strconv.AppendInt(dst, n, 10), nil
	}
	return p
}

// wholeKind reports whether a Java integer of the given width carries kind k.
func wholeKind(k reflect.Kind, bits int) bool {
	switch k {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16:
		return true
	case reflect.Int64, reflect.Uint32:
		return bits == 64
	}
	return false
}

func setWhole(codec string, v reflect.Value, n int64) error {
	switch {
	case v.CanUint() && n >= 0 && !v.OverflowUint(uint64(n)):
		v.SetUint(uint64(n))
	case v.CanInt() && !v.OverflowInt(n):
		v.SetInt(n)
	default:
		return &DecodeError{
			Codec: codec, Offset: 0, Reason: "the number does not fit Go's " + v.Type().String(),
			Err: javatext.ErrRange,
		}
	}
	return nil
}

// Integer returns the codec of Redisson's IntegerCodec: the payload is the
// decimal text of a 32-bit number, for example "7". Canonical name "integer".
//
// It carries int, int8 to int32, uint8 and uint16; an int outside 32 bits is an
// [*EncodeError]. int64 and uint32 are refused: the long codec is theirs. Without a Go
// type it yields int32.
func Integer(opts ...PlainOption) Codec {
	return wholeNumber("integer", "int", 32).with(opts)
}

// Double returns the codec of Redisson's DoubleCodec: the payload is the text
// of Java's Double.toString, for example "1.0", "1.0E21", "NaN", "-Infinity".
// Canonical name "double".
//
// It carries float64 types. It reads what Java's Double.valueOf reads: blanks
// around the number, hexadecimal literals, a trailing d or f; a number too
// large becomes an infinity. It writes the shortest digits, as JDK 19 and later
// do; older JDKs write a few large values with one digit more.
func Double(opts ...PlainOption) Codec {
	p := plain{name: doubleName}
	p.decode = func(payload []byte) (any, error) { return parseDouble(payload) }
	p.bind = func(t reflect.Type) (setter, string) {
		if t.Kind() != reflect.Float64 {
			return nil, "it is not Java's double: " + instead(t)
		}
		return setDouble, ""
	}
	p.encode = func(dst []byte, v reflect.Value) ([]byte, error) {
		return javatext.AppendDouble(dst, v.Float()), nil
	}
	return p.with(opts)
}

const doubleName = "double"

func setDouble(v reflect.Value, payload []byte) error {
	f, err := parseDouble(payload)
	if err == nil {
		v.SetFloat(f)
	}
	return err
}

func parseDouble(payload []byte) (float64, error) {
	f, err := javatext.ParseDouble(string(payload))
	if err != nil {
		return 0, &DecodeError{Codec: doubleName, Offset: 0, Reason: "not a Java double: " + sizeOf(payload), Err: err}
	}
	return f, nil
}
