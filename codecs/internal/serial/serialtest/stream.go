package serialtest

import (
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Stream is one codec under test.
type Stream struct {
	// New makes the codec.
	New func(Options) codecs.Codec
	// Values returns a binding without its typed plan.
	Values func(codecs.Binding) codecs.Binding
	// Reads decodes by the typed plan alone; false where it leaves the payload.
	Reads func(b codecs.Binding, payload []byte, target any) bool
	// Writes appends to dst by the typed plan alone; false where it leaves the value.
	Writes func(b codecs.Binding, dst []byte, value any) ([]byte, bool)
	// Names says that names of fields are strings of the table. A decoded string that
	// was one is a reference again by values only.
	Names bool
	// Java is what Java wrote, in hex.
	Java Written
}

// Options are those that both codecs have.
type Options struct {
	Limits        codecs.Limits
	Classes       []*java.Classes
	RefuseUnknown bool
	RefuseMissing bool
	// Mistakes adds an option that is nil, and mistakes that the codec reports.
	Mistakes bool
}

// Written is what Java wrote of some values, in hex.
type Written struct {
	// Below is new demo.Sub(5, "x"), see below.
	Below string
	// List is a Samples2$MyList with the element "e".
	List string
	// External is a demo.Ext, an Externalizable class: an int, a string and an object.
	External string
	// Order is the bean of the benchmarks.
	Order string
	// Mistakes are parts of the error of a codec with Options.Mistakes.
	Mistakes []string
}

// Budget is the number of elements in the tests of what decoding allocates.
const Budget = 4096

// small are limits for payloads that anybody may have written.
var small = Options{Limits: codecs.Limits{Elements: Budget, Depth: 64}}

// Payload decodes hex, which may have spaces.
func Payload(tb testing.TB, text string) []byte {
	tb.Helper()
	payload, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

// Into decodes payload into a new T.
func Into[T any](tb testing.TB, codec codecs.Codec, payload []byte) (T, error) {
	tb.Helper()
	return Typed[T](tb, codec).Decode(payload)
}

// Typed binds codec to T.
func Typed[T any](tb testing.TB, codec codecs.Codec) codecs.Typed[T] {
	tb.Helper()
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return typed
}

func bind(tb testing.TB, codec codecs.Codec, t reflect.Type) codecs.Binding {
	tb.Helper()
	b, err := codec.Bind(t, codecs.BindOptions{})
	if err != nil {
		tb.Fatalf("%s: %v", t, err)
	}
	return b
}

// encode writes a value by the codec without a Go type.
func encode(tb testing.TB, codec codecs.Codec, v any) []byte {
	tb.Helper()
	payload, err := codec.Encode(v)
	if err != nil {
		tb.Fatalf("%T: %v", v, err)
	}
	return payload
}
