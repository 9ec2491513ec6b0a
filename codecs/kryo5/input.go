package kryo5

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// decoder reads one payload. It is used by one goroutine at a time.
type decoder struct {
	universe   *universe
	known      *catalog // of the universe
	limits     codecs.Limits
	references bool

	tree     *tree
	world    *world
	in       []byte
	at       int
	depth    int
	elements int               // budget left
	classes  []*class          // in the order of their name ids
	made     map[string]*class // of arrays and others that are not in the world
	met      []string          // classes with several descriptions in the payload
	scratch  []byte
	scope    layout.Scope
	objects  objects
	streams  streams
	pairs    []pair // entries of the maps being read
	chunk    []byte // copy of the payload from chunkAt to chunkEnd, for short strings
	chunkAt  int
	chunkEnd int
	boxes    memory.Boxes // of strings under any
}

// reset begins a payload. The decoder is clean.
func (d *decoder) reset(payload []byte, t *tree) {
	d.in, d.at, d.depth = payload, 0, 0
	d.elements, d.tree, d.world = d.limits.Of(len(payload)).Elements, t, t.world
	d.scope.Reset(t.world.finder)
}

// clean drops what was read, so that a pool never keeps payloads alive.
func (d *decoder) clean() {
	d.in, d.chunk, d.chunkEnd = nil, nil, 0
	d.boxes = memory.Boxes{}
	d.classes, d.met, d.scratch = d.classes[:0], d.met[:0], d.scratch[:0]
	if len(d.pairs) > 0 { // after an error; what lies above is clear
		clear(d.pairs)
		d.pairs = d.pairs[:0]
	}
	if len(d.made) > 0 {
		clear(d.made)
	}
	d.objects.reset()
	d.streams.reset()
}

func (d *decoder) remaining() int { return len(d.in) - d.at }

// fault returns the error for the bytes at offset at.
func (d *decoder) fault(at int, format string, args ...any) error {
	return &codecs.DecodeError{Codec: name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// faultIn is fault for what is wrong with a value of class c.
func (d *decoder) faultIn(c *class, at int, format string, args ...any) error {
	return &codecs.DecodeError{Codec: name, Class: c.name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

//go:noinline
func (d *decoder) ended() error {
	return d.fault(len(d.in), "the payload ends in the middle of a value")
}

func (d *decoder) byte() (byte, error) {
	if d.at >= len(d.in) {
		return 0, d.ended()
	}
	b := d.in[d.at]
	d.at++
	return b, nil
}

// flag reads a byte that is 0 or 1.
func (d *decoder) flag() (bool, error) {
	if d.at < len(d.in) && d.in[d.at] <= 1 {
		d.at++
		return d.in[d.at-1] == 1, nil
	}
	return false, d.noFlag()
}

func (d *decoder) noFlag() error {
	b, err := d.byte()
	if err == nil {
		err = d.fault(d.at-1, "flag byte 0x%02x is neither 0 nor 1", b)
	}
	return err
}

func (d *decoder) fixed(n int) ([]byte, error) {
	if d.remaining() < n {
		return nil, d.ended()
	}
	b := d.in[d.at : d.at+n]
	d.at += n
	return b, nil
}

func (d *decoder) fixed16() (uint16, error) {
	b, err := d.fixed(2)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint16(b), nil
}

func (d *decoder) fixed32() (uint32, error) {
	b, err := d.fixed(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (d *decoder) fixed64() (uint64, error) {
	b, err := d.fixed(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// count reads a plain length+1: null is true for the 0 of a null value.
func (d *decoder) count() (n int, null bool, err error) {
	start := d.at
	u, err := d.uv32()
	if err != nil || u == 0 {
		return 0, u == 0, err
	}
	return int(u - 1), false, d.checkCount(start, u)
}

func (d *decoder) checkCount(start int, u uint32) error {
	if u > math.MaxInt32 {
		return d.fault(start, "length %d is negative in Java", u)
	}
	return nil
}

// enter starts a container of n values that take at least width bytes each.
func (d *decoder) enter(start, n, width int) error {
	if n > d.elements || d.depth >= d.limits.Depth || int64(n)*int64(width) > int64(len(d.in)-d.at) {
		return d.tooMuch(start, n, width)
	}
	d.elements -= n
	d.depth++
	return nil
}

// tooMuch says why a container is not entered.
func (d *decoder) tooMuch(start, n, width int) error {
	switch {
	case int64(n)*int64(width) > int64(d.remaining()):
		return d.fault(start, "%d values do not fit into the %d bytes left", n, d.remaining())
	case n > d.elements:
		return &codecs.DecodeError{Codec: name, Offset: start, Limit: "Elements", Reason: fmt.Sprintf(
			"more than %d values in a payload of %d bytes: raise Limits.Elements if that is right", d.limits.Of(len(d.in)).Elements, len(d.in))}
	}
	return d.fault(start, "nested more than %d levels deep: raise Limits.Depth if that is right", d.limits.Depth)
}

// leave ends what enter began.
func (d *decoder) leave() { d.depth-- }

// uv32 reads an unsigned varint of at most 5 bytes. Java's reader also accepts
// surplus zero groups and surplus bits; no Java writer makes them, so they mean
// that the bytes are something else.
func (d *decoder) uv32() (uint32, error) {
	if d.at < len(d.in) && d.in[d.at] < 0x80 {
		d.at++
		return uint32(d.in[d.at-1]), nil
	}
	return d.uv32Rest(0, 0, 0)
}

// uv32Rest reads the 7-bit groups of an unsigned varint of which some bits and
// bytes are already read.
func (d *decoder) uv32Rest(value uint32, shift, used int) (uint32, error) {
	for i, b := range d.in[d.at:] {
		switch {
		case uint64(b&0x7f)<<shift > 0xffffffff || used+i == 4 && b >= 0x80:
			return 0, d.fault(d.at, "a varint has more than 32 bits")
		case b == 0 && used+i > 0:
			return 0, d.fault(d.at, "a varint has surplus bytes")
		}
		value |= uint32(b&0x7f) << shift
		if b < 0x80 {
			d.at += i + 1
			return value, nil
		}
		shift += 7
	}
	return 0, d.ended()
}

// uv64 reads an unsigned varint of at most 9 bytes, the ninth with 8 bits.
func (d *decoder) uv64() (uint64, error) {
	var v uint64
	for n, b := range d.in[d.at:] {
		switch {
		case b == 0 && n > 0:
			return 0, d.fault(d.at, "a varint has surplus bytes")
		case n == 8:
			d.at += 9
			return v | uint64(b)<<56, nil
		}
		v |= uint64(b&0x7f) << (7 * n & 63)
		if b < 0x80 {
			d.at += n + 1
			return v, nil
		}
	}
	return 0, d.ended()
}

func (d *decoder) zz32() (int32, error) {
	u, err := d.uv32()
	return int32(u>>1) ^ -int32(u&1), err
}

func (d *decoder) zz64() (int64, error) {
	u, err := d.uv64()
	return int64(u>>1) ^ -int64(u&1), err
}

// flagged reads a varint whose first byte carries a flag in bit 7, the
// continuation in bit 6 and six bits of value.
func (d *decoder) flagged() (value uint32, flag bool, err error) {
	if d.at >= len(d.in) {
		return 0, false, d.ended()
	}
	b := d.in[d.at]
	d.at++
	value, flag = uint32(b&0x3f), b >= 0x80
	if b&0x40 != 0 {
		value, err = d.uv32Rest(value, 6, 1)
	}
	return value, flag, err
}

func appendUV32(dst []byte, v uint32) []byte { return binary.AppendUvarint(dst, uint64(v)) }

func appendUV64(dst []byte, v uint64) []byte {
	for range 8 {
		if v < 0x80 {
			return append(dst, byte(v))
		}
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func appendZZ32(dst []byte, v int32) []byte { return appendUV32(dst, uint32(v<<1)^uint32(v>>31)) }

func appendZZ64(dst []byte, v int64) []byte { return appendUV64(dst, uint64(v<<1)^uint64(v>>63)) }

func appendFlagged(dst []byte, v uint32, flag bool) []byte {
	first := byte(v & 0x3f)
	if flag {
		first |= 0x80
	}
	if v < 0x40 {
		return append(dst, first)
	}
	return appendUV32(append(dst, first|0x40), v>>6)
}
