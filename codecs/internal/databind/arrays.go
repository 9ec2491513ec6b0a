package databind

import (
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// primitiveArray reads the array at i as one of primitives of class [I, [J …
func (r *reader) primitiveArray(class string, i int) (any, error) {
	switch class {
	case "[B":
		return r.byteArray(i)
	case "[C":
		return r.charArray(i)
	case "[I":
		return readArray(r, "java.lang.Integer", i, func(v any) int32 { return v.(int32) })
	case "[J":
		return readArray(r, classJavaLong, i, func(v any) int64 { return v.(int64) })
	case "[S":
		return readArray(r, "java.lang.Short", i, func(v any) int16 { return v.(int16) })
	case "[D":
		return readArray(r, "java.lang.Double", i, func(v any) float64 { return v.(float64) })
	case "[F":
		return readArray(r, "java.lang.Float", i, func(v any) float32 { return v.(float32) })
	default:
		return readArray(r, "java.lang.Boolean", i, func(v any) bool { return v.(bool) })
	}
}

// readArray reads an array of primitives; box is the class of one. Null is their
// zero value, as in Jackson.
func readArray[E any](r *reader, box string, i int, unbox func(any) E) (any, error) {
	out := make([]E, 0, r.toks[i].N)
	err := r.elements(i, func(e int) error {
		if kind := r.toks[e].Kind; kind == token.Array || kind == token.Object {
			return r.failClass(e, box, "found %s where a value is due", kindName(kind))
		}
		v, err := r.convert(box, e)
		if err != nil {
			return err
		}
		var zero E
		if v != nil {
			zero = unbox(v)
		}
		out = append(out, zero)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// byteArray reads [1,2] as Java reads it for a byte[].
func (r *reader) byteArray(i int) (any, error) {
	out := []byte{}
	err := r.elements(i, func(e int) error {
		k := &r.toks[e]
		if k.Kind != token.Int || k.Int() < -128 || k.Int() > 255 {
			return r.failClass(e, "[B", "not a byte")
		}
		out = append(out, byte(k.Int()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// array writes an array of primitives, whose elements are never wrapped. It reports
// false for other values.
func (w *writer) array(v any, bare bool) (bool, error) {
	switch v := v.(type) {
	case []byte:
		return true, w.wrap("[B", bare || v == nil, func() { w.bytes(v) })
	case []int32:
		return true, writeArray(w, "[I", v, bare, func(n int32) { w.gen.Int(int64(n)) })
	case []int64:
		return true, writeArray(w, "[J", v, bare, w.gen.Int)
	case []int16:
		return true, writeArray(w, "[S", v, bare, func(n int16) { w.gen.Int(int64(n)) })
	case []bool:
		return true, writeArray(w, "[Z", v, bare, w.gen.Bool)
	case []float64:
		return true, writeArray(w, "[D", v, bare, w.gen.Float64)
	case []float32:
		return true, writeArray(w, "[F", v, bare, w.gen.Float32)
	case []java.Char:
		if v == nil {
			w.gen.Null()
			return true, nil
		}
		return true, w.tagged("[C", charsText(v), bare)
	}
	return false, nil
}

func (w *writer) bytes(b []byte) {
	if b == nil {
		w.gen.Null()
		return
	}
	w.gen.Bytes(b)
}

func writeArray[E any](w *writer, class string, v []E, bare bool, write func(E)) error {
	if v == nil {
		w.gen.Null()
		return nil
	}
	return w.wrap(class, bare, func() {
		w.gen.Array(len(v))
		for _, e := range v {
			write(e)
		}
		w.gen.EndArray()
	})
}
