package compress

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

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
