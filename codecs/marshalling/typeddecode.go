package marshalling

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// typed reads one object into *p.
func (d *decoder) typed(n *node, p memory.Place) bool {
	if d.at >= len(d.in) {
		return false
	}
	lead := d.in[d.at]
	d.at++
	return n.read(d, n, p, lead)
}

// reserve takes the next index for an object that is being read.
func (d *decoder) reserve() int { return d.objects.push(object{value: unresolved{}, typed: true}) }

// copyOf resolves a reference to a value that this plan has read before.
func (d *decoder) copyOf(n *node, p memory.Place, lead byte) bool {
	o, ok := d.typedBack(lead)
	if !ok || !o.typed {
		return false
	}
	from := reflect.ValueOf(o.value)
	if from.Kind() != reflect.Pointer || from.Type().Elem() != n.typ {
		return false
	}
	memory.Value(n.typ, p).Set(from.Elem())
	return true
}

func isBack(lead byte) bool {
	return lead == idObjectNear || lead == idObjectNearish || lead == idObjectFar
}

func (d *decoder) typedBack(lead byte) (object, bool) {
	if !isBack(lead) {
		return object{}, false
	}
	i, err := d.reference(lead, d.objects.size)
	if err != nil {
		return object{}, false
	}
	o, name := d.objects.at(i)
	if o == nil {
		return object{text: name}, name != ""
	}
	return *o, true
}

// readAny reads an object over java values.
func readAny(d *decoder, n *node, p memory.Place, lead byte) bool {
	v, err := d.valueAfter(lead)
	if err != nil || v == nil && !n.nils {
		return false
	}
	boxed := &java.Map{Entries: []java.Entry{{Key: "v", Value: v}}}
	return n.any.Assign(boxed, memory.PointerTo(n.box, p)) == nil
}

// readInterface reads what stands under any: scalars as they are, containers as
// plain Go ones.
func readInterface(d *decoder, _ *node, p memory.Place, lead byte) bool {
	v, err := d.valueAfter(lead)
	if err != nil {
		return false
	}
	switch v.(type) {
	case *java.List, *java.Map:
		if isBack(lead) {
			return false // it is one Go value with what it refers to
		}
		v = java.Plain(v)
	}
	*memory.At[any](p) = v
	return true
}

func readString(d *decoder, _ *node, p memory.Place, lead byte) bool {
	switch {
	case lead >= idString && lead <= idStringLarge:
		s, err := d.stringText(lead)
		*memory.At[string](p) = s
		return err == nil
	case lead == idEmptyString:
		*memory.At[string](p) = ""
		return true
	}
	o, ok := d.typedBack(lead)
	if !ok || o.typed || o.text == "" {
		return false
	}
	*memory.At[string](p) = o.text
	return true
}

func readBoxed(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idTrue || lead == idFalse {
		if n.typ.Kind() != reflect.Bool {
			return false
		}
		*memory.At[bool](p) = lead == idTrue
		return true
	}
	if lead < idByteValue || lead > idDoubleValue {
		return false
	}
	return d.store(boxedKinds[lead-idByteValue], n.typ.Kind(), p)
}

// store reads a primitive of the stream into a Go variable that can hold it.
func (d *decoder) store(kind byte, to reflect.Kind, p memory.Place) bool {
	width := widths[kind]
	if len(d.in)-d.at < width {
		return false
	}
	b := d.in[d.at:]
	d.at += width
	switch kind {
	case idLong:
		return storeInt(int64(binary.BigEndian.Uint64(b)), to, p)
	case idInt:
		return storeInt(int64(int32(binary.BigEndian.Uint32(b))), to, p)
	case idBoolean:
		if to == reflect.Bool {
			*memory.At[bool](p) = b[0] != 0
		}
		return to == reflect.Bool
	case idShort:
		return storeInt(int64(int16(binary.BigEndian.Uint16(b))), to, p)
	case idByte:
		return storeInt(int64(int8(b[0])), to, p)
	case idChar:
		if to == reflect.Uint16 {
			*memory.At[uint16](p) = binary.BigEndian.Uint16(b)
		}
		return to == reflect.Uint16
	case idDouble:
		if to == reflect.Float64 {
			*memory.At[float64](p) = math.Float64frombits(binary.BigEndian.Uint64(b))
		}
		return to == reflect.Float64
	case idFloat:
		f := math.Float32frombits(binary.BigEndian.Uint32(b))
		switch to {
		case reflect.Float32:
			*memory.At[float32](p) = f
			return true
		case reflect.Float64:
			*memory.At[float64](p) = float64(f)
			return f == f
		}
	}
	return false
}

// storeInt leaves kinds without sign to the other way: Java has one, char.
func storeInt(v int64, to reflect.Kind, p memory.Place) bool {
	return to <= reflect.Int64 && memory.StoreInt(to, p, v)
}

// readPointer makes the variable before it is read, so that it can be referred
// to from within.
func readPointer(d *decoder, n *node, p memory.Place, lead byte) bool {
	switch {
	case lead == idNull:
		memory.SetPointer(p, nil)
		return true
	case isBack(lead) && n.elem.typ.Kind() != reflect.String:
		o, ok := d.typedBack(lead)
		if ok && o.typed && reflect.TypeOf(o.value) == n.typ {
			memory.SetPointer(p, memory.To(reflect.ValueOf(o.value)))
			return true
		}
		return false
	}
	made := memory.To(reflect.New(n.elem.typ))
	memory.SetPointer(p, made)
	if n.elem.bean != nil {
		return readBeanInto(d, n.elem, made, lead, true)
	}
	return n.elem.read(d, n.elem, made, lead)
}

// readSlice reads lists and arrays whose elements follow their count.
func readSlice(d *decoder, n *node, p memory.Place, lead byte) bool {
	if lead == idNull {
		return true
	}
	if lead < idCollection+1 || lead > idCollection+3 {
		return readOtherList(d, n, p, lead)
	}
	count, err := d.size(lead - idCollection - 1)
	if err != nil {
		return false
	}
	kind, err := d.u8()
	if err != nil {
		return false
	}
	switch kind {
	case idArrayList, idLinkedList, idVector, idStack, idArrayDeque:
	default:
		return false
	}
	index := d.reserve()
	return d.elementsTo(n, p, count) && d.kept(n, p, index)
}

// kept makes the variable that p points to the object of an index.
func (d *decoder) kept(n *node, p memory.Place, index int) bool {
	d.objects.list[index].value = memory.PointerLike(n.pointer, p)
	return true
}

func (d *decoder) elementsTo(n *node, p memory.Place, count int) bool {
	if d.enter(d.at, count, 1) != nil {
		return false
	}
	defer d.leave()
	elem := n.elem
	if n.typ == stringsType {
		out := make([]string, count)
		*memory.At[[]string](p) = out
		for i := range out {
			if !d.typed(elem, memory.Of(&out[i])) {
				return false
			}
		}
		return true
	}
	ahead := count
	if elem.size > 0 {
		ahead = min(count, max(1, maxAhead/int(elem.size)))
	}
	slice := reflect.MakeSlice(n.typ, ahead, ahead)
	for i := range count {
		if i == slice.Len() {
			grown := reflect.MakeSlice(n.typ, min(count, 2*i), min(count, 2*i))
			reflect.Copy(grown, slice)
			slice = grown
		}
		if !d.typed(elem, memory.Item(memory.To(slice), i, elem.size)) {
			return false
		}
	}
	memory.Value(n.typ, p).Set(slice)
	return true
}

// maxAhead bounds the bytes of elements that are made before they are read.
const maxAhead = 64 << 10

var stringsType = reflect.TypeFor[[]string]()
