package compress

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// codec is one of Redisson's compressing codecs around another codec. It is
// immutable and safe for concurrent use.
type codec struct {
	name     string // "lz4(kryo5)"
	layer    string // "lz4"
	frame    frame
	inner    codecs.Codec
	limit    int                 // of the bytes before compression
	few      func() codecs.Codec // inner with fewAtMost elements; nil where its limit was given
	mistakes error
}

var _ codecs.Codec = (*codec)(nil)

// frame is what one compressing codec makes of the inner codec's bytes.
type frame interface {
	// pack appends raw, compressed and framed, to dst.
	pack(dst, raw []byte) ([]byte, error)
	// unpack appends what payload holds, at most limit bytes, to dst. It allocates
	// nothing before it knows that so many bytes are there.
	unpack(dst, payload []byte, limit int) ([]byte, *fault)
	// expands returns to how many bytes payload expands at most; those of another codec
	// have any number.
	expands(payload []byte) int
}

// fault says what is wrong with a frame.
type fault struct {
	offset int // in the payload, -1 where unknown
	reason string
	err    error
	limit  string // see [codecs.DecodeError]
}

func faultf(offset int, format string, args ...any) *fault {
	return &fault{offset: offset, reason: fmt.Sprintf(format, args...)}
}

// Name returns the layer's name around the inner codec's, "lz4(kryo5)".
func (c *codec) Name() string { return c.name }

// WritesEmpty reports whether a payload of no bytes is a value: only Snappy writes
// none, for a value of which the inner codec writes none.
func (c *codec) WritesEmpty() bool {
	_, v1 := c.frame.(snappyChain)
	return v1 && c.inner != nil && c.inner.WritesEmpty()
}

// Limits returns the limits of the inner codec; Bytes is also that of the
// decompressed bytes.
func (c *codec) Limits() codecs.Limits {
	if c.inner == nil {
		return codecs.Limits{}.WithDefaults()
	}
	l := c.inner.Limits()
	l.Bytes = c.limit
	return l
}

// Decode decompresses payload and returns what the inner codec reads in it.
func (c *codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: c.name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	raw, err := c.expand(nil, payload)
	if err != nil {
		return nil, err
	}
	inner := c.inner
	if c.fewIn(len(payload), len(raw)) {
		inner = c.few()
	}
	v, err := inner.Decode(raw)
	return v, c.inside(err, len(raw))
}

// Encode compresses what the inner codec writes.
func (c *codec) Encode(value any) ([]byte, error) {
	if c.mistakes != nil {
		return nil, &codecs.EncodeError{Codec: c.name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	raw, err := c.inner.Encode(value)
	if err != nil {
		return nil, c.outside(err)
	}
	return c.compress(nil, raw, reflect.TypeOf(value))
}

// Whole returns the same codec around an inner one that refuses bytes behind its
// value; see [codecs.Whole].
func (c *codec) Whole() codecs.Codec {
	if c.inner == nil {
		return c
	}
	out := *c
	out.around(codecs.Whole(c.inner))
	return &out
}

// expand appends the decompressed payload to dst.
func (c *codec) expand(dst, payload []byte) ([]byte, error) {
	if most := packed(c.limit); len(payload) > most {
		return nil, &codecs.DecodeError{Codec: c.name, Offset: -1, Reason: fmt.Sprintf(
			"%s: payload of %d bytes, the limit is %d for %d decompressed ones (Limits.Bytes)", c.layer, len(payload), most, c.limit)}
	}
	out, f := c.frame.unpack(dst, payload, c.limit)
	if f != nil {
		return nil, &codecs.DecodeError{Codec: c.name, Offset: f.offset, Reason: c.layer + ": " + f.reason, Err: f.err, Limit: f.limit}
	}
	return out, nil
}

// Weight returns what decoding takes; see [codecs.Weight].
func (c *codec) Weight(payload []byte) int64 {
	if c.mistakes != nil {
		return int64(len(payload))
	}
	raw := max(min(c.frame.expands(payload), c.limit), 0)
	if inner, nested := c.inner.(*codec); nested {
		raw = min(max(leastExpanded, mostExpanded*raw), inner.limit)
	}
	return codecs.WeightOf(c.inner, raw, c.elements(len(payload), raw))
}

// A payload of less than shortAtMost bytes that expands to more than these holds no more
// than fewAtMost values.
const (
	shortAtMost = 64 << 10
	fewAtMost   = 64 << 10
)

// fewIn reports whether a payload of so many bytes that expands to raw ones holds no more
// than fewAtMost values.
func (c *codec) fewIn(payload, raw int) bool {
	return c.few != nil && payload < shortAtMost && raw > fewAtMost
}

func (c *codec) elements(payload, raw int) int {
	if c.fewIn(payload, raw) {
		return fewAtMost
	}
	return c.inner.Limits().Of(raw).Elements
}

// around makes c the codec around inner.
func (c *codec) around(inner codecs.Codec) {
	c.inner, c.few = inner, nil
	l := inner.Limits()
	bounded, ok := inner.(interface {
		WithLimits(l codecs.Limits) codecs.Codec
	})
	if ok && l.Elements == codecs.DefaultMaxElements {
		l.Elements = fewAtMost
		c.few = sync.OnceValue(func() codecs.Codec { return bounded.WithLimits(l) })
	}
}

// packed returns the most bytes that limit bytes become where they do not compress.
func packed(limit int) int {
	if limit > math.MaxInt/2 {
		return math.MaxInt
	}
	return 64 + limit + limit/6 // the worst case of Snappy, the largest of all
}

// compress appends raw, compressed, to dst.
func (c *codec) compress(dst, raw []byte, t reflect.Type) ([]byte, error) {
	if most := min(c.limit, math.MaxInt32); len(raw) > most {
		return dst, &codecs.EncodeError{Codec: c.name, Type: t, Reason: fmt.Sprintf(
			"%s: %d bytes before compression, the limit is %d (Limits.Bytes)", c.layer, len(raw), most)}
	}
	out, err := c.frame.pack(dst, raw)
	if err != nil {
		return dst, &codecs.EncodeError{Codec: c.name, Type: t, Reason: c.layer, Err: err}
	}
	if c.fewIn(len(out)-len(dst), len(raw)) { // seldom, so that reading it again does not matter
		var e *codecs.DecodeError
		if _, err := c.few().Decode(raw); errors.As(err, &e) && e.Limit != "" {
			return dst, &codecs.EncodeError{Codec: c.name, Type: t, Reason: c.layer + ": it would not be read again", Err: err}
		}
	}
	return out, nil
}

// inside makes an error of the inner codec one of c. Its path stays; its offset is
// one within the size decompressed bytes, which no longer is one in the payload.
func (c *codec) inside(err error, size int) error {
	//nolint:errorlint // what wraps the inner codec's error stays as it is
	e, ok := err.(*codecs.DecodeError)
	if !ok {
		return err
	}
	out := *e
	out.Codec = c.name
	if e.Offset >= 0 {
		out.Offset = -1
		out.Reason = fmt.Sprintf("%s, at byte %d of %d decompressed: %s", c.inner.Name(), e.Offset, size, e.Reason)
	}
	return &out
}

// outside is inside for encoding.
func (c *codec) outside(err error) error {
	//nolint:errorlint // what wraps the inner codec's error stays as it is
	e, ok := err.(*codecs.EncodeError)
	if !ok {
		return err
	}
	out := *e
	out.Codec = c.name
	return &out
}

// Bind binds the inner codec to t. Its mistakes come together with those of c.
func (c *codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	var inner codecs.Binding
	var err error
	if c.inner != nil {
		inner, err = c.inner.Bind(t, opts)
	}
	if c.mistakes != nil {
		return nil, errors.Join(&codecs.BindError{Codec: c.name, Type: t, Reason: option.Wrong, Err: c.mistakes}, err)
	}
	if err != nil {
		return nil, err
	}
	b := &binding{codec: c, inner: inner, typ: t}
	b.few = sync.OnceValues(func() (codecs.Binding, error) { return c.few().Bind(t, opts) })
	return b, nil
}

// newCodec returns the codec of a frame.
func newCodec(layer string, inner codecs.Codec, opts []Option, choose func(s *settings) (frame, error)) codecs.Codec {
	c := &codec{layer: layer, inner: inner}
	s, err := configure(layer, opts)
	if v := reflect.ValueOf(inner); inner == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		c.inner, c.name = nil, layer+"(nil)"
		c.mistakes = errors.Join(errors.New("no inner codec given: "+layer+" compresses the bytes of another codec"), err)
		return c
	}
	c.name = layer + "(" + inner.Name() + ")"
	c.limit = min(s.limit, inner.Limits().Bytes)
	f, chosen := choose(&s)
	c.frame, c.mistakes = f, errors.Join(err, chosen)
	c.around(inner)
	return c
}

// buffers are scratch space between the layers; no value keeps bytes of it.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct{ b []byte }

// maxKept bounds the scratch space that is kept for later payloads.
const maxKept = 1 << 20

func (b *buffer) release(used []byte) {
	if cap(used) > cap(b.b) && cap(used) <= maxKept {
		b.b = used[:0]
	}
	buffers.Put(b)
}

// binding carries one Go type through the inner codec and the compression.
type binding struct {
	codec *codec
	inner codecs.Binding
	few   func() (codecs.Binding, error) // see codec.few
	typ   reflect.Type
}

// Reuses reports whether the inner codec reuses variables of the type: see codecs.For.
func (b *binding) Reuses() bool {
	inner, ok := b.inner.(interface{ Reuses() bool })
	return ok && inner.Reuses()
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	buf := buffers.Get().(*buffer)
	raw, err := b.inner.Append(buf.b[:0], value)
	if err != nil {
		buf.release(nil)
		return dst, b.codec.outside(err)
	}
	out, err := b.codec.compress(dst, raw, b.typ)
	buf.release(raw)
	return out, err
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	if v := reflect.ValueOf(target); v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.typ {
		return &codecs.DecodeError{Codec: b.codec.name, Offset: -1, Reason: fmt.Sprintf("the target is %T, not *%s", target, b.typ)}
	}
	buf := buffers.Get().(*buffer)
	raw, err := b.codec.expand(buf.b[:0], payload)
	if err != nil {
		buf.release(nil)
		return err
	}
	inner := b.inner
	if b.codec.fewIn(len(payload), len(raw)) {
		inner, err = b.few()
	}
	if err == nil {
		err = b.codec.inside(inner.Decode(raw, target), len(raw))
	}
	buf.release(raw)
	return err
}
