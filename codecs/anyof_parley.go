package codecs

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Reading is what one codec reads in a payload.
type Reading struct {
	Codec string // canonical name
	Value any    // as [Codec.Decode] returns it
}

// AmbiguousError says that several codecs of [AnyOf] read a payload, each in its
// own way. A [*DecodeError] wraps it.
type AmbiguousError struct {
	Readings []Reading // in the order of the list, at least two
}

// Error names all readings in one line.
func (e *AmbiguousError) Error() string {
	parts := make([]string, len(e.Readings))
	for i, r := range e.Readings {
		parts[i] = r.Codec + " reads " + summary(r.Value)
	}
	return strings.Join(parts, ", ")
}

// parley collects what the codecs of a list say about one payload.
type parley struct {
	codec    *Alternatives
	accepted []Reading
	by       []Codec
	refused  []error
	partial  any // of the refusal that came furthest
	furthest int
}

// hear notes what codec c says, and reports whether the others need not be asked.
func (p *parley) hear(c Codec, v any, err error) bool {
	if err == nil {
		p.accepted = append(p.accepted, Reading{Codec: c.Name(), Value: v})
		p.by = append(p.by, c)
		return p.codec.first
	}
	p.refused = append(p.refused, err)
	var e *DecodeError
	if errors.As(err, &e) && e.Offset >= p.furthest && v != nil {
		p.partial, p.furthest = v, e.Offset
	}
	return false
}

// outcome returns the reading that counts and its codec.
func (p *parley) outcome() (any, Codec, error) {
	if len(p.accepted) == 0 {
		return p.partial, nil, &DecodeError{Codec: p.codec.Name(), Offset: -1, Reason: "no codec of the list reads it", Err: &refusedError{p.refused}}
	}
	for _, other := range p.accepted[1:] {
		if !alike(other.Value, p.accepted[0].Value) {
			return nil, nil, p.ambiguous(p.accepted)
		}
	}
	return p.accepted[0].Value, p.by[0], nil
}

func (p *parley) ambiguous(readings []Reading) error {
	return &DecodeError{
		Codec: p.codec.Name(), Offset: -1,
		Reason: "the payload is ambiguous: bind to a narrower Go type, or use PreferFirst", Err: &AmbiguousError{Readings: readings},
	}
}

// readings replaces Go values in an [*AmbiguousError] by what the codecs read
// without a Go type.
func (p *parley) readings(payload []byte, err error) {
	var e *AmbiguousError
	if !errors.As(err, &e) {
		return
	}
	for i, c := range p.by {
		if v, err := c.Decode(payload); err == nil {
			e.Readings[i].Value = v
		}
	}
}

// refusedError says why each codec refuses.
type refusedError struct{ errs []error }

// Error names all refusals in one line.
func (e *refusedError) Error() string {
	parts := make([]string, len(e.errs))
	for i, err := range e.errs {
		parts[i] = strings.TrimPrefix(err.Error(), "decode ")
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns all refusals.
func (e *refusedError) Unwrap() []error { return e.errs }

// summary says in a few words what kind of value it is, never the value: scalars by
// their type, texts by their length, containers and beans by their Java class.
func summary(v any) string {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return "null"
	case reflect.String:
		return fmt.Sprintf("a string of %d bytes", r.Len())
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Uint16, reflect.Float32, reflect.Float64:
		return fmt.Sprintf("a %T", v)
	case reflect.Slice, reflect.Map:
		return fmt.Sprintf("%T of length %d", v, r.Len())
	case reflect.Pointer:
		if r.Elem().Kind() == reflect.Struct {
			if class := r.Elem().FieldByName("Class"); class.Kind() == reflect.String {
				return fmt.Sprintf("%T of class %s", v, class.String())
			}
		}
	}
	return fmt.Sprintf("a %T", v)
}
