package kryo5

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// checkBound reads payload into a type. What can be read can be written, and comes back with
// the same bytes.
func checkBound(tb testing.TB, typ reflect.Type, bound codecs.Binding, payload []byte) {
	tb.Helper()
	v := reflect.New(typ)
	err := bound.Decode(payload, v.Interface())
	var decode *codecs.DecodeError
	if err != nil {
		if !errors.As(err, &decode) || decode.Reason == "" || decode.Offset > len(payload) {
			tb.Fatalf("%s from %x: untyped error %v", typ, payload, err)
		}
		return
	}
	first, err := bound.Append(nil, v.Elem().Interface())
	var encode *codecs.EncodeError
	if err != nil {
		if !errors.As(err, &encode) || encode.Reason == "" {
			tb.Fatalf("%s: untyped error %v for %+v", typ, err, v)
		}
		return
	}
	again := reflect.New(typ)
	if err := bound.Decode(first, again.Interface()); err != nil {
		tb.Fatalf("%s: %+v became %x, which does not decode: %v", typ, v, first, err)
	}
	second, err := bound.Append(nil, again.Elem().Interface())
	if err != nil || !bytes.Equal(first, second) {
		tb.Fatalf("%s: %+v became\n%x, then\n%x, %v", typ, v, first, second, err)
	}
}

// TestTypedChanged reads what Java wrote with every prefix of it and with every byte of it
// changed.
func TestTypedChanged(t *testing.T) {
	t.Parallel()
	eachTyped(t, func(label string, typ reflect.Type, bound codecs.Binding, payload []byte, _ bool) {
		for i := range codectest.Places(len(payload)) {
			if v := reflect.New(typ); bound.Decode(payload[:i], v.Interface()) == nil {
				t.Errorf("%s: the first %d of %d bytes are %+v", label, i, len(payload), v.Elem())
			}
			for _, b := range []byte{0, 1, payload[i] ^ 0x80, payload[i] + 1} {
				changed := bytes.Clone(payload)
				changed[i] = b
				checkBound(t, typ, bound, changed)
			}
		}
	})
}

func fuzzTyped(f *testing.F, types ...reflect.Type) {
	f.Helper()
	for _, payload := range typedVectors(f) {
		f.Add(payload)
	}
	f.Add(benchPayload(f, "order"))
	var bound []codecs.Binding
	for _, t := range types {
		bound = append(bound, bindingOf(f, t, fuzzLimits))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for i := range types {
			codectest.Allocates(t, payload, func() { _ = bound[i].Decode(payload, reflect.New(types[i]).Interface()) })
			checkBound(t, types[i], bound[i], payload)
		}
	})
}

var fuzzLimits = Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})

func FuzzTypedOrder(f *testing.F) {
	fuzzTyped(f, reflect.TypeFor[benchOrder](), reflect.TypeFor[typedChild](),
		reflect.TypeFor[typedLists](), reflect.TypeFor[typedMaps]())
}

func FuzzTypedGeneric(f *testing.F) {
	fuzzTyped(f, reflect.TypeFor[typedGenerics](), reflect.TypeFor[typedRes[typedInner]](),
		reflect.TypeFor[typedBox[string]]())
}

// FuzzTypedNode reads graphs with references.
func FuzzTypedNode(f *testing.F) {
	typed := typedOf[*typedNodeBean](f, New(fuzzLimits, References()))
	name := "r"
	kid := &typedNodeBean{}
	root := &typedNodeBean{N: &name, Kids: []*typedNodeBean{kid, kid}}
	for _, n := range []*typedNodeBean{nil, kid, root} {
		if payload, err := typed.Encode(n); err == nil {
			f.Add(payload)
		}
	}
	root.Next, kid.Next = root, root
	payload := codectest.Must(typed.Encode(root))(f)
	f.Add(payload)
	bound := bindingOf(f, reflect.TypeFor[*typedNodeBean](), fuzzLimits, References())
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _ = bound.Decode(payload, new(*typedNodeBean)) })
		checkBound(t, reflect.TypeFor[*typedNodeBean](), bound, payload)
	})
}
