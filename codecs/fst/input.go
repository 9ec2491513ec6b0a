package fst

import (
	"math"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// fixed reads a number of n bytes, little endian as all numbers of FST.
func (d *decoder) fixed(n int) (v uint64, err error) {
	b, err := d.Take(n)
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v, err
}

// Escapes before numbers that need more than one byte: 2, 4 and 8.
const (
	escape16 = 0x80
	escape32 = 0x81
	escape64 = 0x82
)

// int32 reads an FInt.
func (d *decoder) int32() (int32, error) {
	v, err := d.number(escape32)
	return int32(v), err
}

// int64 reads an FLong.
func (d *decoder) int64() (int64, error) { return d.number(escape64) }

// number reads a number before which stands none of the escapes above last.
func (d *decoder) number(last byte) (int64, error) {
	b, err := d.Byte()
	if err != nil || b < escape16 || b > last {
		return int64(int8(b)), err
	}
	n := 2 << (b - escape16)
	v, err := d.fixed(n)
	unused := 64 - 8*n
	return int64(v<<unused) >> unused, err
}

// unit reads an FShort or FChar.
func (d *decoder) unit() (uint16, error) {
	b, err := d.Byte()
	if err != nil || b != 0xff {
		return uint16(b), err
	}
	v, err := d.fixed(2)
	return uint16(v), err
}

func (d *decoder) float32() (float32, error) {
	v, err := d.fixed(4)
	return math.Float32frombits(uint32(v)), err
}

func (d *decoder) float64() (float64, error) {
	v, err := d.fixed(8)
	return math.Float64frombits(v), err
}

// count reads a length of parts that take at least width bytes each.
func (d *decoder) count(width int) (int, error) {
	start := d.At
	n, err := d.int32()
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, d.Fail(start, "the length %d is negative", n)
	case int64(n)*int64(width) > int64(d.Remaining()):
		return 0, d.Fail(start, "the length %d is more than the %d bytes that follow can hold", n, d.Remaining())
	}
	return int(n), nil
}

// text reads a string: a count of UTF-16 units, then each unit.
func (d *decoder) text() (string, error) {
	start := d.At
	n, err := d.count(1)
	if err != nil {
		return "", err
	}
	if n > d.Limits.StringBytes {
		return "", d.tooLong(start)
	}
	body := d.In[d.At : d.At+n]
	for _, b := range body {
		if b >= utf8.RuneSelf {
			return d.wide(start, n)
		}
	}
	d.At += n
	return string(body), nil
}

func (d *decoder) tooLong(start int) error {
	return d.Fail(start, "a string of more than %d bytes: raise Limits.StringBytes if that is right", d.Limits.StringBytes)
}

// wide reads n units of a string that is not ASCII. Lone surrogates take the
// three bytes that package java gives them.
func (d *decoder) wide(start, n int) (string, error) {
	out := make([]byte, 0, min(n+n/2, 1<<16))
	for range n {
		u, err := d.unit()
		if err != nil {
			return "", err
		}
		if out = javatext.AppendUnit(out, 0, u); len(out) > d.Limits.StringBytes {
			return "", d.tooLong(start)
		}
	}
	return string(out), nil
}
