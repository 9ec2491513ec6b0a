package smile

import (
	"math"
	"math/big"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// vint reads a number of up to most bytes: seven bits in each, six in the last, which
// has its highest bit set. The first few must not be the last.
func (r *reader) vint(at, few, most int) (uint64, error) {
	var u uint64
	for n := 1; ; n++ {
		if r.pos >= len(r.in) {
			return 0, r.Fail(at, "the payload ends within a number")
		}
		c := r.in[r.pos]
		r.pos++
		if c >= 0x80 {
			if n <= few || u>>58 != 0 {
				return 0, r.Fail(at, "a number of %d bytes that has too few or too many bits", n)
			}
			return u<<6 | uint64(c&0x3F), nil
		}
		if n == most || u>>57 != 0 {
			return 0, r.Fail(at, "a number of more than %d bytes, or of too many bits", n)
		}
		u = u<<7 | uint64(c)
	}
}

// uvint reads a number of 31 bits: a length or scale.
func (r *reader) uvint(at int) (int, error) {
	u, err := r.vint(at, 0, 5)
	if err == nil && u > math.MaxInt32 {
		err = r.Fail(at, "%d is too large for a length or scale", u)
	}
	return int(u), err
}

// whole reads an int, or a long, of which Jackson takes the first four bytes without
// looking for an end.
func (r *reader) whole(at int, long bool) error {
	few, most := 0, 5
	if long {
		few, most = 4, 11
	}
	u, err := r.vint(at, few, most)
	if err != nil {
		return err
	}
	n := unzigzag(u)
	if within := n >= math.MinInt32 && n <= math.MaxInt32; !within && !long {
		return r.Fail(at, "an int of more than 32 bits")
	} else if i := r.Add(token.Int, at, uint64(n)); within && long {
		r.Tokens[i].Flags |= token.FlagLong
	}
	return nil
}

// septets reads n bytes of seven bits as one number, of which the lowest 64 bits count.
func (r *reader) septets(at, n int) (v uint64, first byte, err error) {
	b, err := r.take(at, n)
	if err != nil {
		return 0, 0, err
	}
	for _, c := range b {
		if c >= 0x80 {
			return 0, 0, r.Fail(at, "byte %02X within a number of seven bits each", c)
		}
		v = v<<7 | uint64(c)
	}
	return v, b[0], nil
}

func (r *reader) float32(at int) error {
	v, first, err := r.septets(at, 5)
	if err != nil {
		return err
	}
	// Five bytes are three bits too many: 0, and up to Jackson 2.18 the sign.
	if spare := first >> 4; spare != 0 && (spare != 7 || first&8 == 0) {
		return r.Fail(at, "a float of more than 32 bits")
	}
	r.AddFloat32(at, math.Float32frombits(uint32(v)))
	return nil
}

func (r *reader) float64(at int) error {
	v, first, err := r.septets(at, 10)
	if err != nil {
		return err
	}
	if first > 1 {
		return r.Fail(at, "a double of more than 64 bits")
	}
	r.AddFloat(at, math.Float64frombits(v))
	return nil
}

func (r *reader) big(at int) error {
	n, err := r.bigInt(at)
	if err != nil {
		return err
	}
	r.AddBig(at, n)
	return nil
}

func (r *reader) decimal(at int) error {
	scale, err := r.uvint(at)
	if err != nil {
		return err
	}
	n, err := r.bigInt(at)
	if err != nil {
		return err
	}
	if len(r.scratch) == 0 {
		scale = 0 // as in Jackson: of no bytes is 0, whatever its scale
	}
	r.AddDecimal(at, java.BigDecimal{Unscaled: n, Scale: int32(unzigzag(uint64(scale)))})
	return nil
}

// bigInt reads the bytes of a number in two's complement. None are 0, as in Jackson
// since 2.12.3.
func (r *reader) bigInt(at int) (*big.Int, error) {
	size, err := r.uvint(at)
	if err != nil {
		return nil, err
	}
	if size > maxNumberBytes {
		return nil, r.Fail(at, "a number of %d bytes: more than %d are not carried, nor read by Jackson since 2.15", size, maxNumberBytes)
	}
	r.scratch, err = r.unpack(r.scratch[:0], at, size)
	if err != nil {
		return nil, err
	}
	return jdk.SignedInteger(r.scratch), nil
}

// binary reads bytes: as they are, or in groups of seven bits.
func (r *reader) binary(at int, raw bool) error {
	n, err := r.uvint(at)
	if err != nil {
		return err
	}
	if n > r.Limits().StringBytes {
		return r.StringTooLong(at)
	}
	if raw {
		if _, err = r.take(at, n); err == nil {
			r.AddText(token.Bytes, 0, at, r.pos-n, n)
		}
		return err
	}
	from := len(r.Extra)
	if r.Extra, err = r.unpack(r.Extra, at, n); err == nil {
		r.AddExtra(token.Bytes, at, from)
	}
	return err
}

// unpack appends n bytes in groups of seven bits.
func (r *reader) unpack(dst []byte, at, n int) ([]byte, error) {
	b, err := r.take(at, (8*n+6)/7)
	if err != nil {
		return dst, err
	}
	bits, have := uint64(0), 0
	for i, c := range b {
		size := 7
		if rest := n % 7; rest > 0 && i == len(b)-1 { // it has the lowest bits, at its lower end
			if size = rest; c>>rest != 0 {
				return dst, r.Fail(at, "the last of bytes of seven bits each has more than %d bits", rest)
			}
		}
		if c >= 0x80 {
			return dst, r.Fail(at, "a byte above 7F within bytes of seven bits each")
		}
		if bits, have = bits<<size|uint64(c), have+size; have >= 8 {
			have -= 8
			dst = append(dst, byte(bits>>have))
		}
	}
	return dst, nil
}
