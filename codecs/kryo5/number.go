package kryo5

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// alone is what nodes have in common whose values are never null and have one class.
type alone struct {
	place
	as *class
}

func (n *alone) of(*encoder, memory.Place) (*class, any, error) { return n.as, nil, nil }
func (n *alone) usual() *class                                  { return n.as }

type intNode struct {
	alone
	kind reflect.Kind
}

func (n *intNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	v, ok := memory.LoadInt(n.kind, p)
	if ok && e.int(c.id, v) {
		return nil
	}
	return n.misfit(e, c, p)
}

// misfit is the error for a number that is none of class c.
func (n *alone) misfit(e *encoder, c *class, p memory.Place) error {
	if _, err := e.tree.plan.java.LowerFrom(n.desc, n.variable(p)); err != nil {
		return bridge.Named(name, err)
	}
	return n.fault("it is no %s", java.TypeOf(c.name).Unboxed())
}

// int writes v as one of Java's whole numbers; false where it does not fit.
func (e *encoder) int(id uint32, v int64) bool {
	switch id {
	case idInteger:
		e.out = appendZZ32(e.out, int32(v))
		return int64(int32(v)) == v
	case idLong:
		e.out = appendZZ64(e.out, v)
		return true
	case idShort:
		e.out = binary.LittleEndian.AppendUint16(e.out, uint16(v))
		return int64(int16(v)) == v
	case idByte:
		e.out = append(e.out, byte(v))
		return int64(int8(v)) == v
	}
	return false
}

func (n *intNode) read(d *decoder, c *class, p memory.Place) error {
	start := d.at
	var v int64
	var err error
	switch c.id {
	case idInteger:
		var i int32
		i, err = d.zz32()
		v = int64(i)
	case idLong:
		v, err = d.zz64()
	case idShort:
		var i int16
		i, err = d.int16()
		v = int64(i)
	case idByte:
		var i int8
		i, err = d.int8()
		v = int64(i)
	default:
		return d.convert(&n.place, c, p)
	}
	if err != nil || memory.StoreInt(n.kind, p, v) {
		return err
	}
	d.at = start
	return d.convert(&n.place, c, p) // which says why it does not fit
}

type floatNode struct {
	alone
	double bool
}

func (n *floatNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	var v float64
	if n.double {
		v = *memory.At[float64](p)
	} else {
		v = float64(*memory.At[float32](p))
	}
	switch c.id {
	case idDouble:
		e.out = doubles.write(e.out, v)
		return nil
	case idFloat:
		if float64(float32(v)) == v || v != v {
			e.out = floats.write(e.out, float32(v))
			return nil
		}
	}
	return n.misfit(e, c, p)
}

func (n *floatNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case n.double && c.id == idDouble:
		v, err := d.fixed64()
		*memory.At[float64](p) = math.Float64frombits(v)
		return err
	case c.id == idFloat:
		v, err := d.float32()
		if n.double {
			*memory.At[float64](p) = float64(v)
		} else {
			*memory.At[float32](p) = v
		}
		return err
	}
	return d.convert(&n.place, c, p)
}

// formNode carries values that have one class and one form.
type formNode[T any] struct {
	alone
	form[T]
}

func (n *formNode[T]) write(e *encoder, _ *class, p memory.Place, _ any) error {
	e.out = n.form.write(e.out, *memory.At[T](p))
	return nil
}

func (n *formNode[T]) read(d *decoder, c *class, p memory.Place) (err error) {
	if c != n.as {
		return d.convert(&n.place, c, p)
	}
	*memory.At[T](p), err = n.form.read(d)
	return err
}

type textNode struct{ alone }

func (n *textNode) write(e *encoder, _ *class, p memory.Place, _ any) error {
	return e.string(*memory.At[string](p))
}

func (n *textNode) read(d *decoder, c *class, p memory.Place) error {
	if c.id != idString {
		return d.convert(&n.place, c, p)
	}
	start := d.at
	s, null, err := d.string()
	if null && err == nil {
		err = d.noNull(c, start)
	}
	*memory.At[string](p) = s
	return err
}

type bytesNode struct{ alone }

func (n *bytesNode) of(_ *encoder, p memory.Place) (*class, any, error) {
	if memory.Pointee(p) == nil {
		return nil, nil, nil
	}
	return n.as, nil, nil
}

func (n *bytesNode) read(d *decoder, c *class, p memory.Place) error {
	if c != n.as {
		return d.convert(&n.place, c, p)
	}
	start := d.at
	b, err := d.bytes()
	if b == nil && err == nil {
		err = d.noNull(c, start)
	}
	*memory.At[[]byte](p) = b
	return err
}

func (n *bytesNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	return writeBytes(e, c, *memory.At[[]byte](p))
}

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
	return jdk.SignedInteger(b), nil
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

// decimals are BigDecimals that are not null.
var decimals = form[java.BigDecimal]{
	func(d *decoder) (java.BigDecimal, error) {
		start := d.at
		v, err := d.decimal()
		if err == nil && v.Unscaled == nil {
			err = d.noNull(d.known.byName["java.math.BigDecimal"], start)
		}
		return v, err
	},
	func(dst []byte, v java.BigDecimal) []byte { return appendZZ32(appendBigInt(dst, v.Unscaled), v.Scale) },
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
	e.out = decimals.write(e.out, v)
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

// timeNode carries time.Time as java.util.Date, one of its relatives, or
// java.time.Instant. The zero time is null.
type timeNode struct {
	alone
	instant *class
}

func (n *timeNode) of(_ *encoder, p memory.Place) (*class, any, error) {
	if memory.At[time.Time](p).IsZero() {
		return nil, nil, nil
	}
	return n.as, nil, nil
}

func (n *timeNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	t := memory.At[time.Time](p)
	if c != n.instant {
		e.out = appendUV64(e.out, uint64(t.UnixMilli()))
		return nil
	}
	seconds := t.Unix()
	if !jdk.ValidInstant(seconds) {
		return n.fault("its parts make no %s", c.name)
	}
	e.out = appendUV32(appendUV64(e.out, uint64(seconds)), uint32(t.Nanosecond()))
	return nil
}

func (n *timeNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case c == n.instant:
		start := d.at
		seconds, err := d.uv64()
		if err != nil {
			return err
		}
		nanos, err := d.uv32()
		if err == nil && (!jdk.ValidInstant(int64(seconds)) || nanos > jdk.MaxNanos) {
			err = d.fault(start, "%d seconds and %d nanoseconds are beyond java.time.Instant", int64(seconds), nanos)
		}
		*memory.At[time.Time](p) = time.Unix(int64(seconds), int64(nanos)).UTC()
		return err
	case c == n.as || dates[c.name] || c.super == java.ClassDate:
		v, err := d.uv64()
		*memory.At[time.Time](p) = time.UnixMilli(int64(v)).UTC()
		return err
	}
	return d.convert(&n.place, c, p)
}
