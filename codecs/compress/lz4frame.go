package compress

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// The LZ4 frame, as Redisson 3.24 wrote it with Commons Compress: magic, a
// descriptor of independent or linked blocks, blocks with their length before
// each, an end mark, a checksum.
const (
	lz4Magic = 0x184d2204

	flagVersion        = 0x40 // 01 in the top bits
	flagIndependent    = 0x20
	flagBlockChecksum  = 0x10
	flagContentSize    = 0x08
	flagContentChecked = 0x04
	flagReserved       = 0x02
	flagDictionary     = 0x01

	frameFlags = flagVersion | flagIndependent | flagContentChecked
	frameSize  = 0x70 // blocks of up to 4 MiB

	storedBit = 1 << 31
	lz4Window = 64 << 10
)

// mostStored is what the decoder of 3.24 returns of a frame: its first block.
const mostStored = 4 << 20

// isLZ4Frame tells a frame from a block. As the length of a block the magic and the
// flags would be more than 69 million bytes; the descriptor's checksum decides.
func isLZ4Frame(p []byte) bool {
	if len(p) < 7 || binary.LittleEndian.Uint32(p) != lz4Magic {
		return false
	}
	_, _, f := lz4Descriptor(p)
	return f == nil
}

// lz4Descriptor returns the flags and the place of the first block.
func lz4Descriptor(p []byte) (flags byte, at int, f *fault) {
	flags, at = p[4], 6
	if flags&flagContentSize != 0 {
		at += 8
	}
	if flags&flagDictionary != 0 {
		at += 4
	}
	switch {
	case flags>>6 != 1 || flags&flagReserved != 0:
		return 0, 0, faultf(4, "frame flags %02x", flags)
	case len(p) <= at:
		return 0, 0, faultf(len(p), "the frame ends within its descriptor")
	case p[at] != byte(xxh32(p[4:at])>>8):
		return 0, 0, faultf(at, "the checksum of the frame's descriptor is wrong")
	case flags&flagDictionary != 0:
		return 0, 0, faultf(4, "the frame needs a dictionary")
	}
	return flags, at + 1, nil
}

// readLZ4Frame appends what a frame holds to dst.
func readLZ4Frame(dst, p []byte, limit int) ([]byte, *fault) {
	flags, at, f := lz4Descriptor(p)
	if f != nil {
		return nil, f
	}
	start := len(dst)
	for {
		if len(p)-at < 4 {
			return nil, faultf(at, "the frame ends without its end mark")
		}
		size := binary.LittleEndian.Uint32(p[at:])
		at += 4
		if size == 0 {
			break
		}
		n := int(size &^ storedBit)
		if n > len(p)-at {
			return nil, faultf(at, "a block of %d bytes, there are %d", n, len(p)-at)
		}
		from := start
		if flags&flagIndependent != 0 {
			from = len(dst)
		}
		if dst, f = lz4FrameBlock(dst, p[at:at+n], size&storedBit != 0, from, limit-(len(dst)-start)); f != nil {
			f.offset += at
			return nil, f
		}
		if at += n; flags&flagBlockChecksum != 0 {
			at += 4
		}
	}
	if flags&flagContentChecked != 0 {
		if len(p)-at < 4 {
			return nil, faultf(at, "the frame ends without its checksum")
		}
		if binary.LittleEndian.Uint32(p[at:]) != xxh32(dst[start:]) {
			return nil, faultf(at, "the checksum of the frame's content is wrong")
		}
		at += 4
	}
	if at != len(p) {
		return nil, faultf(at, "%d bytes after the frame", len(p)-at)
	}
	return dst, nil
}

// lz4FrameBlock appends one block; matches reach back to from.
func lz4FrameBlock(dst, block []byte, stored bool, from, limit int) ([]byte, *fault) {
	if stored {
		if len(block) > limit {
			return nil, faultf(0, "the block expands to more than the %d bytes that there may be", limit)
		}
		return append(dst, block...), nil
	}
	return lz4Expand(dst, block, dst[max(from, len(dst)-lz4Window):], limit)
}

// appendFrame appends a frame that holds raw as it is, in one block.
func appendFrame(dst, raw []byte) ([]byte, error) {
	if len(raw) > mostStored {
		return nil, fmt.Errorf("%d bytes, of which LZ4CodecV2 of Redisson 3.24 reads the first %d: "+
			`use Since("4.5.0") if all Java readers are that new`, len(raw), mostStored)
	}
	dst = slices.Grow(dst, len(raw)+19)
	dst = binary.LittleEndian.AppendUint32(dst, lz4Magic)
	dst = append(dst, frameFlags, frameSize)
	dst = append(dst, byte(xxh32(dst[len(dst)-2:])>>8))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw))|storedBit)
	dst = append(dst, raw...)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return binary.LittleEndian.AppendUint32(dst, xxh32(raw)), nil
}

// xxh32 is the hash of LZ4 frames, XXH32 with seed 0.
func xxh32(p []byte) uint32 {
	const (
		p1 uint32 = 2654435761
		p2 uint32 = 2246822519
		p3 uint32 = 3266489917
		p4 uint32 = 668265263
		p5 uint32 = 374761393
	)
	h := p5
	n := uint32(len(p))
	if len(p) >= 16 {
		lanes := [4]uint32{p1, p2, 0, 0}
		lanes[0] += p2
		lanes[3] -= p1
		for ; len(p) >= 16; p = p[16:] {
			for i := range lanes {
				lanes[i] = bits.RotateLeft32(lanes[i]+binary.LittleEndian.Uint32(p[4*i:])*p2, 13) * p1
			}
		}
		h = bits.RotateLeft32(lanes[0], 1) + bits.RotateLeft32(lanes[1], 7) + bits.RotateLeft32(lanes[2], 12) + bits.RotateLeft32(lanes[3], 18)
	}
	h += n
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(p)*p3, 17) * p4
	}
	for _, c := range p {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h ^= h >> 15
	h *= p2
	h ^= h >> 13
	h *= p3
	return h ^ h>>16
}
