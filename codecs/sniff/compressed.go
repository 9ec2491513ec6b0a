package sniff

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
)

// most bytes that wrappers expand are looked at, see most; mostWrapped bounds how
// many wrappers stand around each other.
const mostWrapped = 2

// frames are the compressing codecs around bytes as they are, each of which expands
// only what its structure says holds no more than the bound.
var frames = func() map[string]codecs.Codec {
	raw := codecs.ByteArray(codecs.PlainLimits(codecs.Limits{Bytes: most}))
	return map[string]codecs.Codec{
		"lz4": compress.LZ4(raw), "lz4v2": compress.LZ4V2(raw), "snappy": compress.Snappy(raw),
		"snappyv2": compress.SnappyV2(raw), "zstd": compress.ZStd(raw),
	}
}()

// expand returns what wrapper holds in p.
func expand(wrapper string, p []byte) ([]byte, error) {
	v, err := frames[wrapper].Decode(p)
	if err != nil {
		return nil, err
	}
	return v.([]byte), nil
}

// compressed knows the frames of the compressing codecs. All are expanded, so that
// the length must fit and the inside can be guessed.
func compressed(p []byte, depth int, found *[]Candidate) {
	switch {
	case len(p) > 8 && string(p[4:8]) == "\x28\xb5\x2f\xfd":
		magic(found, "zstd", Certain, "a length and 28 b5 2f fd, the magic of a zstd frame", p, depth)
		return
	case prefix(p, "\x28\xb5\x2f\xfd"):
		add(found, "zstd(?)", Fair, "28 b5 2f fd, the magic of a zstd frame, without the length that Redisson writes before it")
		return
	case prefix(p, "\x82SNAPPY\x00"):
		magic(found, "snappyv2", Strong, "82 53 4e 41 50 50 59 00, the header of xerial's Snappy, as Redisson 3.7.3 to 3.8.2 wrote it", p, depth)
		return
	case prefix(p, "\x04\x22\x4d\x18"):
		magic(found, "lz4v2", Strong, "04 22 4d 18, the magic of an LZ4 frame, as Redisson 3.24 wrote it", p, depth)
		return
	}
	if out, err := expand("lz4", p); err == nil && len(out) > 0 {
		inside(found, "lz4", Strong, fmt.Sprintf("a length and an LZ4 block that expands to just these %d bytes", len(out)), out, depth)
		inside(found, "lz4v2", Weak, "LZ4CodecV2 writes what LZ4Codec does since Redisson 3.25", out, depth)
	}
	if out, err := expand("snappy", p); err == nil && len(out) > 0 {
		inside(found, "snappy", Strong, "lengths and Snappy blocks that end where the payload ends", out, depth)
	}
	if out, err := expand("snappyv2", p); err == nil && len(out) > 0 {
		snappyV2(out, depth, found)
	}
}

// magic adds a wrapper that names itself, with what it holds where that can be seen.
func magic(found *[]Candidate, wrapper string, c Confidence, why string, p []byte, depth int) {
	out, err := expand(wrapper, p)
	if err != nil {
		add(found, wrapper+"(?)", c, why+"; but it does not expand: "+reason(err))
		return
	}
	inside(found, wrapper, c, why, out, depth)
}

// reason is what an error says beside where it is.
func reason(err error) string {
	//nolint:errorlint // the codec's own error
	if e, ok := err.(*codecs.DecodeError); ok {
		return e.Reason
	}
	return err.Error()
}

// snappyV2 adds a bare Snappy block, which has no frame: worth as much as what
// is found inside.
func snappyV2(out []byte, depth int, found *[]Candidate) {
	in := guess(out, depth+1)
	if len(in) == 0 || in[0].Codec == "bytearray" {
		return
	}
	c := Weak
	if in[0].Confidence >= Fair {
		c = Fair
	}
	add(found, "snappyv2("+in[0].Codec+")", c, "a Snappy block of exactly this length; inside: "+in[0].Why)
}

// inside adds the wrapper with the likeliest codec of what it holds. The confidence is
// that in the wrapper; what stands inside may be worth less, which is said with it.
func inside(found *[]Candidate, wrapper string, c Confidence, why string, out []byte, depth int) {
	name := "?"
	if in := guess(out, depth+1); len(in) > 0 {
		name = in[0].Codec
		why += "; inside: " + in[0].Why
		if in[0].Confidence < Strong {
			why += " (" + in[0].Confidence.String() + ")"
		}
	}
	add(found, wrapper+"("+name+")", c, why)
}
