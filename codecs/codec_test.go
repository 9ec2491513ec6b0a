package codecs_test

import (
	"errors"
	"fmt"
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
