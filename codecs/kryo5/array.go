package kryo5

import (
	"math"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

func (k *catalog) addArrays() {
	k.add(primitiveArray("[Z", bools))
	k.add(primitiveArray("[S", shorts))
	k.add(primitiveArray("[C", chars))
	k.add(primitiveArray("[I", ints))
	k.add(primitiveArray("[J", longs))
	k.add(primitiveArray("[F", floats))
	k.add(primitiveArray("[D", doubles))
	k.add(class{name: "[B", component: "byte", read: readBytes, write: writer(writeBytes), acceptsNull: true})
	for _, name := range []string{"[Ljava.lang.String;", "[Ljava.lang.Object;"} {
		component, _ := jdk.Component(name)
		k.add(arrayClass(name, component))
	}
}

func arrayClass(name, component string) class {
	return class{
		name: name, component: component, read: readCollection, write: writeCollection, acceptsNull: true, list: true, partial: true,
		shape: shape{fixed: -1},
	}
}

// array returns the class of an array whose elements may be classes of the user.
func (w *world) array(name, component string) *class {
	c := arrayClass(name, component)
	c.wire, c.id = appendClassName(nil, name), w.known.idOf(name)
	return &c
}

func primitiveArray[T any](name string, f form[T]) class {
	component, _ := jdk.Component(name)
	width := primitiveWidths[component]
	return class{
		name: name, component: component, acceptsNull: true,
		read: func(d *decoder, _ *class, _ *layout.Type) (any, error) {
			n, null, err := d.arrayLength(width)
			if null || err != nil {
				return nil, err
			}
			out := make([]T, n)
			for i := range out {
				if out[i], err = f.read(d); err != nil {
					return nil, underIndex(i, err)
				}
			}
			return out, nil
		},
		write: writer(func(e *encoder, c *class, s []T) error {
			if len(s) >= math.MaxInt32 {
				return tooLong(c)
			}
			e.out = appendUV32(e.out, uint32(len(s))+1)
			for _, x := range s {
				e.out = f.write(e.out, x)
			}
			return nil
		}),
	}
}

// primitiveWidths are how many bytes primitives take at least.
var primitiveWidths = map[string]int{"boolean": 1, "byte": 1, "short": 2, "char": 2, "int": 1, "long": 1, "float": 4, "double": 8}

// arrayLength reads the length of an array whose elements take width bytes or more.
func (d *decoder) arrayLength(width int) (n int, null bool, err error) {
	start := d.at
	n, null, err = d.count()
	if err == nil && n > d.remaining()/width {
		err = d.fault(start, "%d values do not fit into the %d bytes left", n, d.remaining())
	}
	return n, null, err
}

func readBytes(d *decoder, _ *class, _ *layout.Type) (any, error) {
	b, err := d.bytes()
	if b == nil || err != nil {
		return nil, err
	}
	return b, nil
}

// bytes reads a byte[]; nil means null.
func (d *decoder) bytes() ([]byte, error) {
	n, null, err := d.arrayLength(1)
	if null || err != nil {
		return nil, err
	}
	b, err := d.fixed(n)
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, n), b...), nil
}

func writeBytes(e *encoder, c *class, v []byte) error {
	if len(v) >= math.MaxInt32 {
		return tooLong(c)
	}
	e.out = append(appendUV32(e.out, uint32(len(v))+1), v...)
	return nil
}

// elementClass returns the class of the elements of array class c, where they are
// written without one: where it is final or an array.
func (w *world) elementClass(c *class) string {
	if c.component[0] == '[' || layout.Final(c.component, w.finder) {
		return c.component
	}
	return ""
}

// undescribed reports that it is not known whether the elements of an array are
// written with their class: the class of the user is not described.
func (w *world) undescribed(c *class) bool {
	name := c.component
	for name[0] == '[' {
		name, _ = jdk.Component(name)
	}
	return !javaName(name) && w.class(name) == nil && !layout.Final(name, w.finder)
}
