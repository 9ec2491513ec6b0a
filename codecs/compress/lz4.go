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
	if f != nil {
		return nil, f.foreign(payload)
	}
	block := payload[4:]
	size, f := lz4Size(block, 0, n)
	switch {
	case f != nil:
		f.offset += 4
		return nil, f
	case size != n:
		return nil, faultf(4, "the block expands to %d bytes, its length says %d", size, n)
	case n == 0:
		return dst, nil
	}
	out := slices.Grow(dst, n)
	at := len(out)
	got, err := lz4.UncompressBlock(block, out[at:at+n])
	if err != nil || got != n {
		return nil, &fault{offset: 4, reason: fmt.Sprintf("the block expands to %d bytes, its length says %d", got, n), err: err}
	}
	return out[:at+n], nil
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

// foreign adds to a fault in the length that no block of the payload's size expands to
// so much: payloads of other codecs begin with such bytes.
func (f *fault) foreign(payload []byte) *fault {
	if len(payload) >= 4 && int64(binary.BigEndian.Uint32(payload)) > lz4Most*int64(len(payload)) {
		f.reason += fmt.Sprintf("; %d bytes cannot hold so many: another codec may have written them", len(payload))
	}
	return f
}

// lz4Size returns to how many bytes a block expands, without expanding it: at most
// the given ones, after window bytes that its matches may reach back to.
func lz4Size(block []byte, window, most int) (int, *fault) {
	done, at := 0, 0
	for at < len(block) {
		token := block[at]
		literals, next := lz4Length(block, at+1, int(token>>4), most)
		if literals < 0 || literals > len(block)-next {
			return 0, faultf(at, "the block ends within a sequence")
		}
		done += literals
		if done > most {
			return 0, tooMany(most)
		}
		if at = next + literals; at == len(block) {
			return done, nil
		}
		if len(block)-at < 2 {
			return 0, faultf(at, "the block ends within a sequence")
		}
		if offset := int(binary.LittleEndian.Uint16(block[at:])); offset == 0 || offset > done+window {
			return 0, faultf(at, "a match %d bytes back, after %d bytes", offset, done+window)
		}
		match, after := lz4Length(block, at+2, int(token&15), most)
		if match < 0 {
			return 0, faultf(at, "the block ends within a sequence")
		}
		if done, at = done+match+4, after; done > most {
			return 0, tooMany(most)
		}
	}
	return 0, faultf(at, "the block ends without its last literals")
}

// lz4Length reads the bytes that lengthen a length of 15, until it is beyond most.
// It returns the place after them; a negative length where they are cut.
func lz4Length(block []byte, at, n, most int) (int, int) {
	if n < 15 {
		return n, at
	}
	for at < len(block) {
		c := block[at]
		at++
		if n += int(c); c != 255 || n > most {
			return n, at
		}
	}
	return -1, at
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
