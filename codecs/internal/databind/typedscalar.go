package databind

import (
	"math"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/token"
)

// storeInt stores v in the integer variable of that kind at p; false where it does
// not fit.
func storeInt(kind reflect.Kind, p place, v int64) bool {
	switch kind {
	case reflect.Int64:
		*load[int64](p) = v
		return true
	case reflect.Int:
		*load[int](p) = int(v)
		return int64(int(v)) == v
	case reflect.Int32:
		*load[int32](p) = int32(v)
		return int64(int32(v)) == v
	case reflect.Int16:
		*load[int16](p) = int16(v)
		return int64(int16(v)) == v
	case reflect.Int8:
		*load[int8](p) = int8(v)
		return int64(int8(v)) == v
	}
	return v >= 0 && storeUint(kind, p, uint64(v))
}

func storeUint(kind reflect.Kind, p place, v uint64) bool {
	switch kind {
	case reflect.Uint8:
		*load[uint8](p) = uint8(v)
		return uint64(uint8(v)) == v
	case reflect.Uint16:
		*load[uint16](p) = uint16(v)
		return uint64(uint16(v)) == v
	case reflect.Uint32:
		*load[uint32](p) = uint32(v)
		return uint64(uint32(v)) == v
	case reflect.Uint64:
		*load[uint64](p) = v
		return true
	case reflect.Uint:
		*load[uint](p) = uint(v)
		return uint64(uint(v)) == v
	}
	return false
}

// loadInt returns the integer at p; false where Java has no such number.
func loadInt(kind reflect.Kind, p place) (int64, bool) {
	switch kind {
	case reflect.Int64:
		return *load[int64](p), true
	case reflect.Int:
		return int64(*load[int](p)), true
	case reflect.Int32:
		return int64(*load[int32](p)), true
	case reflect.Int16:
		return int64(*load[int16](p)), true
	case reflect.Int8:
		return int64(*load[int8](p)), true
	case reflect.Uint8:
		return int64(*load[uint8](p)), true
	case reflect.Uint16:
		return int64(*load[uint16](p)), true
	case reflect.Uint32:
		return int64(*load[uint32](p)), true
	case reflect.Uint64:
		v := *load[uint64](p)
		return int64(v), v <= math.MaxInt64
	case reflect.Uint:
		v := *load[uint](p)
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

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

func (n *intNode) null(place) bool { return false }
func (n *intNode) nullable() bool  { return false }

func (n *intNode) write(w *typedWriter, p place) bool {
	v, ok := loadInt(n.kind, p)
	if !ok || v < n.lo || v > n.hi {
		return false
	}
	w.g.Int(v)
	return true
}

func (n *intNode) read(r *typedReader, i int, p place) bool {
	k := &r.toks[i]
	v := k.Int()
	return k.Kind == token.Int && v >= n.lo && v <= n.hi && storeInt(n.kind, p, v)
}

// floatNode carries float64 as Double and float32 as Float.
type floatNode struct{ double bool }

func (n *floatNode) null(place) bool { return false }
func (n *floatNode) nullable() bool  { return false }

func (n *floatNode) write(w *typedWriter, p place) bool {
	if !n.double {
		v := *load[float32](p)
		if v-v != 0 { // not finite: formats differ
			return false
		}
		w.g.Float32(v)
		return true
	}
	v := *load[float64](p)
	if v-v != 0 {
		return false
	}
	w.g.Float64(v)
	return true
}

// maxExact is the largest whole number up to which a double holds each of them.
const maxExact = 1 << 53

func (n *floatNode) read(r *typedReader, i int, p place) bool {
	k := &r.toks[i]
	switch {
	case k.Kind == token.Int && n.double:
		v := k.Int()
		*load[float64](p) = float64(v)
		return v <= maxExact && v >= -maxExact && (v != 0 || k.Len <= 1) // -0
	case k.Kind != token.Float:
		return false
	case k.Flags&token.FlagLiteral != 0:
		text := r.tape.Text(k)
		if n.double {
			v, err := strconv.ParseFloat(textOf(text), 64)
			*load[float64](p) = v
			return err == nil
		}
		v, err := strconv.ParseFloat(textOf(text), 32)
		*load[float32](p) = float32(v)
		return err == nil
	}
	v := math.Float64frombits(k.Num)
	if n.double {
		*load[float64](p) = v
		return true
	}
	*load[float32](p) = float32(v)
	return float64(float32(v)) == v
}

// boolNode carries bool.
type boolNode struct{}

func (boolNode) null(place) bool { return false }
func (boolNode) nullable() bool  { return false }

func (boolNode) write(w *typedWriter, p place) bool {
	w.g.Bool(*load[bool](p))
	return true
}

func (boolNode) read(r *typedReader, i int, p place) bool {
	k := &r.toks[i]
	*load[bool](p) = k.Bool()
	return k.Kind == token.Bool
}

// textNode carries strings.
type textNode struct{}

func (textNode) null(place) bool { return false }
func (textNode) nullable() bool  { return false }

func (textNode) write(w *typedWriter, p place) bool { return w.g.String(*load[string](p)) == nil }

func (textNode) read(r *typedReader, i int, p place) bool {
	k := &r.toks[i]
	if k.Kind != token.String || k.Flags&token.FlagLiteral != 0 {
		return false
	}
	*load[string](p) = r.text(k)
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
func (n *pointerNode) null(p place) bool {
	to := pointee(p)
	return to == nil || n.node.null(to)
}

func (n *pointerNode) write(w *typedWriter, p place) bool {
	w.left -= 8
	return n.node.write(w, pointee(p))
}

func (n *pointerNode) read(r *typedReader, i int, p place) bool {
	to := freshOf(n.elem, n.kind)
	setPointer(p, to)
	return n.node.read(r, i, to)
}

// enumNode carries Go enums: named strings by the constant's name, named integers
// by its ordinal.
type enumNode struct {
	kind   reflect.Kind
	names  []string       // of the constants
	byName map[string]int // ordinals
}

func (n *enumNode) null(p place) bool {
	return n.kind == reflect.String && *load[string](p) == ""
}

func (n *enumNode) nullable() bool { return n.kind == reflect.String }

func (n *enumNode) write(w *typedWriter, p place) bool {
	if n.kind == reflect.String {
		name := *load[string](p)
		_, known := n.byName[name]
		return known && w.g.String(name) == nil
	}
	v, ok := loadInt(n.kind, p)
	return ok && v >= 0 && v < int64(len(n.names)) && w.g.String(n.names[v]) == nil
}

func (n *enumNode) read(r *typedReader, i int, p place) bool {
	k := &r.toks[i]
	if k.Kind != token.String {
		return false
	}
	ordinal, ok := n.byName[string(r.tape.Text(k))]
	if !ok {
		return false
	}
	if n.kind == reflect.String {
		*load[string](p) = n.names[ordinal]
		return true
	}
	return storeInt(n.kind, p, int64(ordinal))
}
