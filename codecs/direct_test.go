package codecs

import (
	"reflect"
	"testing"
)

// directBinding has a direct way that says whether it is usual, or fails.
type directBinding struct {
	Codec
	usual, fails bool
	vars         []*string // the variables it was given
}

func (b *directBinding) Bind(reflect.Type, BindOptions) (Binding, error) { return boundOf{b}, nil }

type boundOf struct{ *directBinding }

func (boundOf) Append(dst []byte, value any) ([]byte, error) {
	return append(append(dst, "bound "...), value.(string)...), nil
}

func (boundOf) Decode(payload []byte, target any) error {
	*target.(*string) += "bound " + string(payload)
	return nil
}

func (boundOf) Direct() bool { return true }

func (b boundOf) AppendDirect(dst []byte, source any, state *any) ([]byte, bool) {
	v := b.use(source, state)
	return append(append(dst, "direct "...), *v...), b.usual
}

func (b boundOf) DecodeDirect(payload []byte, target any, state *any) bool {
	v := b.use(target, state)
	*v += "direct " + string(payload)
	return b.usual
}

func (b boundOf) use(variable any, state *any) *string {
	v := variable.(*string)
	b.vars = append(b.vars, v)
	*state = b
	if b.fails {
		panic("broken")
	}
	return v
}

// A variable that is used again is zero between calls, whatever the codec did with
// it; what is not usual goes the other way from the start.
func TestDirectVariablesAreCleared(t *testing.T) {
	t.Parallel()
	for _, usual := range []bool{true, false} {
		b := &directBinding{usual: usual}
		typed, err := For[string](b, BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		way := map[bool]string{true: "direct x", false: "bound x"}[usual]
		for range 3 {
			if payload, err := typed.Encode("x"); err != nil || string(payload) != way {
				t.Errorf("Encode: %q, %v, want %q", payload, err, way)
			}
			if v, err := typed.Decode([]byte("x")); err != nil || v != way {
				t.Errorf("Decode: %q, %v, want %q", v, err, way)
			}
		}
		if len(b.vars) != 6 {
			t.Errorf("%d direct calls, want 6", len(b.vars))
		}
		for _, v := range b.vars {
			if *v != "" {
				t.Errorf("%q is kept", *v)
			}
		}
	}
}

func TestDirectPanicKeepsNoVariable(t *testing.T) {
	t.Parallel()
	b := &directBinding{usual: true, fails: true}
	typed, err := For[string](b, BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = typed.Encode("secret")
	}()
	b.fails = false
	if v, err := typed.Decode([]byte("x")); err != nil || v != "direct x" || b.vars[0] == b.vars[1] {
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
