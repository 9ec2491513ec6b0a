package compress

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/duequeue/duequeue/codecs"
)

// ZStd returns Redisson's ZStdCodec (3.39.0 and later) around inner: four bytes with
// the length before compression, most significant first, and one zstd frame. All
// releases read and write the same, at their level 3; here a comparable level is
// used. A value of no bytes is the length 0 and an empty frame, or the length
// alone: both are read, the former is written. Where a payload would expand to more
// than 1 MiB and to more than 256 times its length, as much as LZ4 makes of a byte, it
// is neither written nor read, unless [Limits] names Bytes. Canonical name "zstd(…)".
func ZStd(inner codecs.Codec, opts ...Option) codecs.Codec {
	return newCodec("zstd", inner, opts, func(s *settings) (frame, error) { return zstdFrame{wide: s.wide}, nil })
}

// zstdFrame is a length and a zstd frame.
type zstdFrame struct {
	wide bool // what a byte may become is not bounded
}

// What a payload expands to: leastExpanded, or mostExpanded times its length where that
// is more.
const (
	leastExpanded = 1 << 20
	mostExpanded  = 256
)

// most returns what a payload of n bytes expands to at most.
func (f zstdFrame) most(n int) int {
	if f.wide {
		return math.MaxInt
	}
	return max(leastExpanded, mostExpanded*n)
}

func (f zstdFrame) expands(payload []byte) int {
	if len(payload) < 4 {
		return 0
	}
	return min(int(binary.BigEndian.Uint32(payload)), f.most(len(payload)))
}

// coder is shared by all codecs: EncodeAll and DecodeAll may be called at once.
type coder struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
	err error
}

var shared = sync.OnceValue(func() coder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return coder{err: err}
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(1<<31), zstd.WithDecoderMaxWindow(1<<31))
	return coder{enc, dec, err}
})

// What Java's frames begin with: the magic, a descriptor without size and checksum,
// a window of 2 MiB.
const (
	zstdWindow = 2 << 20
	zstdHead   = "\x28\xb5\x2f\xfd\x00\x58"
	zstdEnd    = "\x01\x00\x00"                         // an empty block, the last
	zstdEmpty  = "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00" // the frame of no bytes

	zstdBlock = 128 << 10 // the most that a block expands to
)

func (f zstdFrame) pack(dst, raw []byte) ([]byte, error) {
	c := shared()
	if c.err != nil {
		return nil, c.err
	}
	out := binary.BigEndian.AppendUint32(dst, uint32(len(raw)))
	if len(raw) == 0 {
		return append(out, zstdEmpty...), nil
	}
	at := len(out)
	out = c.enc.EncodeAll(raw, out)
	if len(raw) <= zstdBlock && len(out)-at >= len(raw) {
		// What does not compress is written as Java does, for bytes equal to Java's.
		out = append(out[:at], zstdHead...)
		out = append(out, byte(len(raw)<<3), byte(len(raw)>>5), byte(len(raw)>>13))
		out = append(append(out, raw...), zstdEnd...)
	}
	if n := len(out) - at + 4; len(raw) > f.most(n) {
		return nil, fmt.Errorf("%d bytes become %d: more than %d times is not read again, unless compress.Limits names Bytes", len(raw), n, mostExpanded)
	}
	return out, nil
}

func (f zstdFrame) unpack(dst, payload []byte, limit int) ([]byte, *fault) {
	n, bad := length(payload, limit)
	if bad != nil {
		if len(payload) > 4 && !bytes.HasPrefix(payload[4:], []byte(zstdHead[:4])) {
			bad = noFrame() // says more than the length of what another codec wrote
			bad.offset = 4
		}
		return nil, bad
	}
	frames := payload[4:]
	most, bad := zstdMost(frames)
	switch {
	case bad != nil:
		bad.offset += 4
		return nil, bad
	case int64(n) > most:
		return nil, faultf(0, "the length says %d bytes, the frame holds at most %d", n, most)
	case n > f.most(len(payload)):
		return nil, &fault{offset: 0, limit: "Bytes", reason: fmt.Sprintf(
			"%d bytes would come of %d: more than %d times, and more than %d, only where compress.Limits names Bytes", n, len(payload), mostExpanded, leastExpanded)}
	}
	c := shared()
	if c.err != nil {
		return nil, &fault{offset: -1, reason: "the library cannot be used", err: c.err}
	}
	out := slices.Grow(dst, n)
	at := len(out)
	got, err := c.dec.DecodeAll(frames, out[at:at:at+n])
	if err != nil {
		return nil, &fault{offset: -1, reason: fmt.Sprintf("the frame does not expand to the %d bytes that its length says", n), err: err}
	}
	if len(got) != n {
		return nil, faultf(-1, "the frame expands to %d bytes, its length says %d", len(got), n)
	}
	return out[:at+n], nil
}

// zstdMost returns how many bytes frames expand to at most, by the heads of their
// blocks, and checks that they end where the payload does.
func zstdMost(p []byte) (most int64, f *fault) {
	at := 0
	for at < len(p) {
		head, checksum, f := zstdHeader(p[at:])
		if f != nil {
			f.offset += at
			return 0, f
		}
		at += head
		for last := false; !last; {
			if len(p)-at < 3 {
				return 0, faultf(at, "the frame ends without its last block")
			}
			h := int(p[at]) | int(p[at+1])<<8 | int(p[at+2])<<16
			size, kind := h>>3, h>>1&3
			last = h&1 != 0
			at += 3
			switch {
			case kind == 3 || size > zstdBlock:
				return 0, faultf(at-3, "no block of zstd begins with %06x", h)
			case kind == 0:
				most += int64(size)
			case kind == 1:
				most += int64(size)
				size = 1
			default:
				most += zstdBlock
			}
			if size > len(p)-at {
				return 0, faultf(at, "a block of %d bytes, there are %d", size, len(p)-at)
			}
			at += size
		}
		if at += checksum; at > len(p) {
			return 0, faultf(len(p), "the frame ends without its checksum")
		}
	}
	return most, nil
}

func noFrame() *fault {
	return faultf(0, "no zstd frame behind the length, which begins with 28 b5 2f fd: another codec may have written it")
}

// zstdHeader returns the length of a frame's header and of its checksum.
func zstdHeader(p []byte) (size, checksum int, f *fault) {
	if !bytes.HasPrefix(p, []byte(zstdHead[:4])) {
		return 0, 0, noFrame()
	}
	var h zstd.Header
	if err := h.Decode(p); err != nil {
		return 0, 0, &fault{offset: 4, reason: "the header of the frame", err: err}
	}
	if h.HasCheckSum {
		checksum = 4
	}
	return h.HeaderSize, checksum, nil
}
