package kryo5

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// timeNode carries time.Time as java.util.Date, one of its relatives, or
// java.time.Instant. The zero time is null.
type timeNode struct {
	alone
	instant *class
}

func (n *timeNode) classOf(_ *encoder, p memory.Place) (*class, error) {
	if memory.At[time.Time](p).IsZero() {
		return nil, nil
	}
	return n.as, nil
}

func (n *timeNode) write(e *encoder, c *class, p memory.Place) error {
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
	case c == n.as || dates[c.name]:
		v, err := d.uv64()
		*memory.At[time.Time](p) = time.UnixMilli(int64(v)).UTC()
		return err
	}
	return d.convert(&n.place, c, p)
}

// decimalNode carries java.BigDecimal.
type decimalNode struct{ alone }

func (n *decimalNode) write(e *encoder, c *class, p memory.Place) error {
	v := memory.At[java.BigDecimal](p)
	if v.Unscaled != nil && !v.Unscaled.IsInt64() {
		return writeBigDecimal(e, c, *v)
	}
	var unscaled int64
	if v.Unscaled != nil {
		unscaled = v.Unscaled.Int64()
	}
	width := bits.Len64(uint64(unscaled^unscaled>>63))/8 + 1
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(unscaled))
	e.out = append(append(e.out, byte(width+1)), b[8-width:]...)
	e.out = appendZZ32(e.out, v.Scale)
	return nil
}

func (n *decimalNode) read(d *decoder, c *class, p memory.Place) error {
	if c != n.as {
		return d.convert(&n.place, c, p)
	}
	start := d.at
	v, err := d.bigInt()
	if v == nil {
		if err == nil {
			err = d.noNull(c, start)
		}
		return err
	}
	scale, err := d.zz32()
	*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: v, Scale: scale}
	return err
}

// smallBigInt returns the number whose two's complement b is, at most eight bytes.
func smallBigInt(b []byte) *big.Int {
	v := int64(int8(b[0]))
	for _, low := range b[1:] {
		v = v<<8 | int64(low)
	}
	return memory.Big(v)
}
