package serialization

import (
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// name is the canonical codec name.
const name = "serialization"

// Codec is Redisson's SerializationCodec. Make one with [New]; it is immutable
// and safe for concurrent use.
//
// Its Bind takes structs with a Java class as beans, whose fields go by name; structs
// without one travel as java.util.HashMap. A bean whose serialVersionUID is not known, or
// whose class is not Serializable ("serial none"), is a [*codecs.BindError]; superclasses
// may be that, and are left out. A class that writes itself ("custom") is bound for reading;
// to write it is a [*codecs.EncodeError].
type Codec struct {
	*serial.Codec
	opts []Option
}

var _ codecs.Codec = (*Codec)(nil)

// New makes the codec. Mistakes in the options are reported by Bind, Decode and
// Encode, so that a declaration cannot panic.
func New(opts ...Option) *Codec {
	s := settings{Settings: serial.Settings{Limits: codecs.Limits{}.WithDefaults()}}
	mistakes := option.Configure(&s, opts)
	return &Codec{serial.NewCodec(name, s.Settings, mistakes, format{s.noFields}), opts}
}

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// format implements [serial.Format].
type format struct{ noFields map[string]bool }

func (f format) Read(payload []byte, limits codecs.Limits, descs *serial.Descs, refusals *serial.Refusals) (any, error) {
	r := reader{Reader: serial.NewReader(name, serial.JavaIO, payload, limits, descs, refusals), noFields: f.noFields}
	return r.Whole(func() (any, error) {
		if err := r.header(); err != nil {
			return nil, err
		}
		return r.value()
	})
}

func (format) Write(dst []byte, value any, depth int, classes *serial.Classes) ([]byte, error) {
	w := writers.Get().(*writer)
	w.out, w.depth, w.describe.Classes = append(dst, magic...), depth, classes
	err := w.value(value)
	out := w.out
	writers.Put(w.emptied())
	return out, err
}

// Tables are used again, which saves half of the time.
var writers = sync.Pool{New: func() any { return new(writer).emptied() }}

func (format) Classes(declared *java.Classes) *serial.Classes {
	return serial.NewClasses(declared, false)
}
