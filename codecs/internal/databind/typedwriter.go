package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// typedWriter writes one Go value straight to a generator. Like the reader's, its
// methods answer false for whatever is not usual; the value is then lowered to Java
// values and written from its first byte, or refused in words.
type typedWriter struct {
	values writer // the way by values, for parts of the value
	codec  *Codec
	g      token.Generator
	fixed  token.Fixed // g, where keys and classes of its format have fixed bytes
	depth  int         // containers that may still be opened
	left   int         // values that may still come
	out    []byte
	word   memory.Place // a pointer or map that is the whole value
	keys   []string
}

// typedName is a key or a class, and its bytes where the format has fixed ones.
type typedName struct{ text, fixed string }

func (w *typedWriter) key(n *typedName) bool {
	if w.fixed != nil {
		w.fixed.FixedKey(n.fixed)
		return true
	}
	return w.g.Key(n.text) == nil
}

func (w *typedWriter) wrap(n *typedName) bool {
	if w.fixed != nil {
		w.fixed.FixedWrap(n.fixed)
		return true
	}
	return w.g.Wrap(n.text) == nil
}

// object begins an object of n members and of that class, none where it is empty.
func (w *typedWriter) object(class *typedName, n int) bool {
	switch {
	case class.text == "":
		return w.g.Object("", n) == nil
	case w.fixed != nil:
		w.fixed.FixedObject(class.fixed, n)
		return true
	}
	return w.g.Object(class.text, n) == nil
}

// enter begins a container of n values.
func (w *typedWriter) enter(n int) bool {
	w.depth--
	w.left -= n + 8
	return w.depth >= 0 && w.left >= 0 && w.g.Len() <= w.codec.limits.Bytes
}

// manyValues is how many values a plan writes at most, a container and a pointer for
// eight: fewer than package java lowers, so that it says which are too many.
const manyValues = 1 << 20

func (w *typedWriter) leave() { w.depth++ }

// value writes a Java value by values, in a slot of a declared type; nil for
// java.lang.Object.
func (w *typedWriter) value(v any, d *declared) bool {
	w.values.depth = w.depth
	return w.values.declared(v, d) == nil
}

// begin makes the writer ready for a value.
func (w *typedWriter) begin() {
	w.depth, w.left = w.codec.limits.Depth, manyValues
	w.values.most = w.codec.limits.Bytes
	w.g.Begin(w.out[:0])
}

// maxKept bounds the memory that is kept from one value to the next.
const maxKept = 1 << 16

// finish appends what was written to dst, unless it is not all of the value, and
// makes the writer ready for another one.
func (w *typedWriter) finish(dst []byte, ok bool) ([]byte, bool) {
	w.out = w.g.End()
	if ok = ok && w.left >= 0 && len(w.out) <= w.codec.limits.Bytes; ok {
		dst = append(dst, w.out...)
	}
	if cap(w.out) > maxKept {
		w.out = nil
	}
	w.word, w.values.numbered = nil, nil
	clear(w.keys)
	w.keys = w.keys[:0]
	return dst, ok
}

// newTypedWriter returns a writer of a plan.
func newTypedWriter(p *typedPlan) *typedWriter {
	g := p.codec.format.Generator(&p.codec.rules)
	w := &typedWriter{codec: p.codec, g: g, values: writer{gen: g, codec: p.codec, beans: p.beans}}
	w.fixed, _ = w.g.(token.Fixed)
	return w
}

// isType reports whether v is a non-nil pointer to t.
func isPointerTo(v any, t reflect.Type) bool {
	return reflect.TypeOf(v) == t && !reflect.ValueOf(v).IsNil()
}
