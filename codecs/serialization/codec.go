package serialization

import (
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Codec is Redisson's SerializationCodec. Make one with [New]; it is immutable
// and safe for concurrent use.
type Codec struct {
	settings
	opts     []Option
	descs    *serial.Classes
	mistakes error
	cache    descCache
	readers  sync.Pool
	writers  sync.Pool
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported by Bind, Decode and
// Encode, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	c := &Codec{opts: opts, settings: settings{limits: codecs.Limits{}.WithDefaults()}}
	c.mistakes = option.Configure(&c.settings, opts)
	c.descs = serial.NewClasses(c.classes)
	return c
}

// Name returns "serialization".
func (c *Codec) Name() string { return name }

// WritesEmpty returns false: the shortest payload, null, has five bytes.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// Decode reads one whole payload into the values of package codecs/java. The
// error is a [*codecs.DecodeError].
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	return c.decode(payload, nil)
}

func (c *Codec) decode(payload []byte, refusals *serial.Refusals) (any, error) {
	r := c.reader(payload)
	defer c.releaseReader(r)
	r.refusals = refusals
	return r.payload()
}

// payload reads one value and checks that nothing follows it.
func (r *reader) payload() (any, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	v, err := r.object()
	if err == nil {
		err = r.atEnd()
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (r *reader) begin() error {
	if len(r.In) > r.limits.Bytes {
		return r.fail(-1, "the payload has %d bytes, more than %d: raise Limits.Bytes if that is right", len(r.In), r.limits.Bytes)
	}
	return r.header()
}

func (r *reader) atEnd() error {
	if r.At < len(r.In) {
		return r.fail(r.At, "%d bytes follow the value", len(r.In)-r.At)
	}
	return nil
}

// Encode writes a value that Decode returned, byte for byte as it was, or any Go
// value that java.Lower knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) {
	return c.append(nil, value)
}

func (c *Codec) append(dst []byte, value any) ([]byte, error) {
	if c.mistakes != nil {
		return dst, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	w := c.writer(c.descs)
	defer c.releaseWriter(w)
	if err := w.value(value); err != nil {
		return dst, err
	}
	return append(dst, w.Out...), nil
}

func (c *Codec) reader(payload []byte) *reader {
	r, _ := c.readers.Get().(*reader)
	if r == nil {
		r = &reader{cache: &c.cache, noFields: c.noFields}
		r.reset(nil, c.limits)
	}
	r.In, r.limits = payload, c.limits.Of(len(payload)) // one from the pool was reset when it went there
	r.Left = r.limits.Elements
	return r
}

// Bounds of the scratch space that a pooled reader or writer keeps.
const (
	maxKept      = 4096
	maxKeptBytes = 64 << 10
)

// releaseReader puts r back without what it read, so that a pool never keeps
// payloads alive, and without tables that one huge payload has grown.
func (c *Codec) releaseReader(r *reader) {
	r.reset(nil, c.limits)
	if cap(r.handles) <= maxKept && cap(r.levels) <= maxKept && cap(r.late) <= maxKept {
		c.readers.Put(r)
	}
}

// writer returns one whose payload grows in its own buffer.
func (c *Codec) writer(descs *serial.Classes) *writer {
	w, _ := c.writers.Get().(*writer)
	if w == nil {
		w = &writer{}
		w.describe.Made = c.cache.desc
	}
	// One from the pool was reset when it went there.
	w.Out, w.MaxDepth, w.describe.Classes = w.scratch[:0], c.limits.Depth, descs
	w.header()
	return w
}

func (c *Codec) releaseWriter(w *writer) {
	if w.scratch = w.Out; w.next > maxKept || cap(w.scratch) > maxKeptBytes {
		return
	}
	w.reset(nil, 0)
	c.writers.Put(w)
}

// asDecodeError gives an error of another package the type that users expect.
func asDecodeError(err error) error {
	var e *codecs.DecodeError
	if err = java.DecodeError(name, err); errors.As(err, &e) {
		return err
	}
	return &codecs.DecodeError{Codec: name, Offset: -1, Reason: "it cannot be decoded", Err: err}
}
