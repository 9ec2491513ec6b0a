package kryo5

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/memory"
)

// maxASCII is the longest string that Java writes as bare ASCII.
const maxASCII = 32

// stringBytes reads a string as UTF-8 with lone surrogates in three bytes. The
// result may lie in the payload or in the scratch buffer: it is valid until the
// next read.
func (d *decoder) stringBytes() (b []byte, null bool, err error) {
	if d.at >= len(d.in) {
		return nil, false, d.ended()
	}
	start := d.at
	if d.in[start] < 0x80 { // the form whose last byte has its top bit set
		n := asciiLength(d.in[start:])
		switch {
		case n == 0:
			return nil, false, d.ended()
		case n > d.limits.StringBytes:
			return nil, false, d.tooLong(start)
		}
		d.at += n
		d.scratch = append(d.scratch[:0], d.in[start:d.at]...)
		d.scratch[n-1] &= 0x7f
		return d.scratch, false, nil
	}
	u, _, err := d.flagged()
	if err != nil || u <= 1 {
		return nil, u == 0, err
	}
	if u > 1<<31-1 {
		return nil, false, d.fault(start, "string length %d is negative in Java", u)
	}
	units := int(u - 1)
	if units > d.remaining() {
		return nil, false, d.fault(start, "a string of %d characters does not fit into the %d bytes left", units, d.remaining())
	}
	b, err = d.unitBytes(units)
	if err == nil && len(b) > d.limits.StringBytes {
		err = d.tooLong(start)
	}
	return b, false, err
}

func (d *decoder) tooLong(start int) error {
	return d.fault(start, "a string is longer than %d bytes: raise Limits.StringBytes if that is right", d.limits.StringBytes)
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

// unitBytes reads n UTF-16 units of 1 to 3 bytes. Without surrogates they are
// UTF-8 as they are.
func (d *decoder) unitBytes(n int) ([]byte, error) {
	start, in := d.at, d.in
	for i := range n {
		if at := d.at; at < len(in) {
			c := in[at]
			switch {
			case c < 0x80:
				d.at++
				continue
			case c > 0xe0 && c < 0xf0 && c != 0xed && at+3 <= len(in) && in[at+1]&0xc0 == 0x80 && in[at+2]&0xc0 == 0x80:
				d.at += 3
				continue
			case c >= 0xc2 && c < 0xe0 && at+2 <= len(in) && in[at+1]&0xc0 == 0x80:
				d.at += 2
				continue
			}
		}
		u, err := d.unit() // which says what is wrong
		if err != nil {
			return nil, err
		}
		if u >= 0xd800 && u < 0xe000 {
			d.at -= 3
			return d.surrogateBytes(start, n-i)
		}
	}
	return in[start:d.at], nil
}

// surrogateBytes reads the last n units of a string with surrogates: pairs
// become one code point of UTF-8, lone ones stay three bytes.
func (d *decoder) surrogateBytes(start, n int) ([]byte, error) {
	out := append(d.scratch[:0], d.in[start:d.at]...)
	for range n {
		u, err := d.unit()
		if err != nil {
			return nil, err
		}
		out = javatext.AppendUnit(out, 0, uint16(u))
	}
	d.scratch = out
	return out, nil
}

// unit reads one UTF-16 unit. Java's reader takes any bytes and makes nonsense
// of them; here they are an error.
func (d *decoder) unit() (rune, error) {
	b, err := d.byte()
	if err != nil || b < 0x80 {
		return rune(b), err
	}
	at := d.at - 1
	var more int
	var u, least rune
	switch {
	case b >= 0xc0 && b < 0xe0:
		u, more, least = rune(b&0x1f), 1, 0x80
	case b >= 0xe0 && b < 0xf0:
		u, more, least = rune(b&0x0f), 2, 0x800
	default:
		return 0, d.fault(at, "byte 0x%02x begins no character of a string", b)
	}
	for range more {
		if b, err = d.byte(); err != nil {
			return 0, err
		}
		if b&0xc0 != 0x80 {
			return 0, d.fault(d.at-1, "byte 0x%02x continues no character of a string", b)
		}
		u = u<<6 | rune(b&0x3f)
	}
	if u < least {
		return 0, d.fault(at, "a character of a string has surplus bytes")
	}
	return u, nil
}

func (d *decoder) string() (string, bool, error) {
	if start := d.at; start < len(d.in) && d.in[start] < 0x80 {
		if n := asciiLength(d.in[start:]); n != 0 && n <= d.limits.StringBytes {
			d.at = start + n
			return d.keep(start, n, true), false, nil
		}
	}
	return d.longString()
}

func (d *decoder) longString() (string, bool, error) {
	b, null, err := d.stringBytes()
	n := len(b)
	switch {
	case n == 0:
		return "", null, err
	case n <= d.at && &b[0] == &d.in[d.at-n]:
		return d.keep(d.at-n, n, false), false, err
	}
	return string(b), false, err
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
func (d *decoder) keep(at, n int, ended bool) string {
	var own []byte
	switch {
	case n > maxShared:
		own = append([]byte(nil), d.in[at:at+n]...)
	case at+n > d.chunkEnd || at < d.chunkAt:
		d.chunk = append([]byte(nil), d.in[at:min(len(d.in), at+maxChunk)]...)
		d.chunkAt, d.chunkEnd = at, at+len(d.chunk)
		own = d.chunk[:n]
	default:
		own = d.chunk[at-d.chunkAt : at-d.chunkAt+n]
	}
	if ended {
		own[n-1] &= 0x7f
	}
	return memory.Text(own)
}

// appendString writes s as Java writes it. It returns false for bytes that are
// neither UTF-8 nor a lone surrogate.
func appendString(dst []byte, s string) ([]byte, bool) {
	if len(s) > 1 && len(s) <= maxASCII && isASCII([]byte(s)) {
		dst = append(dst, s...)
		dst[len(dst)-1] |= 0x80
		return dst, true
	}
	return appendUnits(dst, s)
}

// appendUnits writes s as Java writes what is not short and bare ASCII.
func appendUnits(dst []byte, s string) ([]byte, bool) {
	if s == "" {
		return append(dst, 0x81), true
	}
	units, pairs, ok := countUnits(s)
	if !ok {
		return dst, false
	}
	dst = appendFlagged(dst, uint32(units)+1, true)
	if pairs == 0 {
		return append(dst, s...), true
	}
	for s != "" {
		r, n := javatext.DecodeRune(s)
		if r < 0x10000 {
			dst = append(dst, s[:n]...)
			s = s[n:]
			continue
		}
		s = s[n:]
		r -= 0x10000
		dst = appendSurrogate(dst, 0xd800+r>>10)
		dst = appendSurrogate(dst, 0xdc00+r&0x3ff)
	}
	return dst, true
}

func isASCII(b []byte) bool {
	if n := len(b); n >= 8 {
		all := binary.LittleEndian.Uint64(b[n-8:])
		for ; len(b) > 8; b = b[8:] {
			all |= binary.LittleEndian.Uint64(b)
		}
		return all&highBits == 0
	}
	var all byte
	for _, c := range b {
		all |= c
	}
	return all < 0x80
}

func appendSurrogate(dst []byte, u rune) []byte {
	return append(dst, 0xed, 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
}

// countUnits returns the UTF-16 length of s and how many of its code points are
// surrogate pairs there.
func countUnits(s string) (units, pairs int, ok bool) {
	for i := 0; i < len(s); units++ {
		switch c := s[i]; {
		case c < 0x80:
			i++
		case c >= 0xc2 && c < 0xe0 && i+2 <= len(s) && s[i+1]&0xc0 == 0x80:
			i += 2
		case c > 0xe0 && c < 0xed && i+3 <= len(s) && s[i+1]&0xc0 == 0x80 && s[i+2]&0xc0 == 0x80:
			i += 3
		default:
			r, n := javatext.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				return 0, 0, false
			}
			if r > 0xffff {
				units++
				pairs++
			}
			i += n
		}
	}
	return units, pairs, true
}
