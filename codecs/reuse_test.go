package codecs

import (
	"reflect"
	"testing"
)

// reusingCodec binds every type to its one binding.
type reusingCodec struct {
	Codec
	binding *reusingBinding
}

func (c reusingCodec) Bind(reflect.Type, BindOptions) (Binding, error) { return c.binding, nil }

// reusingBinding keeps the variables that it was given, or fails.
type reusingBinding struct {
	fails     bool
	variables []*string
}

func (b *reusingBinding) Reuses() bool { return true }

func (b *reusingBinding) Append(dst []byte, value any) ([]byte, error) {
	return append(dst, *b.use(value)...), nil
}

func (b *reusingBinding) Decode(payload []byte, target any) error {
	*b.use(target) += string(payload)
	return nil
}

func (b *reusingBinding) use(variable any) *string {
	v := variable.(*string)
	b.variables = append(b.variables, v)
	if b.fails {
		panic("broken")
	}
	return v
}

// A variable that is used again is zero between calls.
func TestReusedVariablesAreCleared(t *testing.T) {
	t.Parallel()
	b := &reusingBinding{}
	typed, err := For[string](reusingCodec{binding: b}, BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if payload, err := typed.Encode("x"); err != nil || string(payload) != "x" {
			t.Errorf("Encode: %q, %v", payload, err)
		}
		if v, err := typed.Decode([]byte("x")); err != nil || v != "x" {
			t.Errorf("Decode: %q, %v", v, err)
		}
	}
	for _, v := range b.variables {
		if *v != "" {
			t.Errorf("%q is kept", *v)
		}
	}
}

func TestPanicKeepsNoVariable(t *testing.T) {
	t.Parallel()
	b := &reusingBinding{fails: true}
	typed, err := For[string](reusingCodec{binding: b}, BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = typed.Encode("secret")
	}()
	b.fails = false
	if v, err := typed.Decode([]byte("x")); err != nil || v != "x" || b.variables[0] == b.variables[1] {
		t.Errorf("%q, %v after a panic", v, err)
	}
}

// The variable of a []byte is used again; what it held is the caller's.
func TestDecodedBytesStay(t *testing.T) {
	t.Parallel()
	typed, err := For[[]byte](ByteArray(), BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		first, err := typed.Decode([]byte("first"))
		if err != nil {
			t.Fatal(err)
		}
		second, err := typed.Decode([]byte("2"))
		if err != nil || string(first) != "first" || string(second) != "2" {
			t.Fatalf("%q and %q, %v", first, second, err)
		}
	}
}
