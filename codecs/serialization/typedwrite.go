package serialization

import (
	"math/big"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
	"github.com/duequeue/duequeue/codecs/java"
)

var (
	listDesc  = serial.Known(java.ClassArrayList)
	byteArray = serial.Known("[B")
)

// boxDescs are the classes of boxed numbers and booleans.
var boxDescs = func() (all [reflect.Float64 + 1]*serial.Desc) {
	for kind := reflect.Bool; kind <= reflect.Float64; kind++ {
		all[kind] = serial.Known(java.ScalarType(kind).Boxed().Class)
	}
	return all
}()

func writeText(w *writer, _ *node, p memory.Place) bool {
	w.string(*memory.At[string](p))
	return true
}

// writeBox writes a boxed number or boolean.
func writeBox(w *writer, n *node, p memory.Place) bool {
	if n.Type == reflect.TypeFor[java.Char]() {
		return w.Value(*memory.At[java.Char](p))
	}
	constant := boxConstant(n.Kind(), p)
	if w.known(serial.ID{}, constant) {
		return true
	}
	w.byte(tcObject)
	if w.desc(boxDescs[n.Kind()]) != nil {
		return false
	}
	w.remember(serial.ID{}, constant)
	return typed.Append(&w.Out, typed.CodeOf(n.Type), n.Kind(), p, false)
}

// boxConstant returns the value under which Java keeps one box; nil for none.
func boxConstant(kind reflect.Kind, p memory.Place) any {
	switch kind {
	case reflect.Bool:
		return *memory.At[bool](p)
	case reflect.Int8:
		return *memory.At[int8](p)
	case reflect.Int16:
		return serial.Constant(*memory.At[int16](p))
	case reflect.Int32:
		return serial.Constant(*memory.At[int32](p))
	case reflect.Int:
		return serial.Constant(int32(*memory.At[int](p)))
	case reflect.Int64:
		return serial.Constant(*memory.At[int64](p))
	case reflect.Uint8:
		return serial.Constant(int16(*memory.At[uint8](p)))
	case reflect.Uint16:
		return serial.Constant(int32(*memory.At[uint16](p)))
	case reflect.Uint:
		return serial.Constant(int32(*memory.At[uint](p)))
	case reflect.Uint32, reflect.Uint64:
		n, _ := memory.LoadInt(kind, p)
		return serial.Constant(n)
	default:
		return nil
	}
}

func writeEnum(w *writer, n *node, p memory.Place) bool {
	constant := *memory.At[string](p)
	return n.Enum.Ordinal(constant) >= 0 && w.Value(java.Enum{Class: n.Enum.Name, Name: constant})
}

// writeAny writes scalars, and the Go maps and slices that have no type of their own. A
// number is like no other one, even where the interface is the same.
func writeAny(w *writer, n *node, v any) bool {
	switch x := v.(type) {
	case nil, string, *big.Int, java.Date, java.BigDecimal, java.Enum:
		return w.Value(x)
	case bool, int8, int16, int32, int64, float32, float64, java.Char:
		return w.object(x, serial.ID{}, serial.Constant(x)) == nil
	}
	return n.Container(w, v)
}

func listHead(w *writer, _ *node, count int) bool {
	if !w.Enter() || !w.Object(listDesc) {
		return false
	}
	w.uint32(uint32(count))
	w.Out = append(w.Out, tcBlockData, 4)
	w.uint32(uint32(count))
	return true
}

// Integer implements [typed.Writer].
func (w *writer) Integer(class any, n *big.Int) bool {
	if n.BitLen() <= 5 {
		if small := serial.SmallInteger(n); small.IsInt64() {
			return w.Value(small) // perhaps one of Java's constants
		}
	}
	if !w.Object(class) {
		return false
	}
	w.Out = append(w.Out, typed.NotComputed...)
	w.uint32(uint32(int32(n.Sign())))
	w.byte(tcArray)
	if w.desc(byteArray) != nil {
		return false
	}
	w.handle()
	size := (n.BitLen() + 7) / 8
	w.uint32(uint32(size))
	at := len(w.Out)
	w.Out = slices.Grow(w.Out, size)[:at+size]
	n.FillBytes(w.Out[at:])
	w.byte(tcEndBlockData)
	return true
}
