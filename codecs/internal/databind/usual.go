package databind

import (
	"math"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// usualNode is the part of nodes for the usual values of a leaf, which never are null.
type usualNode struct{}

func (usualNode) null(memory.Place) bool { return false }
func (usualNode) nullable() bool         { return false }
func (usualNode) readAs(*reader, int, memory.Place, place, bool) error {
	return errUnusual // the leaf beside it does
}

// intNode carries Go's integers as one of Java's.
type intNode struct {
	usualNode
	kind   reflect.Kind
	lo, hi int64 // what the Java class holds
}

// wholeBounds are the numbers that Java's classes of them hold.
var wholeBounds = map[string][2]int64{
	"java.lang.Byte": {math.MinInt8, math.MaxInt8}, "java.lang.Short": {math.MinInt16, math.MaxInt16},
	"java.lang.Integer": {math.MinInt32, math.MaxInt32}, "java.lang.Long": {math.MinInt64, math.MaxInt64},
}

func (n *intNode) write(w *writer, p memory.Place) error {
	v, ok := memory.LoadInt(n.kind, p)
	if !ok || v < n.lo || v > n.hi {
		return errUnusual
	}
	w.gen.Int(v)
	return nil
}

func (n *intNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	v := k.Int()
	if k.Kind == token.Int && v >= n.lo && v <= n.hi && memory.StoreInt(n.kind, p, v) {
		return nil
	}
	return errUnusual
}

// floatNode carries float64 as Double and float32 as Float.
type floatNode struct {
	usualNode
	double bool
}

func (n *floatNode) write(w *writer, p memory.Place) error {
	if !n.double {
		w.gen.Float32(*memory.At[float32](p))
		return nil
	}
	v := *memory.At[float64](p)
	if v-v != 0 { // not finite: it may name its class
		return errUnusual
	}
	w.gen.Float64(v)
	return nil
}

// maxExact is the largest whole number up to which a double holds each of them.
const maxExact = 1 << 53

func (n *floatNode) read(r *reader, i int, p memory.Place) error {
	if n.usual(r, &r.toks[i], p) {
		return nil
	}
	return errUnusual
}

func (n *floatNode) usual(r *reader, k *token.Token, p memory.Place) bool {
	switch {
	case k.Kind == token.Int && n.double:
		v := k.Int()
		*memory.At[float64](p) = float64(v)
		return v <= maxExact && v >= -maxExact && (v != 0 || k.Len <= 1) // -0
	case k.Kind != token.Float:
		return false
	case k.Flags&token.FlagLiteral != 0:
		text := r.tape.Text(k)
		if n.double {
			v, err := strconv.ParseFloat(memory.Text(text), 64)
			*memory.At[float64](p) = v
			return err == nil
		}
		v, err := strconv.ParseFloat(memory.Text(text), 32)
		*memory.At[float32](p) = float32(v)
		return err == nil
	}
	v := math.Float64frombits(k.Num)
	if n.double {
		*memory.At[float64](p) = v
		return true
	}
	*memory.At[float32](p) = float32(v)
	return float64(float32(v)) == v
}

// boolNode carries bool.
type boolNode struct{ usualNode }

func (boolNode) write(w *writer, p memory.Place) error {
	w.gen.Bool(*memory.At[bool](p))
	return nil
}

func (boolNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.Bool {
		return errUnusual
	}
	*memory.At[bool](p) = k.Bool()
	return nil
}

// textNode carries strings.
type textNode struct{ usualNode }

func (textNode) write(w *writer, p memory.Place) error {
	return w.text(*memory.At[string](p))
}

func (textNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.String || k.Flags&token.FlagLiteral != 0 {
		return errUnusual
	}
	*memory.At[string](p) = r.text(k)
	return nil
}

// enumNode carries Go enums: named strings by the constant's name, named integers
// by its ordinal.
type enumNode struct {
	usualNode
	kind   reflect.Kind
	names  []string       // of the constants
	byName map[string]int // ordinals
}

func (n *enumNode) null(p memory.Place) bool {
	return n.kind == reflect.String && *memory.At[string](p) == ""
}

func (n *enumNode) nullable() bool { return n.kind == reflect.String }

func (n *enumNode) write(w *writer, p memory.Place) error {
	if n.kind == reflect.String {
		name := *memory.At[string](p)
		if _, known := n.byName[name]; !known {
			return errUnusual
		}
		return w.text(name)
	}
	v, ok := memory.LoadInt(n.kind, p)
	if !ok || v < 0 || v >= int64(len(n.names)) {
		return errUnusual
	}
	return w.text(n.names[v])
}

func (n *enumNode) read(r *reader, i int, p memory.Place) error {
	k := &r.toks[i]
	if k.Kind != token.String {
		return errUnusual
	}
	ordinal, ok := n.byName[string(r.tape.Text(k))]
	switch {
	case !ok:
		return errUnusual
	case n.kind == reflect.String:
		*memory.At[string](p) = n.names[ordinal]
	case !memory.StoreInt(n.kind, p, int64(ordinal)):
		return errUnusual
	}
	return nil
}
