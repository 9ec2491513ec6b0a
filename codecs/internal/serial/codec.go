package serial

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Settings are what the options of both streams set.
type Settings struct {
	Limits        codecs.Limits
	Classes       *java.Classes
	RefuseUnknown bool
	RefuseMissing bool
}

// Format is one of the streams.
type Format interface {
	// Read reads one whole payload.
	Read(payload []byte, limits codecs.Limits, descs *Descs, refusals *Refusals) (any, error)
	// Write appends the payload of a value.
	Write(dst []byte, value any, depth int, classes *Classes) ([]byte, error)
	// Classes makes descriptors of declared classes.
	Classes(declared *java.Classes) *Classes
}

// Codec carries values of package java by one of the streams. It is immutable, apart from
// the descriptors it has met, and safe for concurrent use.
type Codec struct {
	name     string
	settings Settings
	mistakes error
	format   Format
	classes  *Classes
	descs    Descs
}

// NewCodec makes a codec. Its mistakes are reported by Bind, Decode and Encode.
func NewCodec(name string, settings Settings, mistakes error, format Format) *Codec {
	return &Codec{name: name, settings: settings, mistakes: mistakes, format: format, classes: format.Classes(settings.Classes)}
}

// Name returns the canonical name.
func (c *Codec) Name() string { return c.name }

// WritesEmpty returns false: null has two bytes at least.
func (c *Codec) WritesEmpty() bool { return false }

// Limits returns the limits in force.
func (c *Codec) Limits() codecs.Limits { return c.settings.Limits }

// Decode reads one whole payload into the values of package codecs/java. The error is a
// [*codecs.DecodeError]; the part of the value before it may come back beside it.
func (c *Codec) Decode(payload []byte) (any, error) {
	if c.mistakes != nil {
		return nil, &codecs.DecodeError{Codec: c.name, Offset: -1, Reason: option.Wrong, Err: c.mistakes}
	}
	return c.format.Read(payload, c.settings.Limits, &c.descs, nil)
}

// Encode writes a value that Decode returned, or any Go value that package java
// knows. The error is a [*codecs.EncodeError].
func (c *Codec) Encode(value any) ([]byte, error) { return c.write(nil, value, c.classes) }

func (c *Codec) write(dst []byte, value any, classes *Classes) ([]byte, error) {
	if c.mistakes != nil {
		return dst, &codecs.EncodeError{Codec: c.name, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.mistakes}
	}
	out, err := c.format.Write(dst, value, c.settings.Limits.Depth, classes)
	if err != nil {
		return dst, bridge.Named(c.name, err)
	}
	return out, nil
}

// Bind compiles the plan for type t. All mistakes are reported together as joined
// [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	plan, found, err := bridge.Bind(c.name, c.mistakes, t, opts)
	if err != nil {
		return nil, err
	}
	all, err := found.Join(c.settings.Classes)
	if err != nil {
		return nil, bridge.BindError(c.name, t, err)
	}
	b := &binding{codec: c, plan: plan, classes: c.format.Classes(all)}
	b.refusals = newRefusals(c.settings, plan, opts, b.classes)
	var errs []error
	for _, bean := range plan.Beans() {
		class := gotypes.ClassName(bean.Type, opts.Classes)
		if problem := b.classes.Problem(class); problem != nil {
			errs = append(errs, &codecs.BindError{
				Codec: c.name, Type: bean.Type, Path: bean.Path,
				Reason: "the Java class " + class + " cannot be written: " + problem.Error(),
			})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// binding carries one Go type.
type binding struct {
	codec    *Codec
	plan     *bridge.Plan
	classes  *Classes
	refusals *Refusals // nil where fields may differ
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	lowered, err := b.plan.LowerShared(value)
	if err != nil {
		return dst, bridge.Named(b.codec.name, err)
	}
	return b.codec.write(dst, lowered, b.classes)
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	v, err := b.codec.format.Read(payload, b.codec.settings.Limits, &b.codec.descs, b.refusals)
	if err != nil {
		return err
	}
	return bridge.Named(b.codec.name, b.plan.Assign(v, target))
}
