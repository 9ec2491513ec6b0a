package marshalling

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// levels is a class and its serializable superclasses as bytes.
type levels struct {
	desc  *serial.Desc
	chain []*levelWire // from the class upwards
}

// levelWire is one level as it is written while none of its names is known.
type levelWire struct {
	desc   *serial.Desc
	id     int
	names  []string
	wire   []byte
	shares uint64 // levels that have a name in common with it
}

// wireSet holds the levels of one binding.
type wireSet struct {
	all    []*levelWire
	byDesc map[*serial.Desc]*levels
}

// maxWires bounds the classes that a typed plan can write.
const maxWires = 64

func newWireSet() *wireSet { return &wireSet{byDesc: map[*serial.Desc]*levels{}} }

func (w *wireSet) known(class string) *levels { return w.add(serial.Known(class)) }

// add returns the levels of a class; nil where there are too many.
func (w *wireSet) add(desc *serial.Desc) *levels {
	if l := w.byDesc[desc]; l != nil {
		return l
	}
	l := &levels{desc: desc}
	for up := desc; up != nil; up = up.Super {
		wire := w.level(up)
		if wire == nil {
			return nil
		}
		l.chain = append(l.chain, wire)
	}
	w.byDesc[desc] = l
	return l
}

func (w *wireSet) level(desc *serial.Desc) *levelWire {
	for _, known := range w.all {
		if known.desc.Class == desc.Class {
			return known
		}
	}
	if len(w.all) == maxWires {
		return nil
	}
	e := encoder{}
	l := &levelWire{desc: desc, id: len(w.all)}
	if e.levelHead(desc.Serial) != nil {
		return nil
	}
	l.wire, l.names = e.out, e.levels[0].names
	for _, other := range w.all {
		if slices.ContainsFunc(l.names, func(name string) bool { return slices.Contains(other.names, name) }) {
			l.shares |= 1 << other.id
			other.shares |= 1 << l.id
		}
	}
	w.all = append(w.all, l)
	return l
}

// classOf writes the class of an object.
func (e *encoder) classOf(l *levels) bool {
	for _, level := range l.chain {
		bit := uint64(1) << level.id
		if e.written&bit != 0 {
			e.classBack(e.writtenAt[level.id])
			return true
		}
		e.writtenAt[level.id] = len(e.classes)
		if level.shares&e.written != 0 || e.strings == Equal {
			if e.levelHead(level.desc.Serial) != nil {
				return false
			}
		} else {
			e.out = append(e.out, level.wire...)
			e.classes = append(e.classes, level.desc.Class)
			e.levels = append(e.levels, writtenLevel{names: level.names, first: e.size})
			e.size += len(level.names)
		}
		e.written |= bit
	}
	e.u8(idObjectClass)
	return true
}

func writeString(e *encoder, _ *node, p unsafe.Pointer) bool { return e.string(*(*string)(p)) == nil }

func writeBoxed(e *encoder, n *node, p unsafe.Pointer) bool {
	switch n.typ.Kind() {
	case reflect.Bool:
		return e.scalar(*(*bool)(p))
	case reflect.Int8:
		e.out = append(e.out, idByteValue, *(*byte)(p))
	case reflect.Int16:
		e.u8(idShortValue)
		e.u16(*(*uint16)(p))
	case reflect.Int32:
		e.u8(idIntegerValue)
		e.u32(*(*uint32)(p))
	case reflect.Int:
		v := *(*int)(p)
		e.u8(idIntegerValue)
		e.u32(uint32(v))
		return v == int(int32(v))
	case reflect.Int64:
		e.u8(idLongValue)
		e.u64(*(*uint64)(p))
	case reflect.Uint16: // a java.Char
		e.u8(idCharValue)
		e.u16(*(*uint16)(p))
	case reflect.Float32:
		e.u8(idFloatValue)
		e.u32(floatBits(*(*float32)(p)))
	case reflect.Float64:
		e.u8(idDoubleValue)
		e.u64(doubleBits(*(*float64)(p)))
	default:
		return false
	}
	return true
}

// bare writes a field of a primitive type.
func (e *encoder) bare(kind reflect.Kind, p unsafe.Pointer) bool {
	switch kind {
	case reflect.Bool:
		b := byte(0)
		if *(*bool)(p) {
			b = 1
		}
		e.u8(b)
	case reflect.Int8:
		e.u8(*(*byte)(p))
	case reflect.Int16, reflect.Uint16:
		e.u16(*(*uint16)(p))
	case reflect.Int32:
		e.u32(*(*uint32)(p))
	case reflect.Int:
		v := *(*int)(p)
		e.u32(uint32(v))
		return v == int(int32(v))
	case reflect.Int64:
		e.u64(*(*uint64)(p))
	case reflect.Float32:
		e.u32(floatBits(*(*float32)(p)))
	case reflect.Float64:
		e.u64(doubleBits(*(*float64)(p)))
	default:
		return false
	}
	return true
}

// variable is a Go variable that a pointer, slice or map leads to. It is one
// Java object wherever it occurs. Its node is part of it: a struct and its first
// field have one address.
type variable struct {
	at  unsafe.Pointer
	len int // of a slice
	as  *node
}

// again writes a reference to a variable that was written before. Else the next
// call of took notes it.
func (e *encoder) again(v variable) bool {
	if i, ok := e.variables.lookup(v); ok {
		e.back(i)
		return true
	}
	e.wanted = v
	return false
}

// took gives the object being written the next index.
func (e *encoder) took() {
	if e.wanted.at != nil {
		e.variables.put(e.wanted, e.size)
		e.wanted = variable{}
	}
	e.size++
}

func writePointer(e *encoder, n *node, p unsafe.Pointer) bool {
	at := *(*unsafe.Pointer)(p)
	if at == nil {
		e.u8(idNull)
		return true
	}
	if n.elem.write == nil {
		return false
	}
	if e.again(variable{at: at, as: n.elem}) {
		return true
	}
	done := n.elem.write(e, n.elem, at)
	e.wanted = variable{} // where the value took no index
	return done
}

func writeBean(e *encoder, n *node, p unsafe.Pointer) bool {
	if e.enter() != nil {
		return false
	}
	defer e.leave()
	e.u8(idNewObject)
	if !e.classOf(n.bean.levels) {
		return false
	}
	e.took()
	for _, steps := range n.bean.steps {
		for _, f := range steps {
			at := unsafe.Add(p, f.offset)
			if f.primitive != 0 {
				if !e.bare(f.kind, at) {
					return false
				}
				continue
			}
			if f.node.write == nil || !f.node.write(e, f.node, at) {
				return false
			}
		}
	}
	return true
}

func writeTime(e *encoder, n *node, p unsafe.Pointer) bool {
	t := *(*time.Time)(p)
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

func writeUUID(e *encoder, n *node, p unsafe.Pointer) bool {
	id := (*java.UUID)(p)
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	e.out = append(append(e.out, id[8:]...), id[:8]...)
	return true
}

func writeDecimal(e *encoder, n *node, p unsafe.Pointer) bool {
	v := (*java.BigDecimal)(p)
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

// writeTimeValue writes a value of java.time.
func writeTimeValue(e *encoder, n *node, p unsafe.Pointer) bool {
	wanted, index := e.wanted, e.size
	if e.value(reflect.NewAt(n.typ, p).Elem().Interface()) != nil {
		return false
	}
	if e.size == index+1 {
		e.variables.put(wanted, index)
	}
	return true
}

func writeEnum(e *encoder, n *node, p unsafe.Pointer) bool {
	constant := *(*string)(p)
	return n.enum.Ordinal(constant) >= 0 && e.enum(java.Enum{Class: n.enum.Name, Name: constant}) == nil
}

func writeBytes(e *encoder, _ *node, p unsafe.Pointer) bool {
	_, err := e.primitiveArray(*(*[]byte)(p))
	return err == nil
}

func writePrimitives(e *encoder, n *node, p unsafe.Pointer) bool {
	_, err := e.primitiveArray(reflect.NewAt(n.typ, p).Elem().Interface())
	return err == nil
}

func writeSlice(e *encoder, n *node, p unsafe.Pointer) bool {
	header := (*sliceHeader)(p)
	if header.data == nil {
		e.u8(idNull)
		return true
	}
	if header.n > 0 && e.again(variable{header.data, header.n, n}) {
		return true
	}
	if n.elem.write == nil || e.enter() != nil {
		return false
	}
	defer e.leave()
	e.took()
	e.collectionHead(idArrayList, header.n)
	for i := range header.n {
		if !n.elem.write(e, n.elem, unsafe.Add(header.data, uintptr(i)*n.elem.size)) {
			return false
		}
	}
	return true
}

// sliceHeader is the memory of a slice.
type sliceHeader struct {
	data   unsafe.Pointer
	n, cap int
}

// writeMap writes a Go map as the HashMap that Java fills in sorted key order.
func writeMap(e *encoder, n *node, p unsafe.Pointer) bool {
	m := reflect.NewAt(n.typ, p).Elem()
	if m.IsNil() {
		e.u8(idNull)
		return true
	}
	if e.again(variable{at: m.UnsafePointer(), as: n}) {
		return true
	}
	if n.elem.write == nil || e.enter() != nil {
		return false
	}
	defer e.leave()
	keys := make([]string, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		keys = append(keys, it.Key().String())
	}
	java.HashOrderStrings(keys)
	e.u8(idNewObject)
	if !e.classOf(n.wire) {
		return false
	}
	e.took()
	buckets, threshold := uint32(16), uint32(0)
	for len(keys) > int(buckets)/4*3 {
		buckets *= 2
	}
	if len(keys) > 0 {
		threshold = buckets / 4 * 3
	}
	e.u32(0x3f400000) // load factor 0.75
	e.u32(threshold)
	e.out = binary.BigEndian.AppendUint32(append(e.out, idBlockSmall, 8), buckets)
	e.u32(uint32(len(keys)))
	elem := reflect.New(n.elem.typ)
	for i := range keys {
		if !writeString(e, n.key, unsafe.Pointer(&keys[i])) {
			return false
		}
		elem.Elem().Set(m.MapIndex(reflect.ValueOf(keys[i])))
		if !n.elem.write(e, n.elem, elem.UnsafePointer()) {
			return false
		}
	}
	e.u8(idBlockEnd)
	return true
}
