package cbor

import (
	"math"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// The tags that Java knows. It ignores all others.
const (
	tagPositive  = 2
	tagNegative  = 3
	tagDecimal   = 4
	tagReference = 25
	tagNamespace = 256
)

// maxBignum bounds the bytes of a big number, as Jackson does since 2.15: what is
// made of one takes more than linear time.
const maxBignum = 1000

// tags are those before a value that mean something.
type tags struct {
	positive, negative, decimal, reference bool
}

// tags reads the tags of a value, the first of which is h, and the head behind them.
func (r *reader) tags(h head) (tags, head, error) {
	var t tags
	at := h.at
	for h.major() == majorTag {
		switch h.arg {
		case tagPositive:
			t.positive = true
		case tagNegative:
			t.negative = true
		case tagDecimal:
			t.decimal = true
		case tagReference:
			t.reference = true
		case tagNamespace:
			return t, h, r.reference(at)
		}
		var err error
		if h, err = r.head(); err != nil {
			return t, h, err
		}
	}
	return t, h, nil
}

func (r *reader) reference(at int) error {
	return r.Fail(at, "references to strings (tags 25 and 256, CBORGenerator.Feature.STRINGREF): "+
		"Redisson's codecs have them switched off, and they are not read here")
}

func (r *reader) integer(at int, h head) {
	if h.arg <= math.MaxInt64 {
		r.Add(token.Int, at, uint64(h.whole())) // its bits
		return
	}
	r.AddBig(at, bigOf(h))
}

// whole returns the number of an integer within 64 bits.
func (h head) whole() int64 {
	if h.major() == majorNegative {
		return ^int64(h.arg)
	}
	return int64(h.arg)
}

func bigOf(h head) *big.Int {
	n := new(big.Int).SetUint64(h.arg)
	if h.major() == majorNegative {
		n.Not(n)
	}
	return n
}

func (r *reader) bignum(at int, h head, t tags) error {
	n, err := r.bigBytes(at, h, t)
	if err == nil {
		r.AddBignum(at, n)
	}
	return err
}

// bigBytes reads the bytes of a number as Java does. The standard has the magnitude
// n for a positive number and -1-n for a negative one. Java's BigInteger has signed
// bytes, which Jackson writes and reads as they are for positive ones. Of negative
// ones Jackson 2 writes and reads the magnitude, Jackson 3 follows the standard.
func (r *reader) bigBytes(at int, h head, t tags) (*big.Int, error) {
	b, from, err := r.span(at, h, "a number")
	if err != nil {
		return nil, err
	}
	if from >= 0 {
		defer func() { r.Extra = r.Extra[:from] }()
	}
	if len(b) > maxBignum {
		return nil, r.Fail(at, "a number of %d bytes: Java takes at most %d", len(b), maxBignum)
	}
	negative := t.negative && !t.positive
	if negative && r.rules.Jackson == 3 && len(b) > 0 {
		n := new(big.Int).SetBytes(b)
		return n.Not(n), nil
	}
	n := jdk.SignedInteger(b)
	if negative {
		n.Neg(n)
	}
	return n, nil
}

func (r *reader) decimal(at int, h head) error {
	if h.indefinite() || h.arg != 2 {
		return r.Fail(at, "a decimal fraction (tag 4) is an array of two numbers of definite length")
	}
	h, err := r.head()
	if err != nil {
		return err
	}
	// A scale is an int in Java; its smallest value cannot be negated.
	if m := h.major(); m != majorUint && m != majorNegative || h.arg > math.MaxInt32 || m == majorNegative && h.arg == math.MaxInt32 {
		return r.Fail(h.at, "the exponent of a decimal fraction is no int of Java")
	}
	scale := -int32(h.arg) // checked
	if h.major() == majorNegative {
		scale = int32(h.arg) + 1 // checked
	}
	if wrongSign(r.rules) {
		scale = -scale
	}
	mantissa, err := r.mantissa()
	if err == nil {
		r.AddDecimal(at, java.BigDecimal{Unscaled: mantissa, Scale: scale})
	}
	return err
}

func (r *reader) mantissa() (*big.Int, error) {
	h, err := r.head()
	if err != nil {
		return nil, err
	}
	at := h.at
	var t tags
	if h.major() == majorTag {
		if t, h, err = r.tags(h); err != nil {
			return nil, err
		}
	}
	switch major := h.major(); {
	case major == majorBytes && (t.positive || t.negative):
		return r.bigBytes(at, h, t)
	case major == majorUint || major == majorNegative:
		return bigOf(h), nil
	}
	return nil, r.Fail(at, "the mantissa of a decimal fraction is no whole number")
}

// simple reads the rest: booleans, null, floats and simple values.
func (r *reader) simple(at int, h head) error {
	switch h.info() {
	case 20, 21:
		r.Add(token.Bool, at, uint64(h.info()-20))
	case 22, 23: // null, undefined
		r.Add(token.Null, at, 0)
	case 25:
		r.AddFloat32(at, half(uint16(h.arg))) // two bytes
	case 26:
		r.AddFloat32(at, math.Float32frombits(uint32(h.arg))) // four bytes
	case 27:
		r.AddFloat(at, math.Float64frombits(h.arg))
	default:
		switch {
		case h.info() == 24 && h.arg < 32:
			return r.Fail(at, "simple value %d in two bytes", h.arg)
		case r.rules.Jackson == 3:
			return r.Fail(at, "simple value %d: Java makes a CBORSimpleValue of it, which it does not write back", h.arg)
		}
		r.Add(token.Int, at, h.arg) // so does Jackson since 2.12
	}
	return nil
}

// half returns the number of a float of 16 bits: a sign, five bits of exponent, ten of
// fraction.
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits)>>15<<31, uint32(bits)>>10&0x1F, uint32(bits)&0x3FF
	switch exponent {
	case 0: // fraction × 2^-24
		return math.Float32frombits(math.Float32bits(float32(fraction)*0x1p-24) | sign)
	case 0x1F: // infinite, or no number
		return math.Float32frombits(sign | 0xFF<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
