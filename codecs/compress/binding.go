package compress

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

// binding carries one Go type through the inner codec and the compression.
type binding struct {
	codec  *codec
	inner  codecs.Binding
	direct direct                         // of the inner codec, nil where it has none
	few    func() (codecs.Binding, error) // see codec.few
	typ    reflect.Type
}

// direct is the optional part of a binding that package codecs uses for the usual
// values; see codecs.For.
type direct interface {
	Direct() bool
	AppendDirect(dst []byte, source any, state *any) ([]byte, bool)
	DecodeDirect(payload []byte, target any, state *any) bool
}

var _ direct = (*binding)(nil)

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

// Direct reports whether the inner codec has a direct way.
func (b *binding) Direct() bool { return b.direct != nil }

// directState is what one goroutine at a time keeps between direct calls: a buffer
// of its own, and what the inner codec keeps.
type directState struct {
	buffer buffer
	inner  any
}

func stateOf(s *any) *directState {
	state, _ := (*s).(*directState)
	if state == nil {
		state = &directState{}
		*s = state
	}
	return state
}

func (s *directState) keep(used []byte) {
	if cap(used) > cap(s.buffer.b) && cap(used) <= maxKeptDirect {
		s.buffer.b = used[:0]
	}
}

// maxKeptDirect bounds the buffer of a directState, of which a busy queue has one
// per processor.
const maxKeptDirect = 64 << 10

// AppendDirect is Append for the variable that source points to; false where the
// way of Append must be gone.
func (b *binding) AppendDirect(dst []byte, source any, state *any) ([]byte, bool) {
	s := stateOf(state)
	raw, ok := b.direct.AppendDirect(s.buffer.b[:0], source, &s.inner)
	if !ok {
		return dst, false
	}
	out, err := b.codec.compress(dst, raw, b.typ)
	s.keep(raw)
	return out, err == nil
}

// DecodeDirect is Decode into the zero variable that target points to; false where
// the way of Decode must be gone.
func (b *binding) DecodeDirect(payload []byte, target any, state *any) bool {
	s := stateOf(state)
	raw, err := b.codec.expand(s.buffer.b[:0], payload)
	if err != nil {
		return false
	}
	ok := !b.codec.fewIn(len(payload), len(raw)) && b.direct.DecodeDirect(raw, target, &s.inner)
	s.keep(raw)
	return ok
}
