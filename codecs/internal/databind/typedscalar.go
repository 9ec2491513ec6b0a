package databind

import (
	"math"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// intNode carries Go's integers as one of Java's.
type intNode struct {
	kind   reflect.Kind
	lo, hi int64 // what the Java class holds
}

// wholeBounds are the numbers that Java's classes of them hold.
var wholeBounds = map[string][2]int64{
	"java.lang.Byte": {math.MinInt8, math.MaxInt8}, "java.lang.Short": {math.MinInt16, math.MaxInt16},
	"java.lang.Integer": {math.MinInt32, math.MaxInt32}, "java.lang.Long": {math.MinInt64, math.MaxInt64},
}

func (n *intNode) null(memory.Place) bool { return false }
func (n *intNode) nullable() bool         { return false }

func (n *intNode) write(w *typedWriter, p memory.Place) bool {
	v, ok := memory.LoadInt(n.kind, p)
	if !ok || v < n.lo || v > n.hi {
		return false
	}
	w.g.Int(v)
	return true
}

func (n *intNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	v := k.Int()
	return k.Kind == token.Int && v >= n.lo && v <= n.hi && memory.StoreInt(n.kind, p, v)
}

// floatNode carries float64 as Double and float32 as Float.
type floatNode struct{ double bool }

func (n *floatNode) null(memory.Place) bool { return false }
func (n *floatNode) nullable() bool         { return false }

func (n *floatNode) write(w *typedWriter, p memory.Place) bool {
	if !n.double {
		v := *memory.At[float32](p)
		if v-v != 0 { // not finite: formats differ
			return false
		}
		w.g.Float32(v)
		return true
	}
	v := *memory.At[float64](p)
	if v-v != 0 {
		return false
	}
	w.g.Float64(v)
	return true
}

// maxExact is the largest whole number up to which a double holds each of them.
const maxExact = 1 << 53

func (n *floatNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
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
type boolNode struct{}

func (boolNode) null(memory.Place) bool { return false }
func (boolNode) nullable() bool         { return false }

func (boolNode) write(w *typedWriter, p memory.Place) bool {
	w.g.Bool(*memory.At[bool](p))
	return true
}

func (boolNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	*memory.At[bool](p) = k.Bool()
	return k.Kind == token.Bool
}

// textNode carries strings.
type textNode struct{}

func (textNode) null(memory.Place) bool { return false }
func (textNode) nullable() bool         { return false }

func (textNode) write(w *typedWriter, p memory.Place) bool {
	return w.g.String(*memory.At[string](p)) == nil
}

func (textNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind != token.String || k.Flags&token.FlagLiteral != 0 {
		return false
	}
	*memory.At[string](p) = r.text(k)
	return true
}

// pointerNode carries pointers: nil is null.
type pointerNode struct {
	elem reflect.Type
	kind reflect.Kind // of elem
	node typedNode
	// struc says that elem is a struct with fields, which names its class itself.
	struc bool
}

func (n *pointerNode) nullable() bool { return true }

// null looks through the pointer too: what it points to may be null in Java.
func (n *pointerNode) null(p memory.Place) bool {
	to := memory.Pointee(p)
	return to == nil || n.node.null(to)
}

func (n *pointerNode) write(w *typedWriter, p memory.Place) bool {
	w.left -= 8
	return n.node.write(w, memory.Pointee(p))
}

func (n *pointerNode) read(r *typedReader, i int, p memory.Place) bool {
	to := memory.New(n.elem, n.kind)
	memory.SetPointer(p, to)
	return n.node.read(r, i, to)
}

// enumNode carries Go enums: named strings by the constant's name, named integers
// by its ordinal.
type enumNode struct {
	kind   reflect.Kind
	names  []string       // of the constants
	byName map[string]int // ordinals
}

func (n *enumNode) null(p memory.Place) bool {
	return n.kind == reflect.String && *memory.At[string](p) == ""
}

func (n *enumNode) nullable() bool { return n.kind == reflect.String }

func (n *enumNode) write(w *typedWriter, p memory.Place) bool {
	if n.kind == reflect.String {
		name := *memory.At[string](p)
		_, known := n.byName[name]
		return known && w.g.String(name) == nil
	}
	v, ok := memory.LoadInt(n.kind, p)
	return ok && v >= 0 && v < int64(len(n.names)) && w.g.String(n.names[v]) == nil
}

func (n *enumNode) read(r *typedReader, i int, p memory.Place) bool {
	k := &r.toks[i]
	if k.Kind != token.String {
		return false
	}
	ordinal, ok := n.byName[string(r.tape.Text(k))]
	if !ok {
		return false
	}
	if n.kind == reflect.String {
		*memory.At[string](p) = n.names[ordinal]
		return true
	}
	return memory.StoreInt(n.kind, p, int64(ordinal))
}
