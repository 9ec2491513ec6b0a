package codecs

import (
	"errors"
	"reflect"
	"unicode/utf8"
)

// Text returns the codec for text that a Java service makes itself and offers as a String:
// offer(JSON.toJSONString(order)) through Kryo5Codec is Text(kryo5.New(), jackson.JSON()). The
// payload is a String of codec outer, and what stands in it is a payload of codec inner, in
// UTF-8. Canonical name "text(kryo5,json)".
//
// It carries what inner carries. A null in Java is the text "null". Mistakes, such as an outer
// codec that carries no strings, are reported by Bind, Decode and Encode.
func Text(outer, inner Codec) Codec {
	t := &textCodec{outer: outer, inner: inner, name: "text"}
	if isNil(outer) || isNil(inner) {
		t.mistake = errors.New("the codec of the string or that of the text in it is nil")
		return t
	}
	t.name = "text(" + outer.Name() + "," + inner.Name() + ")"
	t.strings, t.mistake = outer.Bind(reflect.TypeFor[string](), BindOptions{})
	if t.mistake != nil {
		t.mistake = errors.New("the outer codec carries no strings: " + t.mistake.Error())
	}
	return t
}

// textCodec is immutable and safe for concurrent use.
type textCodec struct {
	outer, inner Codec
	name         string
	strings      Binding // of outer
	mistake      error
}

// Name implements [Codec].
func (t *textCodec) Name() string { return t.name }

// WritesEmpty implements [Codec].
func (t *textCodec) WritesEmpty() bool { return t.mistake == nil && t.outer.WritesEmpty() }

// Limits returns those of the inner codec, and of the outer one where they are smaller.
func (t *textCodec) Limits() Limits {
	if t.mistake != nil {
		return Limits{}.WithDefaults()
	}
	a, b := t.outer.Limits(), t.inner.Limits()
	b.Bytes, b.StringBytes = min(a.Bytes, b.Bytes), min(a.StringBytes, b.StringBytes)
	return b
}

// WithLimits returns the same codec with these limits.
func (t *textCodec) WithLimits(l Limits) Codec {
	if t.mistake != nil {
		return t
	}
	return Text(withLimits(t.outer, l), withLimits(t.inner, l))
}

// Whole returns the same codec of parts that refuse bytes behind their values; see [Whole].
func (t *textCodec) Whole() Codec {
	if t.mistake != nil {
		return t
	}
	return Text(Whole(t.outer), Whole(t.inner))
}

// Weight returns what decoding takes; see [Weight].
func (t *textCodec) Weight(payload []byte) int64 {
	if t.mistake != nil {
		return int64(len(payload))
	}
	n := min(Weight(t.outer, payload), 2*int64(len(payload)))
	return n + WeightOf(t.inner, len(payload), t.inner.Limits().Of(len(payload)).Elements)
}

// TextIn returns, of a codec of [Text], the codec of the text and the function that takes the
// text out of a payload. Of other codecs it returns the codec itself, and a payload is its text.
func TextIn(c Codec) (inner Codec, text func(payload []byte) ([]byte, error)) {
	if t, ok := c.(*textCodec); ok && t.inner != nil {
		return t.inner, t.text
	}
	return c, func(payload []byte) ([]byte, error) { return payload, nil }
}

func (t *textCodec) text(payload []byte) ([]byte, error) {
	if t.mistake != nil {
		return nil, &DecodeError{Codec: t.name, Offset: -1, Reason: wrongText, Err: t.mistake}
	}
	v, err := t.outer.Decode(payload)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return []byte(v), nil
	case nil:
		return []byte("null"), nil
	}
	return nil, &DecodeError{Codec: t.name, Offset: 0, Reason: "the payload is a value of codec " + t.outer.Name() + " and no string: declare that codec alone"}
}

const wrongText = "the codecs of the text are wrong"

// Decode implements [Codec].
func (t *textCodec) Decode(payload []byte) (any, error) {
	text, err := t.text(payload)
	if err != nil {
		return nil, err
	}
	return t.inner.Decode(text)
}

// Encode implements [Codec].
func (t *textCodec) Encode(value any) ([]byte, error) {
	if t.mistake != nil {
		return nil, t.unwritable(value)
	}
	text, err := t.inner.Encode(value)
	if err != nil {
		return nil, err
	}
	return t.wrap(nil, text, value)
}

func (t *textCodec) unwritable(value any) error {
	return &EncodeError{Codec: t.name, Type: reflect.TypeOf(value), Reason: wrongText, Err: t.mistake}
}

func (t *textCodec) wrap(dst, text []byte, value any) ([]byte, error) {
	if !utf8.Valid(text) {
		return dst, &EncodeError{Codec: t.name, Type: reflect.TypeOf(value), Reason: "codec " + t.inner.Name() + " writes no text, which a String in Java cannot hold"}
	}
	return t.strings.Append(dst, string(text))
}

// Bind implements [Codec].
func (t *textCodec) Bind(typ reflect.Type, opts BindOptions) (Binding, error) {
	if t.mistake != nil {
		return nil, &BindError{Codec: t.name, Type: typ, Reason: wrongText, Err: t.mistake}
	}
	inner, err := t.inner.Bind(typ, opts)
	if err != nil {
		return nil, err
	}
	return &textBinding{t, inner}, nil
}

type textBinding struct {
	codec *textCodec
	inner Binding
}

// Append implements [Binding].
func (b *textBinding) Append(dst []byte, value any) ([]byte, error) {
	text, err := b.inner.Append(nil, value)
	if err != nil {
		return dst, err
	}
	return b.codec.wrap(dst, text, value)
}

// Decode implements [Binding].
func (b *textBinding) Decode(payload []byte, target any) error {
	text, err := b.codec.text(payload)
	if err != nil {
		return err
	}
	return b.inner.Decode(text, target)
}
