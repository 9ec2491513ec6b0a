package compress

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Snappy returns Redisson's SnappyCodec (up to 4.0, removed in 4.1.0) around inner:
// blocks of up to 32,767 bytes before compression, each with its compressed length
// in four bytes before it, most significant first. A value of no bytes is a payload
// of no bytes. All releases read and write the same. Canonical name "snappy(…)".
func Snappy(inner codecs.Codec, opts ...Option) codecs.Codec {
	return newCodec("snappy", inner, opts, func(*settings) (frame, error) { return snappyChain{}, nil })
}

// SnappyV2 returns Redisson's SnappyCodecV2 around inner: one Snappy block, with no
// frame (3.9.0 and later). The streams of 3.7.3 to 3.8.2, which begin with 82 and
// SNAPPY, are read too, and written with Since("3.7.3") to "3.8.2": uncompressed,
// because those releases return no more bytes than the payload has. Canonical name
// "snappyv2(…)".
func SnappyV2(inner codecs.Codec, opts ...Option) codecs.Codec {
	return newCodec("snappyv2", inner, opts, func(s *settings) (frame, error) {
		return snappyBlock{stream: s.given() && s.since.Before(option.Release{3, 9, 0})}, nil
	})
}

// snappyBlock is one block, or a stream of the old releases.
type snappyBlock struct{ stream bool }

func (f snappyBlock) pack(dst, raw []byte) ([]byte, error) {
	if f.stream {
		return appendStream(dst, raw), nil
	}
	return appendSnappy(dst, raw)
}

// appendSnappy appends raw as one block.
func appendSnappy(dst, raw []byte) ([]byte, error) {
	most := snappy.MaxEncodedLen(len(raw))
	if most < 0 {
		return nil, fmt.Errorf("%d bytes are too many for one block", len(raw))
	}
	out := slices.Grow(dst, most)
	at := len(out)
	return out[:at+len(s2.EncodeSnappy(out[at:at+most], raw))], nil
}

func (snappyBlock) unpack(dst, payload []byte, limit int) ([]byte, *fault) {
	if isStream(payload) {
		return chain(dst, payload, len(streamHeader), limit)
	}
	return expandSnappy(dst, payload, limit)
}

// snappyMost is how many times its own length a block expands to at most: a copy of
// three bytes makes 64.
const snappyMost = 22

func (snappyBlock) expands(payload []byte) int {
	n, at := binary.Uvarint(payload)
	if at <= 0 || isStream(payload) {
		return snappyMost * len(payload)
	}
	return int(min(n, uint64(snappyMost*len(payload))))
}

// expandSnappy appends what one block holds to dst.
func expandSnappy(dst, block []byte, limit int) ([]byte, *fault) {
	n, f := snappyExpands(block, limit)
	if f != nil {
		return nil, f
	}
	out := slices.Grow(dst, n)
	at := len(out)
	got, err := snappy.Decode(out[at:at+n:at+n], block)
	if err != nil || len(got) != n {
		return nil, &fault{reason: fmt.Sprintf("the block does not expand to the %d bytes that its length says", n), err: err}
	}
	return out[:at+n], nil
}

// snappyExpands returns the length that a block says it expands to, where so many bytes can hold it.
func snappyExpands(block []byte, limit int) (int, *fault) {
	n, at := binary.Uvarint(block)
	switch {
	case at <= 0 || n > 1<<31-1:
		return 0, faultf(0, "it does not begin with the length of a block")
	case n > uint64(limit):
		return 0, faultf(0, "%d bytes before compression, the limit is %d (Limits.Bytes)", n, limit)
	case n > uint64(snappyMost*len(block)):
		return 0, faultf(0, "a block of %d bytes cannot hold the %d that its length says", len(block), n)
	}
	return int(n), nil
}

// snappyChain is blocks with their length before each.
type snappyChain struct{}

// mostChained is what SnappyCodec puts into one block.
const mostChained = 32_767

func (snappyChain) pack(dst, raw []byte) ([]byte, error) {
	out := dst
	for piece := range slices.Chunk(raw, mostChained) {
		at := len(out)
		var err error
		if out, err = appendSnappy(append(out, 0, 0, 0, 0), piece); err != nil {
			return nil, err
		}
		binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-4))
	}
	return out, nil
}

func (snappyChain) expands(payload []byte) int { return snappyMost * len(payload) }

func (snappyChain) unpack(dst, payload []byte, limit int) ([]byte, *fault) {
	return chain(dst, payload, 0, limit)
}

// chain appends what the blocks from a place of p hold to dst. All are checked
// before the first is expanded.
func chain(dst, p []byte, at, limit int) ([]byte, *fault) {
	total, blocks := 0, 0
	for next := at; next < len(p); blocks++ {
		block, from, f := chained(p, next)
		if f != nil {
			return nil, f
		}
		n, f := snappyExpands(block, limit-total)
		if f != nil {
			f.offset += from
			return nil, f
		}
		total, next = total+n, from+len(block)
	}
	dst = slices.Grow(dst, total)
	for range blocks {
		block, from, f := chained(p, at)
		if f == nil {
			dst, f = expandSnappy(dst, block, limit)
		}
		if f != nil {
			f.offset += from
			return nil, f
		}
		at = from + len(block)
	}
	return dst, nil
}

// chained returns the block whose length stands at a place, and its own place.
func chained(p []byte, at int) ([]byte, int, *fault) {
	if len(p)-at < 4 {
		return nil, 0, faultf(at, "it ends within the length of a block")
	}
	n := int64(binary.BigEndian.Uint32(p[at:]))
	from := at + 4
	if n > int64(len(p)-from) {
		return nil, 0, faultf(at, "a block of %d bytes, there are %d", n, len(p)-from)
	}
	return p[from : from+int(n)], from, nil
}

// streamHeader begins the streams of snappy-java: a magic, its version, and the
// lowest version that can read it.
const streamHeader = "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"

// isStream tells a stream from a block, which cannot begin so: after the length
// 82 53 there would be a copy with nothing before it.
func isStream(p []byte) bool {
	const magic = 8
	return len(p) >= len(streamHeader) && string(p[:magic]) == streamHeader[:magic]
}

// streamBlock is what SnappyOutputStream puts into one block.
const streamBlock = 32 << 10

// appendStream appends raw as a stream of blocks that hold it as it is.
func appendStream(dst, raw []byte) []byte {
	dst = append(slices.Grow(dst, len(streamHeader)+len(raw)+12*(1+len(raw)/streamBlock)), streamHeader...)
	for piece := range slices.Chunk(raw, streamBlock) {
		at := len(dst)
		dst = binary.AppendUvarint(append(dst, 0, 0, 0, 0), uint64(len(piece)))
		switch last := len(piece) - 1; {
		case last < 60:
			dst = append(dst, byte(last<<2))
		case last < 256:
			dst = append(dst, 60<<2, byte(last))
		default:
			dst = append(dst, 61<<2, byte(last), byte(last>>8))
		}
		dst = append(dst, piece...)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}
