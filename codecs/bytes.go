package codecs

import (
	"fmt"
	"reflect"
)

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
