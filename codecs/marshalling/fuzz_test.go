package marshalling

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// few are limits for payloads that anybody may have written.
var few = codecs.Limits{Elements: 4096, Depth: 64}

// fromHex decodes hex, which may have spaces.
func fromHex(tb testing.TB, text string) []byte {
	tb.Helper()
	payload, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

// into decodes payload into a new T.
func into[T any](tb testing.TB, codec codecs.Codec, payload []byte) (T, error) {
	tb.Helper()
	return typedOf[T](tb, codec).Decode(payload)
}

// typedOf binds codec to T.
func typedOf[T any](tb testing.TB, codec codecs.Codec) codecs.Typed[T] {
	tb.Helper()
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return typed
}

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) {
	codec, small := New(Limits(few)), New(Limits(codecs.Limits{Elements: few.Elements}))
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			for range 2 { // the second time its classes are known
				v, err := codec.Decode(h.payload)
				switch {
				case h.reason == "" && err != nil:
					t.Error(err)
				case h.reason != "":
					codectest.Refused(t, codec, h.payload, err)
					if !strings.Contains(err.Error(), h.reason) {
						t.Errorf("decoded %T, error %v; want one about %q", v, err, h.reason)
					}
					var e *codecs.DecodeError
					if _, err = into[*order](t, codec, h.payload); !errors.As(err, &e) {
						t.Errorf("into a struct: %v", err)
					}
				}
			}
			codectest.Allocates(t, h.payload, func() { _, _ = codec.Decode(h.payload) })
			codectest.Allocates(t, h.payload, func() { _, _ = small.Decode(h.payload) })
		})
	}
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"legacy.tsv", "samples.tsv"} {
		for _, v := range vectors(f, file) {
			f.Add(v.payload)
		}
	}
	for _, u := range unsharedVectors(f) {
		f.Add(u.payload)
	}
	for _, h := range hostile() {
		f.Add(h.payload)
	}
	codec := New(Limits(few))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
	})
}
