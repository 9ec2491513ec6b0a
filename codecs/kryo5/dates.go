package kryo5

import (
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

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
	if !javatime.ValidInstant(seconds, 0) {
		return n.fault("its parts make no %s", c.name)
	}
	e.out = appendUV32(appendUV64(e.out, uint64(seconds)), uint32(t.Nanosecond()))
	return nil
}

func (n *timeNode) read(d *decoder, c *class, p memory.Place) error {
	switch {
	case c == n.instant:
		v, err := d.instant()
		*memory.At[time.Time](p) = time.Unix(v.Seconds, int64(v.Nanos)).UTC()
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

func (n *decimalNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	return writeBigDecimal(e, c, *memory.At[java.BigDecimal](p))
}

func (n *decimalNode) read(d *decoder, c *class, p memory.Place) error {
	if c != n.as {
		return d.convert(&n.place, c, p)
	}
	start := d.at
	v, err := d.decimal()
	if err == nil && v.Unscaled == nil {
		err = d.noNull(c, start)
	}
	*memory.At[java.BigDecimal](p) = v
	return err
}
