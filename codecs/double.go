package codecs

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

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
