package kryo5

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// timeNode carries time.Time.
type timeNode struct {
	as      *class // java.util.Date, one of its relatives, or java.time.Instant
	instant *class
	inside  bool // a field: the zero time is null
}

func (n *timeNode) usual() *class  { return n.as }
func (n *timeNode) nullable() bool { return false }

func (n *timeNode) classOf(_ *typedWriter, p memory.Place) (*class, bool) {
	if memory.At[time.Time](p).IsZero() {
		return nil, n.inside
	}
	return n.as, true
}

func (n *timeNode) write(w *typedWriter, c *class, p memory.Place) bool {
	t := memory.At[time.Time](p)
	if c != n.instant {
		w.out = appendUV64(w.out, uint64(t.UnixMilli()))
		return true
	}
	seconds := t.Unix()
	w.out = appendUV64(w.out, uint64(seconds))
	w.uv32(uint32(t.Nanosecond()))
	return javatime.ValidInstant(seconds, 0)
}

func (n *timeNode) read(r *typedReader, c *class, p memory.Place) bool {
	switch {
	case c == n.instant:
		u, ok := r.uv64()
		nanos, also := r.uv32()
		if !ok || !also || !javatime.ValidInstant(int64(u), int32(nanos)) {
			return false
		}
		*memory.At[time.Time](p) = time.Unix(int64(u), int64(nanos)).UTC()
		return true
	case c == n.as || isDate(c.name):
		u, ok := r.uv64()
		*memory.At[time.Time](p) = time.UnixMilli(int64(u)).UTC()
		return ok
	}
	return false
}

func isDate(class string) bool {
	switch class {
	case java.ClassDate, "java.sql.Date", "java.sql.Time", "java.sql.Timestamp":
		return true
	}
	return false
}

// decimalNode carries java.BigDecimal.
type decimalNode struct{ as *class }

func (n *decimalNode) classOf(*typedWriter, memory.Place) (*class, bool) { return n.as, true }
func (n *decimalNode) usual() *class                                     { return n.as }
func (n *decimalNode) nullable() bool                                    { return false }

func (n *decimalNode) write(w *typedWriter, _ *class, p memory.Place) bool {
	v := memory.At[java.BigDecimal](p)
	switch {
	case v.Unscaled != nil && !v.Unscaled.IsInt64():
		w.out = appendBigInt(w.out, v.Unscaled)
	default:
		var unscaled int64
		if v.Unscaled != nil {
			unscaled = v.Unscaled.Int64()
		}
		n := bits.Len64(uint64(unscaled^unscaled>>63))/8 + 1
		w.byte(byte(n + 1))
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(unscaled))
		w.out = append(w.out, b[8-n:]...)
	}
	w.zz32(v.Scale)
	return true
}

// smallInt is a big number of one word together with its word: one allocation.
type smallInt struct {
	v    big.Int
	word [1]big.Word
}

func (n *decimalNode) read(r *typedReader, c *class, p memory.Place) bool {
	start := r.at
	u, ok := r.uv32()
	if !ok || c != n.as || u < 2 {
		return false
	}
	if u > 9 || bits.UintSize < 64 {
		r.at = start
		return n.readLong(r, c, p)
	}
	b, ok := r.fixed(int(u - 1))
	if !ok || len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		return false
	}
	v := int64(int8(b[0]))
	for _, low := range b[1:] {
		v = v<<8 | int64(low)
	}
	scale, ok := r.zz32()
	small := &smallInt{}
	small.word[0] = big.Word(uint64(v))
	if v < 0 {
		small.word[0] = -small.word[0]
	}
	small.v.SetBits(small.word[:])
	if v < 0 {
		small.v.Neg(&small.v)
	}
	*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: &small.v, Scale: scale}
	return ok
}

// readLong reads a number of more than eight bytes.
func (n *decimalNode) readLong(r *typedReader, c *class, p memory.Place) bool {
	v, ok := r.dynamicBody(c, nil, false)
	d, also := v.(java.BigDecimal)
	*memory.At[java.BigDecimal](p) = d
	return ok && also
}
