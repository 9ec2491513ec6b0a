package codectest

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// FromHex decodes hex, which may have spaces.
func FromHex(tb TB, text string) []byte {
	tb.Helper()
	payload, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return payload
}

// Typed binds a codec to T.
func Typed[T any](tb TB, codec codecs.Codec) codecs.Typed[T] {
	tb.Helper()
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return typed
}

// Into decodes a payload into a new T.
func Into[T any](tb TB, codec codecs.Codec, payload []byte) (T, error) {
	tb.Helper()
	return Typed[T](tb, codec).Decode(payload)
}

// Hostile decodes a payload that anybody may have written. For a reason it is refused, without a
// Go type and into a T; without one it is taken. What the codec and small, which has lower limits,
// allocate is held to its size.
func Hostile[T any](tb TB, codec, small codecs.Codec, payload []byte, reason string) {
	tb.Helper()
	v, err := codec.Decode(payload)
	if reason == "" {
		if err != nil {
			tb.Fatalf("%v", err)
		}
	} else {
		Refused(tb, codec, payload, err)
		if !strings.Contains(err.Error(), reason) {
			tb.Fatalf("decoded %T, error %v; want one about %q", v, err, reason)
		}
		var e *codecs.DecodeError
		if _, err = Into[T](tb, codec, payload); !errors.As(err, &e) {
			tb.Fatalf("into a struct: %v", err)
		}
	}
	Allocates(tb, payload, func() { _, _ = codec.Decode(payload) })
	Allocates(tb, payload, func() { _, _ = small.Decode(payload) })
}

// Must returns the result of a call that must not fail: codectest.Must(codec.Encode(v))(t).
func Must[T any](v T, err error) func(tb TB) T {
	return func(tb TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatalf("%v", err)
		}
		return v
	}
}
