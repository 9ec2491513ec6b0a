package marshalling

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

func writeTime(e *encoder, n *node, p memory.Place) bool {
	t := *memory.At[time.Time](p)
	if t.IsZero() {
		e.u8(idNull)
		return true
	}
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	e.out = append(e.out, idBlockSmall, 8)
	e.u64(uint64(t.UnixMilli()))
	e.u8(idBlockEnd)
	return true
}

func writeUUID(e *encoder, n *node, p memory.Place) bool {
	id := memory.At[java.UUID](p)
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	e.out = append(append(e.out, id[8:]...), id[:8]...)
	return true
}

func writeDecimal(e *encoder, n *node, p memory.Place) bool {
	v := memory.At[java.BigDecimal](p)
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	unscaled := v.Unscaled
	if unscaled == nil {
		unscaled = zero
	}
	if !e.bigInteger(n.key.wire, unscaled) {
		return false
	}
	e.u32(uint32(v.Scale))
	e.u8(idBlockEnd)
	return true
}

var zero = new(big.Int)

// bigInteger writes the digits of a decimal. Small ones are constants in Java.
func (e *encoder) bigInteger(l *levels, v *big.Int) bool {
	var constant serial.ID
	if v.IsInt64() && v.Int64() >= -16 && v.Int64() <= 16 {
		constant = serial.Identity(serial.SmallInteger(v))
		if i, ok := e.objects.lookup(constant); ok {
			e.back(i)
			return true
		}
	}
	e.u8(idNewObject)
	if !e.classOf(l) {
		return false
	}
	e.objects.put(constant, e.size)
	e.size++
	e.out = append(e.out, notComputed...)
	size := (v.BitLen() + 7) / 8
	e.count(idArrayEmpty, size)
	e.u8(idByte)
	e.size++
	start := len(e.out)
	e.out = append(e.out, make([]byte, size)...)
	v.FillBytes(e.out[start:])
	e.u32(uint32(int32(v.Sign())))
	e.u8(idBlockEnd)
	return true
}

// notComputed is what Java writes for bitCount, bitLength, firstNonzeroByteNum
// and lowestSetBit.
var notComputed = []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xfe}

// writeMap writes a Go map as the HashMap that Java fills in sorted key order.
func writeMap(e *encoder, n *node, p memory.Place) bool {
	m := memory.Value(n.typ, p)
	if m.IsNil() {
		e.u8(idNull)
		return true
	}
	if e.again(variable{at: memory.To(m), as: n}) {
		return true
	}
	if n.elem.write == nil || e.enter() != nil {
		return false
	}
	defer e.leave()
	keys := e.mapKeys(m)
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	buckets, threshold := uint32(serial.HashBucketsOf(keys)), uint32(0)
	if len(keys) > 0 {
		threshold = buckets / 4 * 3
	}
	e.u32(0x3f400000) // load factor 0.75
	e.u32(threshold)
	e.out = binary.BigEndian.AppendUint32(append(e.out, idBlockSmall, 8), buckets)
	e.u32(uint32(len(keys)))
	if !e.mapEntries(n, m, keys) {
		return false
	}
	e.u8(idBlockEnd)
	return true
}

// mapKeys returns the keys of a map in Java's order.
func (e *encoder) mapKeys(m reflect.Value) []string {
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

func (e *encoder) mapEntries(n *node, m reflect.Value, keys []string) bool {
	if n.typ == mapType {
		values := m.Interface().(map[string]any)
		for i := range keys {
			v := values[keys[i]]
			if e.string(keys[i]) != nil || !writeInterface(e, n.elem, memory.Of(&v)) {
				return false
			}
		}
		return true
	}
	elem := reflect.New(n.elem.typ)
	for i := range keys {
		elem.Elem().Set(m.MapIndex(reflect.ValueOf(keys[i])))
		if e.string(keys[i]) != nil || !n.elem.write(e, n.elem, memory.To(elem)) {
			return false
		}
	}
	return true
}

// writeInterface writes scalars, and the Go maps and slices that have no type of
// their own.
func writeInterface(e *encoder, n *node, p memory.Place) bool {
	switch v := (*memory.At[any](p)).(type) {
	case nil:
		e.u8(idNull)
		return true
	case string:
		return e.string(v) == nil
	case map[string]any:
		return writeMap(e, n.key, memory.Of(&v))
	case []any:
		return writeSlice(e, n.elem, memory.Of(&v))
	case int:
		e.u8(idIntegerValue)
		e.u32(uint32(v))
		return v == int(int32(v))
	case bool, int8, int16, int32, int64, float32, float64, java.Char:
		return e.scalar(v)
	}
	return false
}
