package marshalling

import (
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// name is the canonical codec name.
const name = "marshalling"

// Codec is Redisson's MarshallingCodec. Make one with [New]; it is immutable and
// safe for concurrent use.
//
// Its Bind takes structs with a Java class as beans; all others travel as
// java.util.HashMap. A bean that is a record, or whose class is not Serializable ("serial
// none"), is a [*codecs.BindError]; superclasses may be that, and are left out. A class that
// writes itself ("custom") is bound for reading; to write it is a [*codecs.EncodeError].
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
	return &Codec{serial.NewCodec(name, s.Settings, mistakes, format{s.strings, &knownClasses{}}), opts}
}

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// format implements [serial.Format].
type format struct {
	strings Strings
	known   *knownClasses
}

func (f format) Read(payload []byte, limits codecs.Limits, descs *serial.Descs, refusals *serial.Refusals) (any, error) {
	d := decoders.Get().(*decoder)
	d.Reader = serial.NewReader(name, serial.River, payload, limits, descs, refusals)
	d.known = f.known
	v, err := d.Whole(d.payload)
	*d = decoder{objects: serial.Emptied(d.objects), classes: serial.Emptied(d.classes), fields: serial.Emptied(d.fields[:cap(d.fields)]), indexes: serial.Emptied(d.indexes)}
	decoders.Put(d)
	return v, err
}

func (f format) Write(dst []byte, value any, depth int, classes *serial.Classes) ([]byte, error) {
	e := encoders.Get().(*encoder)
	e.out, e.depth, e.maxDepth, e.strings = append(dst, maxVersion), depth, depth, f.strings
	e.describe = serial.Describer{Classes: classes, Flavor: serial.River}
	err := e.value(value)
	out := e.out
	encoders.Put(e.emptied())
	return out, err
}

// Tables are used again, which saves half of the time.
var (
	decoders = sync.Pool{New: func() any { return new(decoder) }}
	encoders = sync.Pool{New: func() any { return new(encoder).emptied() }}
)

// emptied makes an encoder that keeps nothing but the memory of its tables.
func (e *encoder) emptied() *encoder {
	*e = encoder{
		objects: serial.EmptiedMap(e.objects), equal: serial.EmptiedMap(e.equal),
		names: serial.EmptiedMap(e.names), classes: serial.EmptiedMap(e.classes),
	}
	return e
}

func (format) Classes(declared *java.Classes) *serial.Classes {
	return serial.NewClasses(declared, true)
}
