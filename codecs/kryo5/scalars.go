package kryo5

import (
	"math"
	"math/big"

	"github.com/duequeue/duequeue/codecs/java"
)

func readInteger(d *decoder, _ *class) (any, error) {
	v, err := d.zz32()
	return v, err
}

func readLong(d *decoder, _ *class) (any, error) {
	v, err := d.zz64()
	return v, err
}

func readShort(d *decoder, _ *class) (any, error) {
	v, err := d.fixed16()
	return int16(v), err
}

func readChar(d *decoder, _ *class) (any, error) {
	v, err := d.fixed16()
	return java.Char(v), err
}

func readByte(d *decoder, _ *class) (any, error) {
	v, err := d.byte()
	return int8(v), err
}

func readBoolean(d *decoder, _ *class) (any, error) {
	v, err := d.flag()
	return v, err
}

func readFloat(d *decoder, _ *class) (any, error) {
	v, err := d.fixed32()
	return math.Float32frombits(v), err
}

func readDouble(d *decoder, _ *class) (any, error) {
	v, err := d.fixed64()
	return math.Float64frombits(v), err
}

func readString(d *decoder, _ *class) (any, error) {
	s, null, err := d.string()
	if null || err != nil {
		return nil, err
	}
	return s, nil
}

func readBytes(d *decoder, _ *class) (any, error) {
	start := d.at
	n, null, err := d.count()
	if null || err != nil {
		return nil, err
	}
	if n > d.remaining() {
		return nil, d.fault(start, "%d bytes cannot stand in the %d left", n, d.remaining())
	}
	b, err := d.fixed(n)
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, n), b...), nil
}

func readBigInteger(d *decoder, _ *class) (any, error) {
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
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v, nil
}

func readBigDecimal(d *decoder, _ *class) (any, error) {
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
