package fst

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// array reads length and elements. Elements of an array of objects are never
// written as the declared class, save where the field itself is declared as a
// class that an element has: FST hands the field's type down.
func (d *decoder) array(c *class, at int, declared string) (any, error) {
	start := d.At
	n, err := d.int32()
	switch {
	case err != nil:
		return nil, err
	case n == -1:
		return nil, nil
	case n < 0:
		return nil, d.Fail(start, "the length %d is negative", n)
	case c.dims > 1:
		return d.nested(c, at, start, int(n))
	}
	if _, primitive := jdk.Primitives[c.elem]; primitive {
		v, bad := d.primitives(c.elem, start, int(n))
		if bad != nil {
			return nil, bad
		}
		d.reserve(at, v)
		return v, nil
	}
	list, err := d.newArray(c, at, start, int(n), 1)
	if err != nil {
		return nil, err
	}
	return list, d.elements(list, int(n), func() (any, error) { return d.object(declared) })
}

func (d *decoder) newArray(c *class, at, start, n, width int) (*java.List, error) {
	if n > d.Remaining()/width {
		return nil, d.Fail(start, "the length %d is more than the %d bytes that follow can hold", n, d.Remaining())
	}
	list := &java.List{Class: c.name}
	d.reserve(at, list)
	return list, nil
}

// nested reads an array of arrays: these have no tags, and null is an Object[]
// or Object of length -1.
func (d *decoder) nested(c *class, at, start, n int) (any, error) {
	list, err := d.newArray(c, at, start, n, 2)
	if err != nil {
		return nil, err
	}
	if err = d.Enter(start); err != nil {
		return nil, err
	}
	defer d.Leave()
	return list, d.elements(list, n, d.inner)
}

func (d *decoder) inner() (any, error) {
	start := d.At
	if err := d.Charge(d.At, 1, 0); err != nil {
		return nil, err
	}
	c, err := d.class()
	if err != nil {
		return nil, err
	}
	if c.dims > 0 {
		return d.array(c, start, "")
	}
	if n, err := d.int32(); err != nil || n == -1 {
		return nil, err
	}
	return nil, d.Fail(start, "%s where an array of arrays holds one: another codec", c.name)
}

var widths = map[string]int{"boolean": 1, "byte": 1, "char": 1, "short": 1, "int": 4, "float": 4, "long": 8, "double": 8}

func (d *decoder) primitives(elem string, start, n int) (any, error) {
	width := widths[elem]
	if n > d.Remaining()/width {
		return nil, d.Fail(start, "the length %d is more than the %d bytes that follow can hold", n, d.Remaining())
	}
	if elem == "char" || elem == "short" {
		return d.units(elem, n)
	}
	b, err := d.Take(n * width)
	if err != nil {
		return nil, err
	}
	switch elem {
	case "byte":
		return append(make([]byte, 0, n), b...), nil
	case "boolean":
		if i := bytes.IndexFunc(b, func(r rune) bool { return r > 1 }); i >= 0 {
			return nil, d.Fail(d.At-n+i, "a boolean is neither 0 nor 1: another codec")
		}
		return fill(n, func(i int) bool { return b[i] == 1 }), nil
	case "int":
		return fill(n, func(i int) int32 { return int32(binary.LittleEndian.Uint32(b[4*i:])) }), nil
	case "float":
		return fill(n, func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }), nil
	case "long":
		return fill(n, func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }), nil
	}
	return fill(n, func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }), nil
}

func fill[T any](n int, at func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

func (d *decoder) units(elem string, n int) (any, error) {
	out := make([]uint16, n)
	for i := range out {
		u, err := d.unit()
		if err != nil {
			return nil, err
		}
		out[i] = u
	}
	if elem == "short" {
		return fill(n, func(i int) int16 { return int16(out[i]) }), nil
	}
	return fill(n, func(i int) java.Char { return java.Char(out[i]) }), nil
}
