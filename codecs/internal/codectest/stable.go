// Package codectest is what the tests of all codecs have in common.
package codectest

import (
	"bytes"
	"errors"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/view"
)

// TB is what is needed of a test.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Stable decodes a payload that may be anything. An error is a [*codecs.DecodeError] with a
// place in the payload. A value is encoded to bytes that give a value which is encoded to
// the same bytes, or not at all, with a [*codecs.EncodeError]. Both values come back, nil
// where there is none.
func Stable(tb TB, codec codecs.Codec, payload []byte) (value, again any) {
	tb.Helper()
	value, err := codec.Decode(payload)
	if err != nil {
		Refused(tb, codec, payload, err)
		return nil, nil
	}
	first, err := codec.Encode(value)
	if err != nil { // such as a lone surrogate
		var e *codecs.EncodeError
		if !errors.As(err, &e) || e.Codec != codec.Name() {
			tb.Fatalf("%s: %x: the error of Encode is %v, want an EncodeError of the codec", codec.Name(), payload, err)
		}
		return nil, nil
	}
	again, err = codec.Decode(first)
	if err != nil {
		tb.Fatalf("%s: %x became %x, which does not decode: %v", codec.Name(), payload, first, err)
	}
	second, err := codec.Encode(again)
	if err != nil || !bytes.Equal(first, second) {
		tb.Fatalf("%s: %x became %x, then %x, %v\n%s\n%s", codec.Name(), payload, first, second, err, view.Of(value), view.Of(again))
	}
	return value, again
}

// Refused checks the error of a payload that does not decode: its type, its codec, and
// that its place is in the payload.
func Refused(tb TB, codec codecs.Codec, payload []byte, err error) {
	tb.Helper()
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Codec != codec.Name() || e.Offset > len(payload) || e.Reason == "" && e.Err == nil {
		tb.Fatalf("%s: %x: the error is %v, want a DecodeError of the codec with a reason, and a place in the payload", codec.Name(), payload, err)
	}
}
