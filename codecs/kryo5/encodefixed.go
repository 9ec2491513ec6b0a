package kryo5

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// fixed writes the scalars of fixed width, big numbers and times.
func (e *encoder) fixed(c *class, v any) error {
	switch v := v.(type) {
	case int16:
		e.out = binary.LittleEndian.AppendUint16(e.out, uint16(v))
	case java.Char:
		e.out = binary.LittleEndian.AppendUint16(e.out, uint16(v))
	case float32:
		e.out = binary.LittleEndian.AppendUint32(e.out, floatBits(v))
	case float64:
		e.out = binary.LittleEndian.AppendUint64(e.out, doubleBits(v))
	case *big.Int:
		e.out = appendBigInt(e.out, v)
	case java.BigDecimal:
		e.out = appendZZ32(appendBigInt(e.out, v.Unscaled), v.Scale)
	case java.Date:
		e.out = appendUV64(e.out, uint64(v.Millis))
	default:
		return e.time(c, v)
	}
	return nil
}

// time writes the classes of java.time. Values that Java could not read back are
// errors.
func (e *encoder) time(c *class, v any) error {
	valid := false
	switch v := v.(type) {
	case java.Instant:
		valid = v.Seconds >= minInstant && v.Seconds <= maxInstant && validNanos(v.Nanos)
		e.out = appendUV32(appendUV64(e.out, uint64(v.Seconds)), uint32(v.Nanos))
	case java.Duration:
		valid = validNanos(v.Nanos)
		e.out = appendUV32(binary.LittleEndian.AppendUint64(e.out, uint64(v.Seconds)), uint32(v.Nanos))
	case java.LocalDate:
		valid = validDate(v)
		e.out = appendLocalDate(e.out, v)
	case java.LocalTime:
		valid = validTime(v)
		e.out = appendLocalTime(e.out, v)
	case java.LocalDateTime:
		valid = validDate(v.Date) && validTime(v.Time)
		e.out = appendLocalTime(appendLocalDate(e.out, v.Date), v.Time)
	}
	if !valid {
		return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: fmt.Sprintf("%+v is no %s", v, c.name)}
	}
	return nil
}

func validNanos(n int32) bool { return n >= 0 && n <= maxNanos }

// floatBits and doubleBits write every NaN as Java's canonical one.
func floatBits(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

func doubleBits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}
