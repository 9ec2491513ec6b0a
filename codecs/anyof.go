package codecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Alternatives is a codec for a queue whose payloads span generations: Java moved
// from one codec to another with messages pending. Make one with [AnyOf]; it is
// immutable and safe for concurrent use.
//
// # Reading
//
// Every codec of the list reads every payload, and the whole of it: bytes left over
// are an error, even for codecs that ignore such bytes outside of a list, such as
// those on Jackson 2. So the outcome depends on the payload only, never on what was
// read before. The price is the sum of the codecs' times; a codec that does not fit
// mostly gives up at the first bytes.
//
//   - If exactly one codec accepts the payload, its reading is the value.
//   - If several accept, those whose reading goes into the bound Go type count.
//     A string of MarshallingCodec may be a Float of Kryo5Codec too
//     (04 3e 02 61 62): bound to string only the first fits, bound to float32
//     only the second.
//   - If several still remain and their readings are equal, nothing is
//     ambiguous. If they differ, the error is a [*DecodeError] around an
//     [*AmbiguousError] with all readings; see [Alternatives.PreferFirst]. Binding
//     to the empty interface resolves nothing.
//   - If no codec accepts, the error is a [*DecodeError] that says why each refuses.
//
// The string and bytearray codecs accept any bytes, so that everything would be
// ambiguous: they must come last, with PreferFirst.
//
// # Writing
//
// The first codec writes. A codec that only reads (fst) may come first where
// nothing is offered.
type Alternatives struct {
	list     []Codec
	unfit    error // what is wrong with single codecs; those that are nil are not in the list
	first    bool  // the earliest that accepts wins
	mistakes error
}

var _ Codec = (*Alternatives)(nil)

// AnyOf returns a codec that writes as first does and reads what any of the
// codecs wrote. Its name is "anyof(kryo5,marshalling)". Mistakes (a nil codec, a
// list within the list, a codec that accepts everything before others) are
// reported together by Bind, Decode and Encode, so that a declaration cannot panic.
func AnyOf(first Codec, rest ...Codec) *Alternatives {
	a := &Alternatives{}
	for i, c := range append([]Codec{first}, rest...) {
		if isNil(c) {
			a.unfit = errors.Join(a.unfit, fmt.Errorf("codec %d of the list is nil", i+1))
			continue
		}
		if _, nested := c.(*Alternatives); nested {
			a.unfit = errors.Join(a.unfit, fmt.Errorf("codec %d of the list is a list itself: name its codecs here", i+1))
		}
		a.list = append(a.list, Whole(c))
	}
	a.mistakes = a.check()
	return a
}

// Whole returns the codec that reads as c does and refuses bytes behind the value. Only
// codecs on Jackson 2 accept such bytes, because Java does; others are returned as they
// are.
func Whole(c Codec) Codec {
	if w, ok := c.(interface{ Whole() Codec }); ok {
		return w.Whole()
	}
	return c
}

// withLimits returns the codec with these limits, or itself where it cannot have others.
func withLimits(c Codec, l Limits) Codec {
	if w, ok := c.(interface{ WithLimits(l Limits) Codec }); ok {
		return w.WithLimits(l)
	}
	return c
}

// PreferFirst returns a copy of a for which nothing is ambiguous: of the codecs
// that accept a payload (and, when bound, fit the Go type) the earliest of the list
// reads it, and the later ones are not asked. It trades certainty for time: a
// payload of a later codec that happens to fit an earlier one is misread in silence.
func (a *Alternatives) PreferFirst() *Alternatives {
	b := &Alternatives{list: a.list, unfit: a.unfit, first: true}
	b.mistakes = b.check()
	return b
}

func (a *Alternatives) check() error {
	errs := []error{a.unfit}
	for i, c := range a.list {
		greedy := c.Name() == stringName || c.Name() == bytesName
		switch last := i == len(a.list)-1; {
		case !greedy || len(a.list) == 1:
		case !last:
			errs = append(errs, fmt.Errorf("the %s codec accepts any bytes: it must be the last of the list", c.Name()))
		case !a.first:
			errs = append(errs, fmt.Errorf("the %s codec accepts any bytes, so that every payload would be ambiguous: use PreferFirst", c.Name()))
		}
	}
	return errors.Join(errs...)
}

func isNil(c Codec) bool {
	v := reflect.ValueOf(c)
	return c == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Codecs returns the codecs of the list.
func (a *Alternatives) Codecs() []Codec { return slices.Clone(a.list) }

// Name returns "anyof(" and the names of the codecs.
func (a *Alternatives) Name() string {
	names := make([]string, len(a.list))
	for i, c := range a.list {
		names[i] = c.Name()
	}
	return "anyof(" + strings.Join(names, ",") + ")"
}

// WritesEmpty reports whether a payload of no bytes is a value of one of the
// codecs: what lies in a queue may come from any of them.
func (a *Alternatives) WritesEmpty() bool {
	return slices.ContainsFunc(a.list, Codec.WritesEmpty)
}

// Limits returns, for each limit, the largest of the codecs: none of them accepts
// more. Each codec keeps its own.
func (a *Alternatives) Limits() Limits {
	var most Limits
	for _, c := range a.list {
		l := c.Limits()
		most = Limits{
			Bytes: max(most.Bytes, l.Bytes), Elements: max(most.Elements, l.Elements),
			Depth: max(most.Depth, l.Depth), StringBytes: max(most.StringBytes, l.StringBytes),
		}
	}
	return most.WithDefaults()
}

// WithLimits returns the same list of codecs with these limits.
func (a *Alternatives) WithLimits(l Limits) Codec {
	out := *a
	out.list = slices.Clone(a.list)
	for i, c := range out.list {
		out.list[i] = Whole(withLimits(c, l))
	}
	return &out
}

// Weight returns the sum of the codecs, whose readings are compared; see the function [Weight].
func (a *Alternatives) Weight(payload []byte) int64 {
	sum := int64(0)
	for _, c := range a.list {
		sum += Weight(c, payload)
	}
	return sum
}

// Decode reads one whole payload as [Alternatives] says, without a Go type to
// resolve what is ambiguous. If no codec accepts it, Decode returns, beside the
// error, the part that the codec that came furthest had read.
func (a *Alternatives) Decode(payload []byte) (any, error) {
	v, _, err := a.DecodeBy(payload)
	return v, err
}

// DecodeBy is Decode and returns the codec whose reading it is, nil with an error.
// Of equal readings it is that of the earliest codec.
func (a *Alternatives) DecodeBy(payload []byte) (any, Codec, error) {
	if a.mistakes != nil {
		return nil, nil, a.wrong()
	}
	p := parley{codec: a}
	for _, c := range a.list {
		v, err := c.Decode(payload)
		if p.hear(c, v, err) {
			break
		}
	}
	return p.outcome()
}

// Encode writes value as the first codec does. Errors are [*EncodeError].
func (a *Alternatives) Encode(value any) ([]byte, error) {
	if a.mistakes != nil {
		return nil, &EncodeError{Codec: a.Name(), Type: reflect.TypeOf(value), Reason: wrongList, Err: a.mistakes}
	}
	return a.list[0].Encode(value)
}

const wrongList = "the list of codecs is wrong"

func (a *Alternatives) wrong() error {
	return &DecodeError{Codec: a.Name(), Offset: -1, Reason: wrongList, Err: a.mistakes}
}

// Bind binds every codec to t. A type that one of them cannot carry is a mistake,
// because nothing that codec wrote could be read; all mistakes are reported
// together as joined [*BindError] values.
func (a *Alternatives) Bind(t reflect.Type, opts BindOptions) (Binding, error) {
	b := &anyBinding{codec: a, typ: t}
	var errs []error
	if a.mistakes != nil {
		errs = append(errs, &BindError{Codec: a.Name(), Type: t, Reason: wrongList, Err: a.mistakes})
	}
	for _, c := range a.list {
		one, err := c.Bind(t, opts)
		if err != nil {
			errs = append(errs, err)
		}
		b.list = append(b.list, one)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// anyBinding is a list of codecs bound to one Go type.
type anyBinding struct {
	codec *Alternatives
	list  []Binding
	typ   reflect.Type
}

// Append implements [Binding] by the first codec.
func (b *anyBinding) Append(dst []byte, value any) ([]byte, error) {
	return b.list[0].Append(dst, value)
}

// Decode implements [Binding].
func (b *anyBinding) Decode(payload []byte, target any) error {
	into := reflect.ValueOf(target)
	if into.Kind() != reflect.Pointer || into.IsNil() || into.Type().Elem() != b.typ {
		return &DecodeError{Codec: b.codec.Name(), Offset: -1, Reason: fmt.Sprintf("the target is %T, not *%s", target, b.typ)}
	}
	p := parley{codec: b.codec}
	for i, one := range b.list {
		fresh := reflect.New(b.typ)
		err := one.Decode(payload, fresh.Interface())
		if p.hear(b.codec.list[i], fresh.Elem().Interface(), err) {
			break
		}
	}
	v, by, err := p.outcome()
	if err != nil {
		p.readings(payload, err)
		return err
	}
	if by == nil || v == nil { // a nil interface
		into.Elem().SetZero()
		return nil
	}
	into.Elem().Set(reflect.ValueOf(v))
	return nil
}
