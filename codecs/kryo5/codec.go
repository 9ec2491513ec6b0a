package kryo5

import (
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// name is the canonical codec name.
const name = "kryo5"

// Codec is Redisson's Kryo5Codec. Make one with [New]; it is immutable and safe
// for concurrent use.
type Codec struct {
	opts       []Option
	limits     codecs.Limits
	references bool
	mistakes   error
	known      *catalog
	universe   *universe
	plan       *plan // of values without a bound type
	decoders   sync.Pool
	encoders   sync.Pool
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported by Bind, Decode and
// Encode, all together, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	c := &Codec{opts: opts}
	c.mistakes = c.configure(opts)
	return c
}

// Name returns "kryo5".
func (c *Codec) Name() string { return name }

// WritesEmpty returns false: the shortest payload, null, has one byte.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// Decode reads one whole payload into the values of package codecs/java.
// The error is a [*codecs.DecodeError]; the part of the value before it comes
// back beside it.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	var v any
	err := c.decode(payload, c.plan, memory.Of(&v))
	return v, err
}

// decode reads one whole payload into the zero variable at p.
func (c *Codec) decode(payload []byte, plan *plan, p memory.Place) error {
	d := c.decoder(plan.universe)
	err := d.payload(payload, plan, p)
	c.release(d)
	return err
}

// Encode writes a value that Decode returned, byte for byte as it was, or any Go
// value that java.Lower knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) {
	if c.mistakes != nil {
		return nil, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	return c.append(nil, c.plan, value, false)
}

// append writes a value of the type of a plan, or what a pointer to one points to.
func (c *Codec) append(dst []byte, plan *plan, value any, pointer bool) ([]byte, error) {
	e := c.encoder(plan.universe)
	var p memory.Place
	switch {
	case plan.typ == anyType:
		e.whole = value
		p = memory.Of(&e.whole)
	case pointer:
		p = memory.To(reflect.ValueOf(value))
	default:
		p = memory.Boxed(plan.typ, value, &e.word)
	}
	err := e.payload(plan, p)
	if err == nil {
		dst = append(dst, e.out...)
	}
	c.releaseEncoder(e)
	return dst, err
}

// decoder returns a decoder for u, to be given back by release.
func (c *Codec) decoder(u *universe) *decoder {
	d, _ := c.decoders.Get().(*decoder)
	if d == nil {
		d = &decoder{limits: c.limits, references: c.references}
	}
	d.universe, d.known = u, u.known
	return d
}

// release puts d back without what it read, unless one huge payload has made it large.
func (c *Codec) release(d *decoder) {
	d.clean()
	if cap(d.pairs) <= maxKept && cap(d.scratch) <= maxKept && cap(d.objects.values) <= maxKept {
		c.decoders.Put(d)
	}
}

// encoder returns an encoder for u, to be given back by releaseEncoder.
func (c *Codec) encoder(u *universe) *encoder {
	e, _ := c.encoders.Get().(*encoder)
	if e == nil {
		e = &encoder{maxDepth: c.limits.Depth, maxBytes: c.limits.Bytes, references: c.references}
		if c.references {
			e.objects = map[memory.Box]uint32{}
		}
	}
	e.reset(u.first)
	return e
}

func (c *Codec) releaseEncoder(e *encoder) {
	e.whole, e.word = nil, nil
	if cap(e.out) > maxKeptBytes {
		e.out = nil
	}
	if cap(e.keys) <= maxKept && cap(e.parts) <= maxKept && len(e.objects) <= maxKept {
		e.clean()
		c.encoders.Put(e)
	}
}

// maxKept bounds the values of the scratch space that a pooled decoder or encoder keeps,
// maxKeptBytes the bytes.
const (
	maxKept      = 4096
	maxKeptBytes = 1 << 16
)
