package fst

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
)

// input reads FST's numbers and texts, all little endian.
type input struct {
	in     []byte
	at     int
	limits codecs.Limits
}

func (d *input) remaining() int { return len(d.in) - d.at }

func (d *input) fault(at int, format string, args ...any) error {
	return &codecs.DecodeError{Codec: name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

func (d *input) short(n int) error {
	return d.fault(d.at, "the payload ends where %d more bytes belong", n)
}

func (d *input) byte() (byte, error) {
	if d.at >= len(d.in) {
		return 0, d.short(1)
	}
	d.at++
	return d.in[d.at-1], nil
}

// take returns the next n bytes, which stay part of the payload.
func (d *input) take(n int) ([]byte, error) {
	if n > d.remaining() {
		return nil, d.short(n)
	}
	d.at += n
	return d.in[d.at-n : d.at], nil
}

func (d *input) fixed16() (uint16, error) {
	b, err := d.take(2)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint16(b), nil
}

func (d *input) fixed32() (uint32, error) {
	b, err := d.take(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (d *input) fixed64() (uint64, error) {
	b, err := d.take(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// Escapes before numbers that need more than one byte.
const (
	escape16 = 0x80
	escape32 = 0x81
	escape64 = 0x82
)

// int32 reads an FInt.
func (d *input) int32() (int32, error) {
	b, err := d.byte()
	if err != nil {
		return 0, err
	}
	switch b {
	case escape16:
		v, err := d.fixed16()
		return int32(int16(v)), err
	case escape32:
		v, err := d.fixed32()
		return int32(v), err
	}
	return int32(int8(b)), nil
}

// int64 reads an FLong.
func (d *input) int64() (int64, error) {
	b, err := d.byte()
	if err != nil {
		return 0, err
	}
	switch b {
	case escape16:
		v, err := d.fixed16()
		return int64(int16(v)), err
	case escape32:
		v, err := d.fixed32()
		return int64(int32(v)), err
	case escape64:
		v, err := d.fixed64()
		return int64(v), err
	}
	return int64(int8(b)), nil
}

// unit reads an FShort or FChar.
func (d *input) unit() (uint16, error) {
	b, err := d.byte()
	if err != nil || b != 0xff {
		return uint16(b), err
	}
	return d.fixed16()
}

func (d *input) float32() (float32, error) {
	v, err := d.fixed32()
	return math.Float32frombits(v), err
}

func (d *input) float64() (float64, error) {
	v, err := d.fixed64()
	return math.Float64frombits(v), err
}

// count reads a length of parts that take at least width bytes each.
func (d *input) count(width int) (int, error) {
	start := d.at
	n, err := d.int32()
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, d.fault(start, "the length %d is negative", n)
	case int64(n)*int64(width) > int64(d.remaining()):
		return 0, d.fault(start, "the length %d is more than the %d bytes that follow can hold", n, d.remaining())
	}
	return int(n), nil
}

// text reads a string: a count of UTF-16 units, then each unit.
func (d *input) text() (string, error) {
	start := d.at
	n, err := d.count(1)
	if err != nil {
		return "", err
	}
	if n > d.limits.StringBytes {
		return "", d.tooLong(start)
	}
	body := d.in[d.at : d.at+n]
	for _, b := range body {
		if b >= utf8.RuneSelf {
			return d.wide(start, n)
		}
	}
	d.at += n
	return string(body), nil
}

func (d *input) tooLong(start int) error {
	return d.fault(start, "a string of more than %d bytes: raise Limits.StringBytes if that is right", d.limits.StringBytes)
}

// wide reads n units of a string that is not ASCII. Lone surrogates take the
// three bytes that package java gives them.
func (d *input) wide(start, n int) (string, error) {
	out := make([]byte, 0, min(n+n/2, 1<<16))
	high := rune(-1)
	for range n {
		u, err := d.unit()
		if err != nil {
			return "", err
		}
		r := rune(u)
		switch {
		case high >= 0 && r >= 0xdc00 && r < 0xe000:
			out = utf8.AppendRune(out[:len(out)-3], 0x10000+(high-0xd800)<<10+r-0xdc00)
			r = -1
		case r >= 0xd800 && r < 0xe000:
			out = append(out, 0xed, 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
		default:
			out = utf8.AppendRune(out, r)
		}
		high = -1
		if r >= 0xd800 && r < 0xdc00 {
			high = r
		}
		if len(out) > d.limits.StringBytes {
			return "", d.tooLong(start)
		}
	}
	return string(out), nil
}
