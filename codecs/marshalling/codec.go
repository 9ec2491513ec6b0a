package marshalling

import (
	"slices"

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
	return &Codec{serial.NewCodec(name, s.Settings, mistakes, format{s.strings}), opts}
}

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *Codec) WithLimits(l codecs.Limits) codecs.Codec {
	return New(append(slices.Clone(c.opts), Limits(l))...)
}

// format implements [serial.Format].
type format struct{ strings Strings }

func (format) Read(payload []byte, limits codecs.Limits, descs *serial.Descs, refusals *serial.Refusals) (any, error) {
	d := decoder{Reader: serial.NewReader(name, serial.River, payload, limits, descs, refusals)}
	return d.Whole(d.payload)
}

func (f format) Write(dst []byte, value any, depth int, classes *serial.Classes) ([]byte, error) {
	e := encoder{
		out: append(dst, maxVersion), depth: depth, maxDepth: depth, strings: f.strings,
		describe: serial.Describer{Classes: classes, Flavor: serial.River},
		objects:  map[serial.ID]int{}, equal: map[any]int{}, names: map[string]int{}, classes: map[string]int{}, descs: map[string]*serial.Desc{},
	}
	err := e.value(value)
	return e.out, err
}

func (format) Classes(declared *java.Classes) *serial.Classes {
	return serial.NewLooseClasses(declared)
}
