package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

func newEnum(desc *java.Class) *class {
	return &class{
		name: desc.Name, enum: &enumClass{name: desc.Name, desc: desc},
		read: readEnum, write: writer(writeEnum), acceptsNull: true, untracked: true,
	}
}

func readEnum(d *decoder, c *class, _ *layout.Type) (any, error) {
	start := d.at
	u, err := d.uv32()
	if err != nil || u == 0 {
		return nil, err
	}
	return d.constant(start, c, u-1)
}

// constant returns the constant of an enum with that ordinal.
func (d *decoder) constant(start int, c *class, ordinal uint32) (any, error) {
	var v java.Enum
	ok := ordinal < 1<<16
	if ok {
		v, ok = c.enum.desc.Enum(int(ordinal))
	}
	switch {
	case !ok:
		return nil, d.faultIn(c, start, "ordinal %d, and %s has %d constants", ordinal, c.enum.name, len(c.enum.desc.Constants))
	case c.name != c.enum.name && v.Body != "" && v.Body != c.name:
		return nil, d.faultIn(c, start, "%s is the class of another constant than %s", c.name, v.Name)
	case c.name != c.enum.name:
		v.Body = c.name
	}
	return v, nil
}

func writeEnum(e *encoder, c *class, v java.Enum) error {
	ordinal, err := c.ordinal(v)
	e.out = appendUV32(e.out, uint32(ordinal)+1)
	return err
}

// ordinal returns the ordinal of a constant, by its name where it has one.
func (c *class) ordinal(v java.Enum) (int, error) {
	if c.enum == nil {
		return 0, wrongKind(c, v)
	}
	at := v.Ordinal
	if v.Name != "" {
		at = c.enum.desc.Ordinal(v.Name)
	}
	if at < 0 || at >= len(c.enum.desc.Constants) {
		return 0, encodeFault(v, "%s has no constant %s with ordinal %d", c.enum.name, errpath.Key(v.Name), v.Ordinal)
	}
	return at, nil
}

// enumClassOf returns the class under which a constant is written.
func (e *encoder) enumClassOf(v java.Enum) (*class, error) {
	c := e.world.class(v.Class)
	if c == nil || c.enum == nil {
		return nil, encodeFault(v, "%s", unwritable(v.Class, c))
	}
	at, err := c.ordinal(v)
	if err != nil {
		return nil, err
	}
	return e.world.constantClass(c, v, at), nil
}

// constantClass returns the class under which a constant of enum class c is written: its own
// where it has one, unless allowedClasses numbers the enum and not that.
func (w *world) constantClass(c *class, v java.Enum, ordinal int) *class {
	body := c.enum.desc.Constants[ordinal].Body
	if body == "" {
		body = v.Body
	}
	if body == "" || body == c.name {
		return c
	}
	own := w.class(body)
	if own == nil || own.enum != c.enum || own.id == 0 && c.id != 0 {
		return c
	}
	return own
}

// enumNode carries Go enums: named strings by the constant's name, "" for null, named
// integers by its ordinal.
type enumNode struct {
	place
	as       *class
	kind     reflect.Kind
	classes  []*class // of the constants
	names    []string // of the constants
	ordinals map[string]int
	bodies   bool // constants have classes of their own
}

func (n *enumNode) usual() *class { return n.as }

// ordinal returns the ordinal of the constant at p, -1 for null.
func (n *enumNode) ordinal(p memory.Place) (int, error) {
	if n.kind == reflect.String {
		s := *memory.At[string](p)
		if s == "" {
			return -1, nil
		}
		if i, ok := n.ordinals[s]; ok {
			return i, nil
		}
		return 0, n.fault("the declaration of %s has no constant %s", n.as.name, errpath.Key(s))
	}
	if v, ok := memory.LoadInt(n.kind, p); ok && v >= 0 && v < int64(len(n.names)) {
		return int(v), nil
	}
	return 0, n.fault("the declaration of %s has no constant with the ordinal %v", n.as.name, n.variable(p))
}

func (n *enumNode) of(e *encoder, p memory.Place) (*class, any, error) {
	i, err := n.ordinal(p)
	if err != nil || i < 0 {
		return nil, nil, err
	}
	if !n.bodies || e.known.allowed == nil {
		return n.classes[i], nil, nil
	}
	v, _ := n.as.enum.desc.Enum(i) // whose body counts in lists
	return n.classes[i], v, nil
}

func (n *enumNode) write(e *encoder, _ *class, p memory.Place, _ any) error {
	i, err := n.ordinal(p)
	e.out = appendUV32(e.out, uint32(i)+1)
	return err
}

func (n *enumNode) read(d *decoder, c *class, p memory.Place) error {
	if c.enum == nil || c.enum != n.as.enum {
		return d.convert(&n.place, c, p)
	}
	if c.variants {
		d.meet(c)
	}
	start := d.at
	u, err := d.uv32()
	switch {
	case err != nil:
		return err
	case u == 0:
		return d.noNull(c, start)
	case u > uint32(len(n.names)) || c != n.as && c != n.classes[u-1]:
		if _, err := d.constant(start, c, u-1); err != nil {
			return err
		}
	}
	if n.kind == reflect.String {
		*memory.At[string](p) = n.names[u-1]
		return nil
	}
	if memory.StoreInt(n.kind, p, int64(u-1)) {
		return nil
	}
	d.at = start
	return d.convert(&n.place, c, p) // which says why it does not fit
}

// readEnumSet reads the class of the enum and ordinals.
func readEnumSet(d *decoder, c *class, _ *layout.Type) (any, error) {
	of, err := d.class(nil, "")
	if err != nil {
		return nil, err
	}
	start := d.at
	if of == nil || of.enum == nil {
		return nil, d.faultIn(c, start, "an EnumSet of a class that is no enum")
	}
	n, err := d.uv32()
	if err == nil {
		err = d.checkCount(start, n)
	}
	if err != nil {
		return nil, err
	}
	if err := d.enter(start, int(n), 1); err != nil {
		return nil, err
	}
	defer d.leave()
	out := &java.List{Class: c.name, Of: of.enum.name}
	switch {
	case c.name != "java.util.EnumSet": // which is all that allowedClasses let the payload say
	case len(of.enum.desc.Constants) > 64:
		out.Class = "java.util.JumboEnumSet"
	default:
		out.Class = "java.util.RegularEnumSet"
	}
	d.publish(out)
	last, enum := -1, d.world.class(of.enum.name)
	for i := range int(n) {
		start := d.at
		u, err := d.uv32()
		var v any
		switch {
		case err != nil:
		case u == 0 || int(u) <= last:
			err = d.faultIn(c, start, "the constants of an EnumSet are not in their order")
		default:
			v, err = d.constant(start, enum, u-1)
		}
		if err != nil {
			return out, underIndex(i, err)
		}
		last = int(u)
		out.Elements = append(out.Elements, v)
	}
	return out, nil
}

func writeEnumSet(e *encoder, c *class, v any, _ *layout.Type) error {
	l, ok := v.(*java.List)
	if !ok {
		return wrongKind(c, v)
	}
	name, err := serial.EnumOf(l)
	if err != nil {
		return encodeFault(v, "%v", err)
	}
	of := e.world.class(name)
	if of == nil || of.enum == nil {
		return encodeFault(v, "%s", unwritable(name, of))
	}
	ordinals := make([]uint32, len(l.Elements))
	for i, element := range l.Elements {
		k, ok := element.(java.Enum)
		if !ok || k.Class != of.enum.name {
			return errpath.UnderEncode(indexPath(i), encodeFault(element, "it is no constant of %s", of.enum.name))
		}
		at, err := of.ordinal(k)
		if err != nil {
			return errpath.UnderEncode(indexPath(i), err)
		}
		if i > 0 && uint32(at) < ordinals[i-1] {
			return encodeFault(l, "the constants of an EnumSet are not in their order, or occur twice")
		}
		ordinals[i] = uint32(at) + 1
	}
	// Java names the class of the first constant, or of one that is not there.
	first := 0
	if len(ordinals) > 0 {
		first = int(ordinals[0]) - 1
	}
	if k, ok := of.enum.desc.Enum(first); ok {
		of = e.world.constantClass(of, k, first)
	}
	if err := e.class(of); err != nil {
		return err
	}
	e.out = appendUV32(e.out, uint32(len(ordinals)))
	for _, o := range ordinals {
		e.out = appendUV32(e.out, o)
	}
	return nil
}

func (k *catalog) addEnums() {
	for _, desc := range jdkclass.Enums {
		k.add(*newEnum(desc))
	}
	for _, name := range []string{"java.util.RegularEnumSet", "java.util.JumboEnumSet", "java.util.EnumSet"} {
		c := k.add(class{name: name, read: readEnumSet, write: writeEnumSet, list: true, enumSet: true, partial: true})
		c.fixed = -1
	}
}
