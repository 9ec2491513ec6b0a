package codecs

import (
	"encoding"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// String returns the codec of Redisson's StringCodec in its default charset:
// the payload is the text as UTF-8, with neither length nor quotes; a payload
// of no bytes is the empty string. Canonical name "string".
//
// It carries string types, types that are both [encoding.TextMarshaler] and (by
// pointer) [encoding.TextUnmarshaler], and []byte types for text that is passed
// on as it is, such as JSON. A []byte keeps malformed bytes when decoding; in a
// string each malformed part becomes U+FFFD, as in Java. Encoding refuses
// malformed UTF-8, except that a lone surrogate (three bytes, WTF-8) is written
// "?", as Java writes it.
func String(opts ...PlainOption) Codec {
	p := plain{name: stringName, empty: true, text: true}
	p.bind = bindString
	p.encode = encodeString
	p.decode = func(payload []byte) (any, error) { return javatext.DecodeUTF8(payload), nil }
	c := p.with(opts).(*plain)
	limit := min(c.limits.Bytes, c.limits.StringBytes)
	c.limits.Bytes = limit
	return c
}

const stringName = "string"

var (
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func isText(t reflect.Type) bool {
	return t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func bindString(t reflect.Type) (setter, string) {
	switch {
	case t.Kind() == reflect.Pointer:
		return nil, instead(t)
	case isText(t):
		return setText, ""
	case t.Kind() == reflect.String:
		return setString, ""
	case isBytes(t):
		return setBytes, ""
	}
	return nil, "it is not text: " + instead(t)
}

func setString(v reflect.Value, payload []byte) error {
	v.SetString(javatext.DecodeUTF8(payload))
	return nil
}

func setText(v reflect.Value, payload []byte) error {
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(payload); err != nil {
		return &DecodeError{Codec: stringName, Offset: 0, Reason: "UnmarshalText of " + v.Type().String(), Err: Withheld(err)}
	}
	return nil
}

func encodeString(dst []byte, v reflect.Value) ([]byte, error) {
	switch {
	case isText(v.Type()):
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return dst, &EncodeError{Codec: stringName, Type: v.Type(), Reason: "MarshalText", Err: Withheld(err)}
		}
		return appendText(dst, string(text), v.Type())
	case v.Kind() == reflect.String:
		return appendText(dst, v.String(), v.Type())
	}
	return appendText(dst, string(v.Bytes()), v.Type())
}

// appendText appends s as Java's UTF-8 encoder writes it.
func appendText(dst []byte, s string, t reflect.Type) ([]byte, error) {
	if utf8.ValidString(s) {
		return append(dst, s...), nil
	}
	out := dst
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if _, ok := javatext.Surrogate(s[i:]); !ok {
				return dst, &EncodeError{Codec: stringName, Type: t, Reason: fmt.Sprintf(
					"not UTF-8 at byte %d: Java would read something else; use the bytearray codec for bytes", i)}
			}
			out = append(out, '?')
			i += 3
			continue
		}
		out = append(out, s[i:i+n]...)
		i += n
	}
	return out, nil
}

// sizeOf says in an error what a payload is, not what it says.
func sizeOf(payload []byte) string {
	if len(payload) == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", len(payload))
}

// ByteArray returns the codec of Redisson's ByteArrayCodec: the payload is the
// bytes as they are; no bytes are the empty array. Canonical name "bytearray".
//
// It carries []byte types and byte arrays of a fixed length, which the payload
// must match. Decoded slices are copies and never nil.
func ByteArray(opts ...PlainOption) Codec {
	p := plain{name: bytesName, empty: true}
	p.decode = func(payload []byte) (any, error) { return clone(payload), nil }
	p.bind = func(t reflect.Type) (setter, string) {
		switch {
		case isBytes(t):
			return setBytes, ""
		case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8:
			return setByteArray, ""
		}
		return nil, "it is not a byte array: " + instead(t)
	}
	p.encode = appendBytes
	return p.with(opts)
}

const bytesName = "bytearray"

func clone(payload []byte) []byte { return append(make([]byte, 0, len(payload)), payload...) }

func setBytes(v reflect.Value, payload []byte) error {
	v.SetBytes(clone(payload))
	return nil
}

func setByteArray(v reflect.Value, payload []byte) error {
	if len(payload) != v.Len() {
		return &DecodeError{Codec: bytesName, Offset: -1, Reason: fmt.Sprintf("%d bytes for Go's %s", len(payload), v.Type())}
	}
	for i, b := range payload {
		v.Index(i).SetUint(uint64(b))
	}
	return nil
}

func appendBytes(dst []byte, v reflect.Value) ([]byte, error) {
	if v.Kind() == reflect.Slice {
		return append(dst, v.Bytes()...), nil
	}
	for i := range v.Len() {
		dst = append(dst, byte(v.Index(i).Uint()))
	}
	return dst, nil
}
