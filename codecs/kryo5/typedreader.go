package kryo5

import (
	"encoding/binary"
	"math/bits"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// typedReader reads one payload straight into Go variables. Its methods answer
// false for whatever is not usual: damage, but also classes, nulls and numbers
// that another way of reading can place. The payload is then read again by the
// dynamic engine, which finds the value or the words for what is wrong; so only
// one of the two ways has to know how to say it.
//
// Values under any, and classes without a fast way, are read by the dynamic engine
// in place, see dynamic.
type typedReader struct {
	codec    *Codec
	types    *typedTypes
	in       []byte
	at       int
	depth    int
	elements int
	classes  []*class // in the order of their name ids
	scope    layout.Scope
	d        *decoder // of the dynamic engine, from its first use on
	chunk    []byte   // copy of the payload from chunkAt to chunkEnd, for short strings
	chunkAt  int
	chunkEnd int
	boxes    []string // strings under any, the first boxed ones taken
	boxed    int
	name     []byte // scratch for the keys of maps
}

func (r *typedReader) byte() (byte, bool) {
	if r.at >= len(r.in) {
		return 0, false
	}
	r.at++
	return r.in[r.at-1], true
}

// peek returns the next byte; 0xff, which begins nothing usual, at the end.
func (r *typedReader) peek() byte {
	if r.at >= len(r.in) {
		return 0xff
	}
	return r.in[r.at]
}

// flag reads a byte that is 0 or 1.
func (r *typedReader) flag() (set, ok bool) {
	b, ok := r.byte()
	return b == 1, ok && b <= 1
}

func (r *typedReader) uv32() (uint32, bool) {
	if r.at < len(r.in) && r.in[r.at] < 0x80 {
		r.at++
		return uint32(r.in[r.at-1]), true
	}
	v, n := binary.Uvarint(r.in[r.at:min(len(r.in), r.at+5)])
	if n <= 0 || v > 0xffffffff || r.in[r.at+n-1] == 0 {
		return 0, false
	}
	r.at += n
	return uint32(v), true
}

func (r *typedReader) uv64() (uint64, bool) {
	var v uint64
	for n, b := range r.in[r.at:] {
		switch {
		case b == 0 && n > 0:
			return 0, false
		case n == 8:
			r.at += 9
			return v | uint64(b)<<56, true
		}
		v |= uint64(b&0x7f) << (7 * n & 63)
		if b < 0x80 {
			r.at += n + 1
			return v, true
		}
	}
	return 0, false
}

func (r *typedReader) zz32() (int32, bool) {
	u, ok := r.uv32()
	return int32(u>>1) ^ -int32(u&1), ok
}

func (r *typedReader) zz64() (int64, bool) {
	u, ok := r.uv64()
	return int64(u>>1) ^ -int64(u&1), ok
}

// flagged reads a varint with a flag in bit 7 and the continuation in bit 6.
func (r *typedReader) flagged() (v uint32, flag, ok bool) {
	b, ok := r.byte()
	if !ok {
		return 0, false, false
	}
	v = uint32(b & 0x3f)
	if b&0x40 != 0 {
		rest, more := r.uv32()
		if !more || rest == 0 || rest >= 1<<26 {
			return 0, false, false
		}
		v |= rest << 6
	}
	return v, b >= 0x80, true
}

func (r *typedReader) fixed(n int) ([]byte, bool) {
	if len(r.in)-r.at < n {
		return nil, false
	}
	r.at += n
	return r.in[r.at-n : r.at], true
}

// class reads a class id, nil for null. Expect is the class that usually stands
// there, nil for none.
func (r *typedReader) class(expect *class) (*class, bool) {
	b := r.peek()
	switch {
	case b == idNull:
		r.at++
		return nil, true
	case b == idByName && r.at+2 < len(r.in):
		id := int(r.in[r.at+1])
		if id < len(r.classes) && id < 0x80 {
			r.at += 2
			return r.classes[id], true
		}
		if id == len(r.classes) && id < 0x80 {
			return r.newClass(expect)
		}
	case b > idByName && b < idEnd:
		r.at++
		return r.types.known.byID[b], true
	case expect != nil && expect.id == uint32(b) && b < 0x80:
		r.at++ // one of allowedClasses
		return expect, true
	}
	return r.dynamicClass()
}

// newClass reads the name of a class that occurs for the first time.
func (r *typedReader) newClass(expect *class) (*class, bool) {
	name := r.in[r.at+2:]
	if expect == nil || expect.id != 0 || len(name) < len(expect.wire) || string(name[:len(expect.wire)]) != string(expect.wire) {
		n := asciiLength(name)
		if n == 0 || n > maxNameBytes {
			return r.dynamicClass()
		}
		r.name = append(r.name[:0], name[:n]...)
		r.name[n-1] &= 0x7f
		if expect = r.types.class(string(r.name)); expect == nil || expect.id != 0 {
			return r.dynamicClass()
		}
	}
	r.classes = append(r.classes, expect)
	r.at += 2 + len(expect.wire)
	return expect, true
}

// text reads a string that is not null.
func (r *typedReader) text() (string, bool) {
	if r.at < len(r.in) && r.in[r.at] < 0x80 {
		n := asciiLength(r.in[r.at:])
		if n == 0 || n > r.codec.limits.StringBytes {
			return "", false
		}
		s := r.keep(r.at, n, true)
		r.at += n
		return s, true
	}
	b, inPlace, ok := r.units()
	switch {
	case !ok || len(b) == 0:
		return "", ok
	case inPlace:
		return r.keep(r.at-len(b), len(b), false), true
	}
	return string(b), true
}

// highBits are the top bits of eight bytes.
const highBits = 0x8080808080808080

// asciiLength returns the length of the string in b whose last byte has its top
// bit set, 0 where it has no end.
func asciiLength(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if high := binary.LittleEndian.Uint64(b[i:]) & highBits; high != 0 {
			return i + bits.TrailingZeros64(high)/8 + 1
		}
	}
	for ; i < len(b); i++ {
		if b[i] >= 0x80 {
			return i + 1
		}
	}
	return 0
}

// units reads the form of a string that says its length. Null is not usual here.
// The bytes stand in the payload just before the next ones to read, or are the
// decoder's until its next read.
func (r *typedReader) units() (b []byte, inPlace, ok bool) {
	start := r.at
	u, flag, ok := r.flagged()
	if !ok || !flag || u == 0 || int(u-1) > len(r.in)-r.at {
		return nil, false, false
	}
	begin := r.at
	for n := int(u - 1); n > 0; n-- {
		if r.at >= len(r.in) {
			return nil, false, false
		}
		c := r.in[r.at]
		switch {
		case c < 0x80:
			r.at++
		case c >= 0xe0 && c < 0xf0 && r.at+3 <= len(r.in):
			next, last := r.in[r.at+1], r.in[r.at+2]
			if c == 0xed && next >= 0xa0 { // surrogates
				r.at = start
				b, ok = r.dynamicText()
				return b, false, ok
			}
			if next&0xc0 != 0x80 || last&0xc0 != 0x80 || c == 0xe0 && next < 0xa0 {
				return nil, false, false
			}
			r.at += 3
		case c >= 0xc2 && c < 0xe0 && r.at+2 <= len(r.in) && r.in[r.at+1]&0xc0 == 0x80:
			r.at += 2
		default:
			return nil, false, false
		}
	}
	b = r.in[begin:r.at]
	return b, true, len(b) <= r.codec.limits.StringBytes
}

// Strings of one payload share memory: one copy of a stretch of the payload instead
// of one allocation each. A string that is kept keeps at most maxChunk bytes of its
// siblings.
const (
	maxChunk  = 256
	maxShared = 64 // longer strings have their own memory
)

// keep copies n bytes at offset at out of the payload. Ended strings lose the top
// bit of their last byte.
func (r *typedReader) keep(at, n int, ended bool) string {
	var own []byte
	switch {
	case n > maxShared:
		own = append([]byte(nil), r.in[at:at+n]...)
	case at+n > r.chunkEnd:
		r.chunk = append([]byte(nil), r.in[at:min(len(r.in), at+maxChunk)]...)
		r.chunkAt, r.chunkEnd = at, at+len(r.chunk)
		own = r.chunk[:n]
	default:
		own = r.chunk[at-r.chunkAt : at-r.chunkAt+n]
	}
	if ended {
		own[n-1] &= 0x7f
	}
	return memory.Text(own)
}

// maxBoxes bounds how many strings under any share memory, header by header.
const maxBoxes = 8

// box returns s as an any. Strings of one payload share the memory of their headers:
// room for two first, then for twice as many each time.
func (r *typedReader) box(s string) any {
	if r.boxed == len(r.boxes) {
		r.boxes, r.boxed = make([]string, min(max(2, 2*len(r.boxes)), maxBoxes)), 0
	}
	to := &r.boxes[r.boxed]
	r.boxed++
	*to = s
	return memory.TextBox(to)
}

// enter begins a container of n values.
func (r *typedReader) enter(n int) bool {
	if n > r.elements || r.depth >= r.codec.limits.Depth {
		return false
	}
	r.elements -= n
	r.depth++
	return true
}
