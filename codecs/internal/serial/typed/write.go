package typed

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// null writes null.
func (n *Node[R, W]) null(w W) bool {
	o := w.Output()
	o.Out = append(o.Out, n.format.Null)
	return true
}

// writeOwn writes a value of package java.
func writeOwn[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	if (n.kind == reflect.Pointer || n.kind == reflect.Slice) && memory.Pointee(p) == nil {
		return n.null(w)
	}
	return w.Value(memory.Value(n.Type, p).Interface())
}

func writePointer[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	at, elem := memory.Pointee(p), n.Elem
	switch {
	case at == nil:
		return n.null(w)
	case elem.Write == nil:
		return false
	case n.shared:
		if w.Again(Variable{At: at, Len: -1, Node: elem.id}) {
			return true
		}
		if elem.Bean != nil {
			return writeBean(w, elem, at)
		}
		done := elem.Write(w, elem, at)
		w.Unwanted()
		return done
	}
	return elem.Write(w, elem, at)
}

func writeTime[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	t := *memory.At[time.Time](p)
	if t.IsZero() {
		return n.null(w)
	}
	if !w.Object(n.Class) {
		return false
	}
	o := w.Output()
	o.Out = binary.BigEndian.AppendUint64(append(o.Out, n.format.Block, 8), uint64(t.UnixMilli()))
	o.Out = append(o.Out, n.format.End)
	return true
}

func writeInstant[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	t := *memory.At[time.Time](p)
	if t.IsZero() {
		return n.null(w)
	}
	return w.Value(java.Instant{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())})
}

func writeUUID[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	if !w.Object(n.Class) {
		return false
	}
	id, o := memory.At[java.UUID](p), w.Output()
	o.Out = append(append(o.Out, id[8:]...), id[:8]...)
	return true
}

var zero = new(big.Int)

func writeDecimal[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	if !w.Object(n.Class) {
		return false
	}
	v, o := memory.At[java.BigDecimal](p), w.Output()
	if n.format.ScaleFirst {
		o.Out = binary.BigEndian.AppendUint32(o.Out, uint32(v.Scale))
	}
	unscaled := v.Unscaled
	if unscaled == nil {
		unscaled = zero
	}
	if !w.Integer(n.digits, unscaled) {
		return false
	}
	if !n.format.ScaleFirst {
		o.Out = binary.BigEndian.AppendUint32(o.Out, uint32(v.Scale))
	}
	o.Out = append(o.Out, n.format.End)
	return true
}

// NotComputed is what Java writes for bitCount, bitLength, firstNonzeroByteNum and
// lowestSetBit of a BigInteger.
const NotComputed = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff\xfe"

func writeSlice[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	return n.writeSlice(w, memory.Pointee(p), memory.Len(p))
}

// writeSlice writes the elements at data as an ArrayList.
func (n *Node[R, W]) writeSlice(w W, data place, count int) bool {
	elem := n.Elem
	if data == nil {
		return n.null(w)
	}
	if count > 0 && elem.size > 0 && w.Again(Variable{data, count, n.id}) {
		return true
	}
	if elem.Write == nil || !n.format.ListHead(w, n, count) {
		return false
	}
	write, size := elem.Write, elem.size
	for i := range count {
		if !write(w, elem, memory.Item(data, i, size)) {
			return false
		}
	}
	if n.format.ListEnd {
		o := w.Output()
		o.Out = append(o.Out, n.format.End)
	}
	w.Output().Leave()
	return true
}

func writeAny[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	return n.format.WriteAny(w, n, *memory.At[any](p))
}

// Container writes what is no scalar under any: the Go maps and slices that have no
// type of their own.
func (n *Node[R, W]) Container(w W, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return n.Key.writeMap(w, reflect.ValueOf(v))
	case []any:
		return n.Elem.writeSlice(w, memory.SliceAt(v), len(v))
	}
	return false
}

func writeMap[R Reader, W Writer](w W, n *Node[R, W], p place) bool {
	return n.writeMap(w, memory.Value(n.Type, p))
}

// writeMap writes a Go map as the HashMap that Java fills in sorted key order.
func (n *Node[R, W]) writeMap(w W, m reflect.Value) bool {
	if m.IsNil() {
		return n.null(w)
	}
	if w.Again(Variable{At: memory.To(m), Len: -1, Node: n.id}) {
		return true
	}
	o := w.Output()
	if n.Elem.Write == nil || !o.Enter() || !w.Object(n.Class) {
		return false
	}
	keys := mapKeys(m)
	buckets, threshold := uint32(serial.HashBucketsOf(keys)), uint32(0)
	if len(keys) > 0 {
		threshold = buckets / 4 * 3
	}
	o.Out = binary.BigEndian.AppendUint32(o.Out, 0x3f400000) // load factor 0.75
	o.Out = binary.BigEndian.AppendUint32(o.Out, threshold)
	o.Out = binary.BigEndian.AppendUint32(append(o.Out, n.format.Block, 8), buckets)
	o.Out = binary.BigEndian.AppendUint32(o.Out, uint32(len(keys)))
	if !writeEntries(w, n, m, keys) {
		return false
	}
	o.Out = append(o.Out, n.format.End)
	o.Leave()
	return true
}

// mapKeys returns the keys of a map in Java's order.
func mapKeys(m reflect.Value) []string {
	keys := make([]string, 0, m.Len())
	if m.Type() == mapType {
		for k := range m.Interface().(map[string]any) {
			keys = append(keys, k)
		}
	} else {
		for it := m.MapRange(); it.Next(); {
			keys = append(keys, it.Key().String())
		}
	}
	java.HashOrderStrings(keys)
	return keys
}

func writeEntries[R Reader, W Writer](w W, n *Node[R, W], m reflect.Value, keys []string) bool {
	if n.Type == mapType {
		values := m.Interface().(map[string]any)
		for i := range keys {
			if !w.Text(keys[i]) || !n.format.WriteAny(w, n.Elem, values[keys[i]]) {
				return false
			}
		}
		return true
	}
	elem := reflect.New(n.Elem.Type)
	for i := range keys {
		elem.Elem().Set(m.MapIndex(reflect.ValueOf(keys[i])))
		if !w.Text(keys[i]) || !n.Elem.Write(w, n.Elem, memory.To(elem)) {
			return false
		}
	}
	return true
}
