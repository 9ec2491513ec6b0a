package typed

import (
	"encoding/binary"
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

var (
	knownDate      = serial.Known(java.ClassDate)
	knownUUID      = serial.Known(classUUID)
	knownDecimal   = serial.Known(classBigDecimal)
	knownMap       = serial.Known(java.ClassHashMap)
	knownLinkedMap = serial.Known(classLinkedMap)
)

// Is reports whether desc is the JDK's own description of a class.
func Is(desc, known *serial.Desc) bool {
	return desc == known || desc != nil && desc.Canonical() && desc.Class == known.Class
}

// Take returns the next bytes, nil where there are fewer.
func (c *Cursor) Take(n int) []byte {
	if n < 0 || len(c.In)-c.At < n {
		return nil
	}
	c.At += n
	return c.In[c.At-n : c.At]
}

// block reads a short block of exactly n bytes.
func (n *Node[R, W]) block(c *Cursor, size int) []byte {
	b := c.Take(size + 2)
	if b == nil || b[0] != n.format.Block || int(b[1]) != size {
		return nil
	}
	return b[2:]
}

// End reads the end of custom data.
func (n *Node[R, W]) End(c *Cursor) bool {
	b := c.Take(1)
	return b != nil && b[0] == n.format.End
}

func readTime[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	if lead != n.format.Object {
		return n.CopyOf(r, p, lead)
	}
	desc, _, index := r.Open()
	if desc == nil || !desc.Canonical() {
		return false
	}
	c := r.Position()
	switch {
	case desc == knownDate, desc.Class == java.ClassDate, desc.Class == "java.sql.Date", desc.Class == "java.sql.Time":
		b := n.block(c, 8)
		if b == nil {
			return false
		}
		*memory.At[time.Time](p) = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
	case desc.Class == javatime.Class: // an Instant, which java.time.Ser writes
		b := n.block(c, 13)
		if b == nil || b[0] != javatime.InstantType {
			return false
		}
		seconds, nanos := int64(binary.BigEndian.Uint64(b[1:])), int32(binary.BigEndian.Uint32(b[9:]))
		if !javatime.ValidInstant(seconds, nanos) {
			return false
		}
		*memory.At[time.Time](p) = time.Unix(seconds, int64(nanos)).UTC()
	default:
		return false
	}
	return n.End(c) && keep(r, n, p, index)
}

func readUUID[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	if lead != n.format.Object {
		return n.CopyOf(r, p, lead)
	}
	desc, _, index := r.Open()
	if !Is(desc, knownUUID) {
		return false
	}
	b := r.Position().Take(16)
	if b == nil {
		return false
	}
	id := memory.At[java.UUID](p)
	copy(id[8:], b[:8]) // the least significant half comes first
	copy(id[:8], b[8:])
	return keep(r, n, p, index)
}

func readDecimal[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	if lead != n.format.Object {
		return n.CopyOf(r, p, lead)
	}
	desc, _, index := r.Open()
	if !Is(desc, knownDecimal) {
		return false
	}
	c := r.Position()
	var scale []byte
	if n.format.ScaleFirst {
		scale = c.Take(4)
	}
	unscaled := r.Integer()
	if unscaled == nil {
		return false
	}
	if !n.format.ScaleFirst {
		scale = c.Take(4)
	}
	if scale == nil || !n.End(c) {
		return false
	}
	*memory.At[java.BigDecimal](p) = java.BigDecimal{Unscaled: unscaled, Scale: int32(binary.BigEndian.Uint32(scale))}
	return keep(r, n, p, index)
}

// Number makes a number of the digits and the sign of a BigInteger; nil where they
// contradict each other.
func Number(digits []byte, sign int32) *big.Int {
	number := new(big.Int)
	if len(digits) > 8 {
		number.SetBytes(digits)
	} else {
		var b [8]byte
		copy(b[8-len(digits):], digits)
		number.SetUint64(binary.BigEndian.Uint64(b[:]))
	}
	if sign < 0 {
		number.Neg(number)
	}
	if number.Sign() != int(sign) {
		return nil
	}
	return number
}

// readMap reads HashMap and LinkedHashMap.
func readMap[R Reader, W Writer](r R, n *Node[R, W], p place, lead byte) bool {
	switch {
	case lead == n.format.Null:
		return true
	case lead != n.format.Object:
		return n.CopyOf(r, p, lead)
	}
	desc, _, index := r.Open()
	linked := Is(desc, knownLinkedMap)
	if !linked && !Is(desc, knownMap) {
		return false
	}
	c := r.Position()
	if c.Take(8) == nil { // load factor and threshold
		return false
	}
	b := n.block(c, 8)
	if b == nil {
		return false
	}
	count := int(int32(binary.BigEndian.Uint32(b[4:]))) // behind the buckets
	if count < 0 || count > (len(c.In)-c.At)/2 || !c.Enter(2+2*count) {
		return false
	}
	if !readEntries(r, n, p, count) || !n.End(c) {
		return false
	}
	c.Leave()
	if linked && c.Take(1) == nil { // in order of access
		return false
	}
	return keep(r, n, p, index)
}
