package kryo5

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

func (d *decoder) int8() (int8, error) {
	v, err := d.byte()
	return int8(v), err
}

func (d *decoder) int16() (int16, error) {
	v, err := d.fixed16()
	return int16(v), err
}

func (d *decoder) int32() (int32, error) {
	v, err := d.fixed32()
	return int32(v), err
}

func (d *decoder) int64() (int64, error) {
	v, err := d.fixed64()
	return int64(v), err
}

func (d *decoder) char() (java.Char, error) {
	v, err := d.fixed16()
	return java.Char(v), err
}

func (d *decoder) float32() (float32, error) {
	v, err := d.fixed32()
	return math.Float32frombits(v), err
}

func (d *decoder) float64() (float64, error) {
	v, err := d.fixed64()
	return math.Float64frombits(v), err
}

func readString(d *decoder, _ *class, _ *layout.Type) (any, error) {
	s, null, err := d.string()
	if null || err != nil {
		return nil, err
	}
	return d.boxes.Box(s), nil
}

func readBigInteger(d *decoder, _ *class, _ *layout.Type) (any, error) {
	v, err := d.bigInt()
	if v == nil || err != nil {
		return nil, err
	}
	return v, nil
}

// bigInt reads two's complement, big-endian; nil means null.
func (d *decoder) bigInt() (*big.Int, error) {
	start := d.at
	n, null, err := d.count()
	if null || err != nil {
		return nil, err
	}
	b, err := d.fixed(n)
	if err != nil {
		return nil, err
	}
	if n == 0 || n > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		return nil, d.fault(start, "a big integer is not in its shortest form")
	}
	if n <= 8 && bits.UintSize == 64 {
		return smallBigInt(b), nil
	}
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v, nil
}

func readBigDecimal(d *decoder, _ *class, _ *layout.Type) (any, error) {
	v, err := d.bigInt()
	if v == nil || err != nil {
		return nil, err
	}
	scale, err := d.zz32()
	if err != nil {
		return nil, err
	}
	return java.BigDecimal{Unscaled: v, Scale: scale}, nil
}

func readDate(d *decoder, c *class, _ *layout.Type) (any, error) {
	v, err := d.uv64()
	return java.Date{Class: c.name, Millis: int64(v)}, err
}

func writeBigInteger(e *encoder, _ *class, v *big.Int) error {
	e.out = appendBigInt(e.out, v)
	return nil
}

func writeBigDecimal(e *encoder, _ *class, v java.BigDecimal) error {
	e.out = appendZZ32(appendBigInt(e.out, v.Unscaled), v.Scale)
	return nil
}

// writeDate writes milliseconds. Kryo loses the nanoseconds of a Timestamp.
func writeDate(e *encoder, _ *class, v java.Date) error {
	e.out = appendUV64(e.out, uint64(v.Millis))
	return nil
}

// appendBigInt writes v as bigInt reads it; nil counts as 0.
func appendBigInt(dst []byte, v *big.Int) []byte {
	var b []byte
	switch {
	case v == nil || v.Sign() == 0:
		b = []byte{0}
	case v.Sign() > 0:
		b = v.Bytes()
		if b[0] >= 0x80 {
			b = append([]byte{0}, b...)
		}
	default:
		// BitLen of -v-1 says how many bytes two's complement needs.
		n := uint(new(big.Int).Not(v).BitLen()/8 + 1)
		b = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), 8*n)).FillBytes(make([]byte, n))
	}
	return append(appendUV32(dst, uint32(len(b))+1), b...)
}
