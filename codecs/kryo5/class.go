package kryo5

import (
	"sync"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// class is one Java class as this codec reads and writes it. Classes are not
// changed once a codec has them.
type class struct {
	name string
	wire []byte // the name as written
	id   uint32 // wire id of registered classes; 0 for those written by name

	// read reads a body; nil for classes that cannot be read.
	read func(d *decoder, c *class, ctx *layout.Type) (any, error)
	// write writes a body; nil for classes that cannot be written.
	write func(e *encoder, c *class, v any, ctx *layout.Type) error
	// reason says why a class is not carried, where read or write is nil.
	reason    string
	described bool // the reason holds whatever follows

	shape
	// list and mapping say which Go form a container has.
	list, mapping bool
	enumSet       bool
	// partial values are worth keeping when what follows in them is broken.
	partial bool
	// acceptsNull classes have a null of their own instead of a marker byte.
	acceptsNull bool
	// nullText is a null like that of a string.
	nullText bool
	// untracked classes take no part in references: wrappers and enums.
	untracked bool
	// zeroWidth bodies take no bytes.
	zeroWidth bool

	holds     holds      // of the classes that hold one value
	component string     // class of the elements of an array; empty for all others
	stream    string     // serializer entry of a class that Java serialization writes
	before    *class     // the layout that older writers gave the class, if it can be told apart
	enum      *enumClass // of enums and the classes of their constants
	bean      *beanClass // of beans and records
	variants  bool       // there are several descriptions of the class
	super     string     // superclass, where it is known
}

// holds says how a class holds one value: where it is met, a Go type takes what it holds.
type holds uint8

const (
	holdsNothing holds = iota
	holdsObject        // an object with its class, or null
	holdsField         // in a field of its own form
)

// null returns the byte that is a null of the class where the payload leaves the class
// out.
func (c *class) null() byte {
	if c.nullText {
		return 0x80
	}
	return 0
}

// shape is how a container behaves.
type shape struct {
	noNull    bool // Java fails on null elements, keys or values
	mayNull   bool // but not on null elements that a comparator takes
	noNullKey bool // Java fails on null keys only, and only in natural order
	sorted    bool // begins with a comparator; null means natural order
	natural   bool // compares what it holds; all sorted ones do
	distinct  bool // Java fails on elements or keys that repeat
	immutable bool // never says whether it holds null
	fixed     int  // number of elements of a container that does not write it; -1 for all others
	empty     bool // Java fails on any element
	readOnly  bool // Java writes it and cannot read it back
}

// enumClass is an enum. Constants with a body have a class of their own, which
// shares the enumClass.
type enumClass struct {
	name string
	desc *java.Class
}

// beanClass is what FieldSerializer makes of a class. Fields are laid out when
// the first bean of the class is met.
type beanClass struct {
	desc  *java.Class
	world *world

	once   sync.Once
	layout *layout.Bean
	fields []beanField
	err    error
}

type beanField struct {
	layout.Field
	known *class // of values that are written without one, of primitives that of their wrapper; else nil
}

// Wire ids of the classes that Kryo registers.
const (
	idNull    = 0
	idByName  = 1
	idInteger = 2
	idString  = 3
	idFloat   = 4
	idBoolean = 5
	idByte    = 6
	idChar    = 7
	idShort   = 8
	idLong    = 9
	idDouble  = 10
	idEnd     = 11
)

// primitiveIDs are the ids that primitives share with their wrappers.
var primitiveIDs = map[string]uint32{
	"int": idInteger, "float": idFloat, "boolean": idBoolean, "byte": idByte,
	"char": idChar, "short": idShort, "long": idLong, "double": idDouble,
}

// comparable reports whether values of the class have a natural order.
func (c *class) comparable() bool {
	if c == nil || c.list || c.mapping || c.component != "" {
		return false
	}
	t := jdk.OfClass(c.name)
	return (t == nil || t.Ordered) && c.name != "java.lang.Object"
}

// ordered reports whether Java may compare objects of both classes: those of one
// class, constants of one enum, and others that share a superclass.
func ordered(a, b *class) bool {
	switch {
	case a.name == b.name, a.enum != nil && a.enum == b.enum:
		return true
	case a.enum != nil || b.enum != nil:
		return false
	}
	return dates[a.name] && dates[b.name] || !javaName(a.name) && !javaName(b.name)
}

var dates = map[string]bool{"java.util.Date": true, "java.sql.Date": true, "java.sql.Time": true, "java.sql.Timestamp": true}

// reader makes the read function of a class that needs nothing but bytes.
func reader[T any](read func(d *decoder) (T, error)) func(*decoder, *class, *layout.Type) (any, error) {
	return func(d *decoder, _ *class, _ *layout.Type) (any, error) {
		v, err := read(d)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
}

// writer makes the write function of a class whose values have Go type T.
func writer[T any](write func(e *encoder, c *class, v T) error) func(*encoder, *class, any, *layout.Type) error {
	return func(e *encoder, c *class, v any, _ *layout.Type) error {
		t, ok := v.(T)
		if !ok {
			return wrongKind(c, v)
		}
		return write(e, c, t)
	}
}
