package kryo5

import (
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
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
	return c.decode(payload, false, c.universe)
}

func (c *Codec) decode(payload []byte, plain bool, u *universe) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	d := c.decoder(u)
	defer c.release(d)
	return d.payload(payload, plain)
}

// Encode writes a value that Decode returned, byte for byte as it was, or any Go
// value that java.Lower knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) {
	return c.append(nil, value, c.universe)
}

func (c *Codec) append(dst []byte, value any, u *universe) ([]byte, error) {
	if c.mistakes != nil {
		return dst, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	e := c.encoder(dst, u)
	defer c.releaseEncoder(e)
	if err := e.payload(dst, value, u); err != nil {
		return dst, java.EncodeError(name, err)
	}
	return e.out, nil
}

// decoder returns a decoder for u, to be given back by release.
func (c *Codec) decoder(u *universe) *decoder {
	d, _ := c.decoders.Get().(*decoder)
	if d == nil {
		d = &decoder{limits: c.limits, references: c.references}
	}
	d.universe, d.known, d.world = u, u.known, u.first
	return d
}

// release puts d back without what it read, so that a pool never keeps payloads
// alive, and without buffers that one huge payload has grown.
func (c *Codec) release(d *decoder) {
	d.in = nil
	clear(d.stack) // what lies above its length is clear already
	d.stack = d.stack[:0]
	d.objects.reset()
	d.streams.reset()
	if cap(d.stack) > maxKept || cap(d.scratch) > maxKept || cap(d.objects.values) > maxKept {
		return
	}
	c.decoders.Put(d)
}

// encoder returns an encoder for u, to be given back by releaseEncoder.
func (c *Codec) encoder(dst []byte, u *universe) *encoder {
	e, _ := c.encoders.Get().(*encoder)
	if e == nil {
		e = &encoder{maxDepth: c.limits.Depth, maxBytes: c.limits.Bytes, references: c.references}
		if c.references {
			e.objects = map[memory.Box]uint32{}
		}
	}
	e.reset(dst, u.first)
	return e
}

func (c *Codec) releaseEncoder(e *encoder) {
	e.out = nil
	clear(e.keys)
	e.keys = e.keys[:0]
	e.streams.reset()
	if cap(e.keys) > maxKept || len(e.objects) > maxKept {
		return
	}
	clear(e.objects)
	c.encoders.Put(e)
}

// maxKept bounds the scratch space a pooled decoder or encoder keeps.
const maxKept = 4096
