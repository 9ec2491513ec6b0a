package marshalling

import (
	"hash/maphash"
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// name is the canonical codec name.
const name = "marshalling"

// Protocol versions of River. Redisson's codec writes the highest.
const (
	minVersion = 2
	maxVersion = 4
)

// Codec is Redisson's MarshallingCodec. Make one with [New]; it is immutable and
// safe for concurrent use.
type Codec struct {
	settings
	opts      []Option
	mistakes  error
	levels    levelCache
	described *serial.Classes
	decoders  sync.Pool
	encoders  sync.Pool
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported by Bind, Decode and
// Encode, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	c := &Codec{opts: opts, settings: settings{limits: codecs.Limits{}.WithDefaults()}}
	c.levels.seed = maphash.MakeSeed()
	c.mistakes = option.Configure(&c.settings, opts)
	c.described = serial.NewLooseClasses(c.known)
	return c
}

// constant returns the name of an enum constant of which only the ordinal is
// known, or "".
func (c *Codec) constant(v java.Enum) string {
	if class := c.known.Find(v.Class); class != nil {
		if known, ok := class.Enum(v.Ordinal); ok {
			return known.Name
		}
	}
	return ""
}

// Name returns "marshalling".
func (c *Codec) Name() string { return name }

// WritesEmpty returns false: the shortest payload, null, has two bytes.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// Decode reads one whole payload into the values of package codecs/java.
// The error is a [*codecs.DecodeError]; the part of the value before it may come
// back beside it.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	d := c.decoder(payload)
	defer c.release(d)
	return d.payload()
}

// Encode writes a value that Decode returned, or any Go value that java.Lower
// knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) {
	return c.append(nil, value)
}

func (c *Codec) append(dst []byte, value any) ([]byte, error) {
	if c.mistakes != nil {
		return dst, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	return c.write(dst, value, c.described)
}

// write appends the payload of a value of package java.
func (c *Codec) write(dst []byte, value any, described *serial.Classes) ([]byte, error) {
	e := c.encoder()
	defer c.releaseEncoder(e)
	e.describe.Classes = described
	e.u8(maxVersion)
	if err := e.value(value); err != nil {
		return dst, java.EncodeError(name, err)
	}
	return append(dst, e.Out...), nil
}

func (c *Codec) decoder(payload []byte) *decoder {
	d, _ := c.decoders.Get().(*decoder)
	if d == nil {
		d = &decoder{codec: c}
	}
	d.In, d.At, d.Depth = payload, 0, 0
	d.limits = c.limits.Of(len(payload))
	d.Left = d.limits.Elements
	return d
}

// forget empties the tables.
func (d *decoder) forget() {
	d.objects.reset()
	clear(d.classes)
	clear(d.views)
	d.classes, d.views = d.classes[:0], d.views[:0]
	d.text, d.textAt, d.refusals = "", 0, nil
}

// release puts d back without what it read, so that a pool never keeps payloads
// alive, and without tables that one huge payload has grown.
func (c *Codec) release(d *decoder) {
	d.forget()
	d.In = nil
	if cap(d.objects.list) <= maxKept && cap(d.objects.runs) <= maxKept && cap(d.classes) <= maxKept {
		c.decoders.Put(d)
	}
}

// encoder returns one whose payload grows in its own buffer.
func (c *Codec) encoder() *encoder {
	e, _ := c.encoders.Get().(*encoder)
	if e == nil {
		e = &encoder{codec: c, strings: c.strings}
		e.MaxDepth = c.limits.Depth
		e.describe.Flavor = serial.River
	}
	return e
}

func (c *Codec) releaseEncoder(e *encoder) {
	e.Out, e.Depth, e.size = e.Out[:0], 0, 0
	e.objects.Reset()
	e.describe.Reset()
	e.enums.Reset()
	clear(e.levels)
	clear(e.classes)
	clear(e.descs)
	e.levels, e.classes, e.descs = e.levels[:0], e.classes[:0], e.descs[:0]
	e.equal, e.names, e.byName, e.named = emptied(e.equal), emptied(e.names), emptied(e.byName), 0
	e.unshared = false
	e.describe.Classes = nil
	if cap(e.levels) <= maxKept && cap(e.classes) <= maxKept && cap(e.Out) <= maxKeptBytes {
		c.encoders.Put(e)
	}
}

// emptied returns m without its entries, or nil where one huge payload has grown
// it.
func emptied[K comparable](m map[K]int) map[K]int {
	switch {
	case len(m) > maxKept:
		return nil
	case len(m) > 0:
		clear(m)
	}
	return m
}

// Bounds of the tables and of the buffer that a pooled decoder or encoder keeps.
const (
	maxKept      = 1024
	maxKeptBytes = 64 << 10
)
