package kryo5

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// alone is what nodes have in common whose values are never null and have one class.
type alone struct {
	place
	as *class
}

func (n *alone) of(*encoder, memory.Place) (*class, any, error) { return n.as, nil, nil }
func (n *alone) usual() *class                                  { return n.as }

// intNode carries Go's integers.
type intNode struct {
	alone
	kind reflect.Kind
}

func (n *intNode) write(e *encoder, c *class, p memory.Place, _ any) error {
	v, ok := memory.LoadInt(n.kind, p)
	if ok && e.int(c.id, v) {
		return nil
	}
	if _, err := e.tree.plan.java.LowerFrom(n.desc, n.variable(p)); err != nil {
		return java.EncodeError(name, err)
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

// floatNode carries float64 and float32.
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
		if _, err := e.tree.plan.java.LowerFrom(n.desc, n.variable(p)); err != nil {
			return java.EncodeError(name, err)
		}
	}
	return n.fault("it is no %s", java.TypeOf(c.name).Unboxed())
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

// textNode carries strings.
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

// bytesNode carries byte slices as byte[].
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
