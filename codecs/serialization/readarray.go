package serialization

import (
	"encoding/binary"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// array reads an array behind its tag.
func (r *reader) array(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil || len(d.Class) < 2 || d.Class[0] != '[' {
		return nil, r.fail(start, "an array has no class, or one that is no array")
	}
	h := r.push(handle{})
	n, err := r.int32()
	if err != nil {
		return nil, err
	}
	size := 1
	if len(d.Class) == 2 {
		size = width(d.Class[1])
	}
	if n < 0 || int64(n)*int64(size) > int64(len(r.In)-r.At) {
		return nil, classed(d.Class, r.fail(start, "an array of %d elements does not fit into the payload", n))
	}
	if len(d.Class) == 2 {
		b, _ := r.take(int(n) * size)
		v := primitives(d.Class[1], b)
		if v == nil {
			return nil, r.fail(start, "%q is no array class", d.Class)
		}
		r.handles[h] = handle{kind: valueHandle, value: v}
		return v, nil
	}
	list := &java.List{Class: d.Class, Form: serial.ArrayForm(d)}
	r.handles[h] = handle{kind: valueHandle, value: list}
	for i := range int(n) {
		if err = r.charge(1); err != nil {
			return nil, classed(d.Class, err)
		}
		v, err := r.value()
		if err != nil {
			return nil, underDecode(index(i), classed(d.Class, err))
		}
		list.Elements = append(list.Elements, v)
	}
	return list, nil
}

// primitives makes the slice of an array's bytes; nil for an unknown type.
func primitives(code byte, b []byte) any {
	switch code {
	case 'Z':
		return each(b, 1, func(b []byte) bool { return b[0] != 0 })
	case 'B':
		return append([]byte{}, b...)
	case 'S':
		return each(b, 2, func(b []byte) int16 { return int16(binary.BigEndian.Uint16(b)) })
	case 'C':
		return each(b, 2, func(b []byte) java.Char { return java.Char(binary.BigEndian.Uint16(b)) })
	case 'I':
		return each(b, 4, func(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) })
	case 'F':
		return each(b, 4, func(b []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(b)) })
	case 'J':
		return each(b, 8, func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) })
	case 'D':
		return each(b, 8, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) })
	}
	return nil
}

func each[T any](b []byte, size int, read func(b []byte) T) []T {
	out := make([]T, len(b)/size)
	for i := range out {
		out[i] = read(b[i*size:])
	}
	return out
}
