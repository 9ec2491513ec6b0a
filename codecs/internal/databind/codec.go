package databind

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Codec carries values as one of Redisson's Jackson codecs does. Get one from
// [New]; it is immutable and safe for concurrent use.
type Codec struct {
	format  Format
	rules   Rules
	limits  codecs.Limits
	classes *java.Classes
	err     error // mistakes in the options, which every use reports
}

var _ codecs.Codec = (*Codec)(nil)

// New returns the codec of a format. The rules say which of Java's codecs it is;
// options may change their Release. Mistakes in options are reported by Bind, Decode
// and Encode.
func New(f Format, rules Rules, opts ...Option) *Codec {
	if rules.Release == (Release{}) {
		rules.Release = dialects[Redisson3_12].release
		if rules.Jackson == 3 {
			rules.Release = newest
		}
	}
	s := settings{codec: f.Name, limits: codecs.Limits{}.WithDefaults(), rules: rules}
	err := s.configure(opts)
	classes, joinErr := (*java.Classes)(nil).Join(s.classes...)
	return &Codec{format: f, rules: s.rules, limits: s.limits, classes: classes, err: errors.Join(err, joinErr)}
}

// Name returns the canonical name of the codec.
func (c *Codec) Name() string { return c.format.Name }

// WritesEmpty returns false: no value of these formats is empty.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force. Bytes, Elements, Depth (maps, lists and
// beans within each other) and StringBytes all count.
func (c *Codec) Limits() codecs.Limits { return c.limits }

// Rules returns the rules in force.
func (c *Codec) Rules() Rules { return c.rules }

// Bind compiles the plan for Go type t.
func (c *Codec) Bind(t reflect.Type, _ codecs.BindOptions) (codecs.Binding, error) {
	return nil, &codecs.BindError{Codec: c.Name(), Type: t, Reason: errNotCarried, Err: c.err}
}

// Decode reads one payload into Java values.
func (c *Codec) Decode([]byte) (any, error) {
	return nil, &codecs.DecodeError{Codec: c.Name(), Offset: -1, Reason: errNotCarried, Err: c.err}
}

// Encode writes a Java value, or a plain Go one as package java lowers it.
func (c *Codec) Encode(v any) ([]byte, error) {
	return nil, &codecs.EncodeError{Codec: c.Name(), Type: reflect.TypeOf(v), Reason: errNotCarried, Err: c.err}
}

const errNotCarried = "values are not carried yet"
