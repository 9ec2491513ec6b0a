package marshalling

import (
	"encoding/binary"
	"math"

	"github.com/duequeue/duequeue/codecs/java"
)

// sizeAfter reads the count behind the lead byte of an array or collection. Form
// counts from the lead byte of the empty one; the upper four are unshared.
func (d *decoder) sizeAfter(form byte) (n int, unshared bool, err error) {
	if form&3 > 0 {
		n, err = d.size(form&3 - 1)
	}
	return n, form > 3, err
}

// array reads what follows the lead byte at start.
func (d *decoder) array(start int, form byte) (any, error) {
	n, unshared, err := d.sizeAfter(form)
	if err != nil {
		return nil, err
	}
	component, err := d.readClass()
	if err != nil {
		return nil, err
	}
	if component.kind >= idBoolean && component.kind <= idDouble {
		v, failed := d.primitives(start, component.kind, n)
		if failed == nil {
			d.addShared(v, unshared)
		}
		return v, failed
	}
	if component.depth >= maxDimensions && component.kind == idArrayClass || component.kind == idVoid {
		return nil, d.classFault(start, component.name, "there are no arrays of it")
	}
	list := &java.List{Class: arrayName(component.name), Form: componentOf{component}}
	index := d.addShared(list, unshared)
	err = d.elementsInto(start, list, n)
	d.objects.set(index, shared(list, unshared))
	return list, err
}

// addShared gives v the next index, which may be referred to unless unshared.
func (d *decoder) addShared(v any, unshared bool) int {
	return d.objects.push(shared(v, unshared))
}

func shared(v any, unshared bool) object {
	if unshared {
		return object{value: unresolved{}}
	}
	return object{value: v}
}

// elementsInto reads n objects into list.
func (d *decoder) elementsInto(start int, list *java.List, n int) error {
	if err := d.enter(start, n, 1); err != nil {
		return err
	}
	defer d.leave()
	list.Elements = make([]any, 0, n)
	for i := range n {
		v, err := d.value()
		if v != nil || err == nil {
			list.Elements = append(list.Elements, v)
		}
		if err != nil {
			return underIndex(i, err)
		}
	}
	return nil
}

// primitives reads an array of n primitives.
func (d *decoder) primitives(start int, kind byte, n int) (any, error) {
	size := n * widths[kind]
	if kind == idBoolean {
		size = (n + 7) / 8
	}
	if size > d.remaining() {
		return nil, d.fault(start, "%d array elements do not fit into the %d bytes left", n, d.remaining())
	}
	b, err := d.fixed(size)
	if err != nil {
		return nil, err
	}
	switch kind {
	case idBoolean:
		out := make([]bool, n)
		for i := range out {
			out[i] = b[i/8]>>(i%8)&1 != 0
		}
		return out, nil
	case idByte:
		return append(make([]byte, 0, n), b...), nil
	case idShort:
		return wide(n, b, func(b []byte) int16 { return int16(binary.BigEndian.Uint16(b)) }), nil
	case idInt:
		return wide(n, b, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) }), nil
	case idLong:
		return wide(n, b, func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }), nil
	case idChar:
		return wide(n, b, func(b []byte) java.Char { return java.Char(binary.BigEndian.Uint16(b)) }), nil
	case idFloat:
		return wide(n, b, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) }), nil
	}
	return wide(n, b, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }), nil
}

func wide[T any](n int, b []byte, get func(b []byte) T) []T {
	out := make([]T, n)
	if n == 0 {
		return out
	}
	width := len(b) / n
	for i := range out {
		out[i] = get(b[i*width:])
	}
	return out
}
