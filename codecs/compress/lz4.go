package compress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pierrec/lz4/v4"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// LZ4 returns Redisson's LZ4Codec around inner: four bytes with the length before
// compression, most significant first, and one LZ4 block. All releases read and
// write the same. The blocks are those of the C library's LZ4_compress_default,
// which Java uses where it can load it: see "Equal bytes". Canonical name "lz4(…)".
func LZ4(inner codecs.Codec, opts ...Option) codecs.Codec {
	return newCodec("lz4", inner, opts, func(*settings) (frame, error) { return lz4Block{}, nil })
}

// LZ4V2 returns Redisson's LZ4CodecV2 (3.24.0 and later) around inner. It reads the
// frames of 3.24 and the blocks of all later releases, which are those of [LZ4].
//
// Without [Since], and with one before 4.5.0, it does not compress: it writes the
// bytes as they are, in a block of literals, because the decoders of 3.25.0 to 4.4
// return the first literals of a block instead of the whole. Every release reads
// that; those before 4.5.0 up to 196,608 bytes, and more is an error. With
// Since("4.5.0") or a later release it compresses as [LZ4] does. With
// Since("3.24.0") to "3.24.3" it writes the frames that these releases read, with
// the bytes as they are, for the same reason; up to 4 MiB.
//
// A value of no bytes, which only the codecs string and bytearray have, is an
// error: Java's LZ4CodecV2 cannot write it, and fails to read it. Canonical name
// "lz4v2(…)".
func LZ4V2(inner codecs.Codec, opts ...Option) codecs.Codec {
	return newCodec("lz4v2", inner, opts, func(s *settings) (frame, error) {
		f := lz4V2{form: literalBlock}
		switch {
		case !s.given():
		case s.since.Before(option.Release{3, 25, 0}):
			f.form = storedFrame
		case !s.since.Before(option.Release{4, 5, 0}):
			f.form = compressedBlock
		}
		return f, nil
	})
}

// lz4Block is a length and an LZ4 block.
type lz4Block struct{}

// compressors are tables for the C library's algorithm, 48 kB each.
var compressors = sync.Pool{New: func() any { return new(lz4.CompressorCCompat) }}

func (lz4Block) pack(dst, raw []byte) ([]byte, error) {
	bound := lz4.CompressBlockBound(len(raw))
	out := binary.BigEndian.AppendUint32(slices.Grow(dst, 4+bound), uint32(len(raw)))
	at := len(out)
	c := compressors.Get().(*lz4.CompressorCCompat)
	n, err := c.CompressBlock(raw, out[at:at+bound])
	compressors.Put(c)
	if err == nil && n == 0 {
		err = errors.New("the block does not fit its bound")
	}
	return out[:at+n], err
}

func (lz4Block) unpack(dst, payload []byte, limit int) ([]byte, *fault) {
	n, f := length(payload, limit)
	if len(payload) > 4 && int64(binary.BigEndian.Uint32(payload)) > lz4Most*int64(len(payload)) {
		return nil, faultf(0, "%d bytes before compression, and %d bytes cannot hold so many: another codec may have written them",
			binary.BigEndian.Uint32(payload), len(payload))
	}
	if f != nil {
		return nil, f
	}
	at := len(dst)
	if dst, f = lz4Expand(dst, payload[4:], nil, n); f != nil {
		f.offset += 4
		return nil, f
	}
	if got := len(dst) - at; got != n {
		return nil, faultf(4, "the block expands to %d bytes, its length says %d", got, n)
	}
	return dst, nil
}

func (lz4Block) expands(payload []byte) int {
	if len(payload) < 4 {
		return 0
	}
	return min(int(binary.BigEndian.Uint32(payload)), lz4Most*len(payload))
}

// length reads the four bytes before a block.
func length(payload []byte, limit int) (int, *fault) {
	if len(payload) < 4 {
		return 0, faultf(len(payload), "payload of %d bytes, it begins with a length of 4", len(payload))
	}
	n := binary.BigEndian.Uint32(payload)
	switch {
	case n > 1<<31-1:
		return 0, faultf(0, "the length before compression is negative (%d)", int32(n))
	case int64(n) > int64(limit):
		return 0, faultf(0, "%d bytes before compression, the limit is %d (Limits.Bytes)", n, limit)
	}
	return int(n), nil
}

// lz4Most is how many times its own length an LZ4 block expands to at most.
const lz4Most = 255

// lz4Expand appends what a block holds, at most the given bytes, after a window that its matches
// may reach back to. It takes memory for no more than so many bytes can hold.
func lz4Expand(dst, block, window []byte, most int) ([]byte, *fault) {
	switch {
	case len(block) == 0:
		return nil, faultf(0, "a block of no bytes")
	case most == 0 && string(block) == "\x00": // the library panics where there is no room
		return dst, nil
	case most == 0:
		return nil, faultf(0, "the block expands to more than no bytes")
	}
	at, room := len(dst), min(most, lz4Most*len(block))
	out := slices.Grow(dst, room)
	n, err := lz4.UncompressBlockWithDict(block, out[at:at+room], window)
	if err != nil {
		return nil, &fault{reason: fmt.Sprintf("the block is malformed, or expands to more than the %d bytes that there may be", most), err: err}
	}
	return out[:at+n], nil
}

// appendLiterals appends a block that holds raw as it is.
func appendLiterals(dst, raw []byte) []byte {
	dst = slices.Grow(dst, lz4.CompressBlockBound(len(raw)))
	n := len(raw)
	if n < 15 {
		return append(append(dst, byte(n<<4)), raw...)
	}
	dst = append(dst, 0xf0)
	for n -= 15; n >= 255; n -= 255 {
		dst = append(dst, 255)
	}
	return append(append(dst, byte(n)), raw...)
}

// form is what lz4V2 writes.
type form int

const (
	literalBlock    form = iota // for 3.25.0 and later
	compressedBlock             // for 4.5.0 and later
	storedFrame                 // for 3.24
)

// lz4V2 is lz4Block, or an LZ4 frame.
type lz4V2 struct{ form form }

// mostLiterals is what the decoders of 3.25.0 to 4.4 return of a block: what one
// read of Commons Compress's stream gives.
const mostLiterals = 196_608

func (f lz4V2) pack(dst, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return nil, errors.New("no bytes: Java's LZ4CodecV2 can neither write nor read an empty value")
	}
	switch f.form {
	case compressedBlock:
		return lz4Block{}.pack(dst, raw)
	case storedFrame:
		return appendFrame(dst, raw)
	case literalBlock:
	}
	if len(raw) > mostLiterals {
		return nil, fmt.Errorf("%d bytes, of which LZ4CodecV2 before Redisson 4.5.0 reads the first %d: "+
			`use Since("4.5.0") if all Java readers are that new`, len(raw), mostLiterals)
	}
	return appendLiterals(binary.BigEndian.AppendUint32(dst, uint32(len(raw))), raw), nil
}

func (lz4V2) expands(payload []byte) int {
	if isLZ4Frame(payload) {
		return lz4Most * len(payload)
	}
	return lz4Block{}.expands(payload)
}

func (lz4V2) unpack(dst, payload []byte, limit int) ([]byte, *fault) {
	if isLZ4Frame(payload) {
		return readLZ4Frame(dst, payload, limit)
	}
	if len(payload) == 0 {
		return nil, faultf(0, "no bytes")
	}
	return lz4Block{}.unpack(dst, payload, limit)
}
