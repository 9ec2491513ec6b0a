package sniff

import (
	"encoding/binary"
	"fmt"
)

// compressed knows the frames of the compressing codecs. LZ4 and Snappy blocks
// are expanded, so that the length must fit and the inside can be guessed.
func compressed(p []byte, found *[]Candidate) {
	switch {
	case len(p) > 8 && string(p[4:8]) == "\x28\xb5\x2f\xfd":
		add(found, "zstd(?)", Certain, "a length and 28 b5 2f fd, the magic of a zstd frame")
		return
	case prefix(p, "\x28\xb5\x2f\xfd"):
		add(found, "zstd(?)", Fair, "28 b5 2f fd, the magic of a zstd frame, without the length that Redisson writes before it")
		return
	case prefix(p, "\x82SNAPPY\x00"):
		add(found, "snappyv2(?)", Strong, "82 53 4e 41 50 50 59 00, the header of xerial's Snappy, as Redisson 3.7.3 to 3.8.2 wrote it")
		return
	case prefix(p, "\x04\x22\x4d\x18"):
		add(found, "lz4v2(?)", Strong, "04 22 4d 18, the magic of an LZ4 frame")
		return
	}
	if len(p) > 4 {
		if n := binary.BigEndian.Uint32(p); n <= most {
			if out, ok := expandLZ4(p[4:], int(n)); ok {
				inside(found, "lz4", Strong, fmt.Sprintf("a length and an LZ4 block that expands to just these %d bytes", n), out)
			}
		}
	}
	if out, ok := snappyChain(p); ok {
		inside(found, "snappy", Strong, "lengths and Snappy blocks that end where the payload ends", out)
	}
	if out, ok := expandSnappy(p); ok {
		snappyV2(out, found)
	}
}

// snappyV2 adds a bare Snappy block, which has no frame: worth as much as what
// is found inside.
func snappyV2(out []byte, found *[]Candidate) {
	in := guess(out)
	if len(in) == 0 || in[0].Codec == "bytearray" {
		return
	}
	c := Weak
	if in[0].Confidence >= Fair {
		c = Fair
	}
	add(found, "snappyv2("+in[0].Codec+")", c, "a Snappy block of exactly this length; inside: "+in[0].Why)
}

// inside adds the wrapper with the likeliest codec of what it holds.
func inside(found *[]Candidate, wrapper string, c Confidence, why string, out []byte) {
	name := "?"
	if in := guess(out); len(in) > 0 {
		name = in[0].Codec
		why += "; inside: " + in[0].Why
	}
	add(found, wrapper+"("+name+")", c, why)
}

// snappyChain expands Redisson's SnappyCodec: blocks with their length before
// each, up to the end of the payload.
func snappyChain(p []byte) (out []byte, ok bool) {
	for len(p) > 4 {
		n := int64(binary.BigEndian.Uint32(p))
		if n == 0 || n > int64(len(p)-4) {
			return nil, false
		}
		block, ok := expandSnappy(p[4 : 4+n])
		if !ok || len(out)+len(block) > most {
			return nil, false
		}
		out, p = append(out, block...), p[4+n:]
	}
	return out, len(p) == 0 && len(out) > 0
}

// expandLZ4 expands one LZ4 block that must give exactly n bytes.
func expandLZ4(p []byte, n int) ([]byte, bool) {
	out := make([]byte, 0, min(n, 64*len(p)))
	for len(p) > 0 {
		token := p[0]
		lits, p2, ok := lz4Length(int(token>>4), p[1:])
		if !ok || lits > len(p2) || len(out)+lits > n {
			return nil, false
		}
		out, p = append(out, p2[:lits]...), p2[lits:]
		if len(p) == 0 {
			return out, len(out) == n
		}
		if len(p) < 2 {
			return nil, false
		}
		offset := int(p[0]) | int(p[1])<<8
		length, p3, ok := lz4Length(int(token&15), p[2:])
		if p = p3; !ok || !repeat(&out, offset, length+4, n) {
			return nil, false
		}
	}
	return nil, false
}

func lz4Length(n int, p []byte) (int, []byte, bool) {
	if n < 15 {
		return n, p, true
	}
	for i, c := range p {
		if n += int(c); n > most {
			return 0, nil, false
		}
		if c != 255 {
			return n, p[i+1:], true
		}
	}
	return 0, nil, false
}

// repeat appends length bytes from offset bytes before the end of out.
func repeat(out *[]byte, offset, length, limit int) bool {
	if offset == 0 || offset > len(*out) || len(*out)+length > limit {
		return false
	}
	for range length {
		*out = append(*out, (*out)[len(*out)-offset])
	}
	return true
}

// expandSnappy expands one raw Snappy block, which begins with its length.
func expandSnappy(p []byte) ([]byte, bool) {
	n, size := binary.Uvarint(p)
	if size <= 0 || n == 0 || n > most || size == len(p) {
		return nil, false
	}
	p = p[size:]
	out := make([]byte, 0, min(int(n), 64*len(p)))
	for len(p) > 0 {
		var ok bool
		if p, ok = snappyElement(p, &out, int(n)); !ok {
			return nil, false
		}
	}
	return out, len(out) == int(n)
}

// snappyElement expands one literal or copy and returns what follows it.
func snappyElement(p []byte, out *[]byte, limit int) ([]byte, bool) {
	tag := int(p[0])
	if tag&3 == 0 {
		length, extra := tag>>2+1, 0
		if length > 60 {
			extra = length - 60
			if len(p) < 1+extra {
				return nil, false
			}
			length = 1
			for i := range extra {
				length += int(p[1+i]) << (8 * i)
			}
		}
		p = p[1+extra:]
		if length > len(p) || len(*out)+length > limit {
			return nil, false
		}
		*out = append(*out, p[:length]...)
		return p[length:], true
	}
	width, length := 2, tag>>2+1
	switch tag & 3 {
	case 1:
		width, length = 1, tag>>2&7+4
	case 3:
		width = 4
	}
	if len(p) < 1+width {
		return nil, false
	}
	offset := 0
	for i := range width {
		offset |= int(p[1+i]) << (8 * i)
	}
	if width == 1 {
		offset |= tag >> 5 << 8
	}
	return p[1+width:], repeat(out, offset, length, limit)
}
