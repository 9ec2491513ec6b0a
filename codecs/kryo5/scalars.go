package kryo5

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/memory"
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

// form is how values of a Go type are written.
type form[T any] struct {
	read  func(*decoder) (T, error)
	write func([]byte, T) []byte
}

var (
	bools      = form[bool]{(*decoder).flag, func(dst []byte, v bool) []byte { return append(dst, flagByte(v)) }}
	shorts     = form[int16]{(*decoder).int16, func(dst []byte, v int16) []byte { return binary.LittleEndian.AppendUint16(dst, uint16(v)) }}
	chars      = form[java.Char]{(*decoder).char, func(dst []byte, v java.Char) []byte { return binary.LittleEndian.AppendUint16(dst, uint16(v)) }}
	ints       = form[int32]{(*decoder).zz32, appendZZ32}
	fixedInts  = form[int32]{(*decoder).int32, func(dst []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(v)) }}
	longs      = form[int64]{(*decoder).zz64, appendZZ64}
	fixedLongs = form[int64]{(*decoder).int64, func(dst []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(v)) }}
	floats     = form[float32]{(*decoder).float32, func(dst []byte, v float32) []byte {
		return binary.LittleEndian.AppendUint32(dst, javatext.FloatBits(v))
	}}
	doubles = form[float64]{(*decoder).float64, func(dst []byte, v float64) []byte {
		return binary.LittleEndian.AppendUint64(dst, javatext.DoubleBits(v))
	}}
)

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
		v := int64(int8(b[0]))
		for _, low := range b[1:] {
			v = v<<8 | int64(low)
		}
		return memory.Big(v), nil
	}
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v, nil
}

func readBigDecimal(d *decoder, _ *class, _ *layout.Type) (any, error) {
	v, err := d.decimal()
	if v.Unscaled == nil || err != nil {
		return nil, err
	}
	return v, nil
}

// decimal reads a BigDecimal; one without a number means null.
func (d *decoder) decimal() (v java.BigDecimal, err error) {
	if v.Unscaled, err = d.bigInt(); err == nil && v.Unscaled != nil {
		v.Scale, err = d.zz32()
	}
	return v, err
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
	if v == nil || v.IsInt64() {
		var small int64
		if v != nil {
			small = v.Int64()
		}
		width := bits.Len64(uint64(small^small>>63))/8 + 1
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(small))
		return append(append(dst, byte(width+1)), b[8-width:]...)
	}
	// BitLen of -v-1 says how many bytes two's complement needs.
	n := v.BitLen()/8 + 1
	if v.Sign() < 0 {
		n = new(big.Int).Not(v).BitLen()/8 + 1
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return append(appendUV32(dst, uint32(n)+1), v.FillBytes(make([]byte, n))...)
}
