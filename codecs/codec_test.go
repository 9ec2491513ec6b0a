package codecs_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

func TestForWithoutCodec(t *testing.T) {
	t.Parallel()
	_, err := codecs.For[int](nil, codecs.BindOptions{})
	var e *codecs.BindError
	if !errors.As(err, &e) || e.Type != reflect.TypeFor[int]() || e.Reason != "no codec given" {
		t.Errorf("%v", err)
	}
}

// A queue whose Java side uses LongCodec.
func ExampleLong() {
	type OrderID int64
	ids, err := codecs.For[OrderID](codecs.Long(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := ids.Encode(42)
	id, _ := ids.Decode(payload)
	fmt.Printf("%s %d\n", payload, id)
	// Output: 42 42
}

// A type that does not fit is refused when the queue is declared.
func ExampleFor() {
	_, err := codecs.For[int64](codecs.String(), codecs.BindOptions{})
	fmt.Println(err)
	// Output: codec string cannot carry this type (Go type int64): it is not text: use the long codec for it
}

// Text is passed on as it is: a []byte may hold JSON that other code reads.
func ExampleString() {
	typed, err := codecs.For[[]byte](codecs.String(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := typed.Decode([]byte(`{"orderId":"100"}`))
	fmt.Printf("%s\n", body)
	// Output: {"orderId":"100"}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"", "abc", "-42", "7", "1.0E21", "NaN", "0x1p3", "a\xff", "a\xed\xa0\xbd", "9223372036854775808"} {
		f.Add([]byte(s))
	}
	all := []codecs.Codec{codecs.String(), codecs.Long(), codecs.Integer(), codecs.Double(), codecs.ByteArray()}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range all {
			v, err := c.Decode(payload)
			var d *codecs.DecodeError
			if err != nil {
				if !errors.As(err, &d) || d.Codec != c.Name() {
					t.Fatalf("%s: %v", c.Name(), err)
				}
				continue
			}
			once, err := c.Encode(v)
			if err != nil {
				t.Fatalf("%s: cannot write %v: %v", c.Name(), v, err)
			}
			back, err := c.Decode(once)
			if err != nil || !equal(back, v) {
				t.Fatalf("%s: %v came back as %v, %v", c.Name(), v, back, err)
			}
		}
	})
}

func TestZeroTypedRefusesEverything(t *testing.T) {
	t.Parallel()
	var typed codecs.Typed[string]
	var enc *codecs.EncodeError
	if _, err := typed.Encode("x"); !errors.As(err, &enc) {
		t.Errorf("Encode: %v, want an EncodeError", err)
	}
	var dec *codecs.DecodeError
	if _, err := typed.Decode([]byte("x")); !errors.As(err, &dec) {
		t.Errorf("Decode: %v, want a DecodeError", err)
	}
}

func TestLimitsWithDefaults(t *testing.T) {
	t.Parallel()
	defaults := codecs.Limits{
		Bytes: codecs.DefaultMaxBytes, Elements: codecs.DefaultMaxElements,
		Depth: codecs.DefaultMaxDepth, StringBytes: codecs.DefaultMaxStringBytes,
	}
	for name, c := range map[string]struct{ in, want codecs.Limits }{
		"zero":     {codecs.Limits{}, defaults},
		"given":    {codecs.Limits{Bytes: 1, Elements: 2, Depth: 3, StringBytes: 4}, codecs.Limits{Bytes: 1, Elements: 2, Depth: 3, StringBytes: 4}},
		"no limit": {codecs.Limits{Bytes: -1, Elements: -1, Depth: -1, StringBytes: -1}, codecs.Limits{Bytes: math.MaxInt, Elements: math.MaxInt, Depth: 10_000, StringBytes: math.MaxInt}},
		"too deep": {codecs.Limits{Depth: 1 << 20}, codecs.Limits{Bytes: defaults.Bytes, Elements: defaults.Elements, Depth: 10_000, StringBytes: defaults.StringBytes}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.in.WithDefaults()
			if got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
			if again := got.WithDefaults(); again != got {
				t.Errorf("%s: not stable: %+v", name, again)
			}
		})
	}
}

// TestErrorText: everything that is known is in the one line, and nothing else.
func TestErrorText(t *testing.T) {
	t.Parallel()
	intType := reflect.TypeFor[int]()
	for want, err := range map[string]error{
		"decode kryo5 at items[3].price (class a.B) at byte 17: too deep": &codecs.DecodeError{
			Codec: "kryo5", Class: "a.B", Path: "items[3].price", Offset: 17, Reason: "too deep",
		},
		"decode long at byte 0: empty payload":        &codecs.DecodeError{Codec: "long", Reason: "empty payload"},
		"decode long: too large":                      &codecs.DecodeError{Codec: "long", Offset: -1, Reason: "too large"},
		"decode string: UnmarshalText: EOF":           &codecs.DecodeError{Codec: "string", Offset: -1, Reason: "UnmarshalText", Err: io.EOF},
		"decode string: EOF":                          &codecs.DecodeError{Codec: "string", Offset: -1, Err: io.EOF},
		"encode jsonjackson at a.b (Go type int): no": &codecs.EncodeError{Codec: "jsonjackson", Type: intType, Path: "a.b", Reason: "no"},
		"encode jsonjackson: no: EOF":                 &codecs.EncodeError{Codec: "jsonjackson", Reason: "no", Err: io.EOF},
		"codec double cannot carry this type at Price (Go type int): use long": &codecs.BindError{
			Codec: "double", Type: intType, Path: "Price", Reason: "use long",
		},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
}

// TestErrorsUnwrap: the cause can be found, and the type under a wrapper.
func TestErrorsUnwrap(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&codecs.DecodeError{Err: io.ErrUnexpectedEOF},
		&codecs.EncodeError{Err: io.ErrUnexpectedEOF},
		&codecs.BindError{Err: io.ErrUnexpectedEOF},
	} {
		if !errors.Is(errors.Join(io.EOF, err), io.ErrUnexpectedEOF) {
			t.Errorf("%T hides its cause", err)
		}
	}
	var d *codecs.DecodeError
	if err := errors.Join(io.EOF, &codecs.DecodeError{Offset: 7}); !errors.As(err, &d) || d.Offset != 7 {
		t.Error("DecodeError not found")
	}
}

func TestErrorType(t *testing.T) {
	t.Parallel()
	if got := (&codecs.DecodeError{}).ErrorType(); got != "decode" {
		t.Error(got)
	}
	if got := (&codecs.EncodeError{}).ErrorType(); got != "encode" {
		t.Error(got)
	}
}
