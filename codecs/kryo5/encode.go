package kryo5

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// encoder writes one payload. It is used by one goroutine at a time.
type encoder struct {
	references bool
	maxDepth   int
	maxBytes   int // bounds what shared parts multiply to

	tree    *tree
	known   *catalog
	world   *world
	out     []byte
	depth   int
	exact   bool              // objects must have all fields of a class with several descriptions
	met     []string          // such classes whose fields an object had not
	classes []*class          // in the order of their name ids
	bits    uint64            // of their names
	names   map[string]uint32 // the same by name, where there are many
	scope   layout.Scope
	objects map[memory.Box]uint32 // ids of what was written, with references
	count   int                   // objects written, with references
	streams streams
	keys    []string     // scratch for the order of Go maps
	parts   []written    // elements of the lists being written
	word    memory.Place // a pointer or map that is the whole value
	whole   any          // the whole value, where no type is bound
}

// payload writes one whole payload, the value at p: objects of classes with several
// descriptions by the one that has exactly their fields, where there is one.
func (e *encoder) payload(plan *plan, p memory.Place) error {
	u := plan.universe
	e.exact = len(u.several) > 0
	err := e.attempt(plan.first, p)
	if err == nil || len(e.met) == 0 {
		return err
	}
	for _, choice := range u.choices(e.met) {
		e.clean()
		e.exact = true
		if e.attempt(plan.in(u.with(choice), e.references), p) == nil {
			return nil
		}
	}
	e.clean()
	return e.attempt(plan.first, p)
}

func (e *encoder) attempt(t *tree, p memory.Place) error {
	e.tree, e.world, e.known = t, t.world, t.world.known
	e.scope.Reset(t.world.finder)
	return t.root.writeAs(e, nil, p)
}

// clean drops what was written, so that a pool never keeps values alive.
func (e *encoder) clean() {
	e.out, e.depth, e.count, e.exact, e.met = e.out[:0], 0, 0, false, nil
	e.classes, e.bits = e.classes[:0], 0
	if len(e.keys)+len(e.parts) > 0 { // after an error
		clear(e.keys)
		clear(e.parts)
		e.keys, e.parts = e.keys[:0], e.parts[:0]
	}
	if len(e.objects)+len(e.names) > 0 {
		clear(e.objects)
		clear(e.names)
	}
	e.streams.reset()
}

// value writes class and object, or null.
func (e *encoder) value(v any, ctx *layout.Type) error {
	if !e.references {
		switch v := v.(type) {
		case string:
			e.out = append(e.out, idString)
			return e.string(v)
		case int32:
			e.out = appendZZ32(append(e.out, idInteger), v)
			return nil
		case int64:
			e.out = appendZZ64(append(e.out, idLong), v)
			return nil
		case bool:
			e.out = append(e.out, idBoolean, flagByte(v))
			return nil
		case map[string]any:
			if v != nil && ctx == nil {
				if err := e.class(e.tree.hashMap); err != nil {
					return err
				}
				return writeGoMap(e, v, &openForm, writeAnyValue)
			}
		}
	}
	c, v, err := e.resolve(v)
	if err == nil {
		err = e.class(c)
	}
	if err != nil || c == nil {
		return err
	}
	return e.object(c, v, ctx)
}

func (e *encoder) object(c *class, v any, ctx *layout.Type) error {
	if !e.reference(c, v) {
		return nil
	}
	return e.body(c, v, ctx)
}

// exactly writes an object without its class, or null where it is nullable. The value must have
// exactly that class.
func (e *encoder) exactly(c *class, v any, ctx *layout.Type, nullable bool) error {
	own, v, err := e.resolve(v)
	if err != nil {
		return err
	}
	if present, err := e.present(c, own, v, nullable); err != nil || !present {
		return err
	}
	return e.object(c, v, ctx)
}

// present begins the object v of class own where the payload leaves out its class c, false for
// null.
func (e *encoder) present(c, own *class, v any, nullable bool) (bool, error) {
	switch {
	case own == nil && !nullable:
		return false, encodeFault(v, "found null where the type says %s", c.name)
	case own == nil && e.references:
		e.out = append(e.out, 0)
		return false, nil
	case own == nil:
		e.out = append(e.out, c.null())
		return false, nil
	case own != c && own.name != c.name && (c.component == "" || own.component == ""):
		return false, encodeFault(v, "found a %s where the type says %s", className(own), c.name)
	case !nullable:
	case e.references && c.untracked, !e.references && !c.acceptsNull:
		e.out = append(e.out, 1)
	}
	return true, nil
}

func (e *encoder) string(s string) error {
	if len(s) > 1 && len(s) <= maxASCII {
		at := len(e.out)
		e.out = append(e.out, s...)
		if written := e.out[at:]; isASCII(written) {
			written[len(written)-1] |= 0x80
			return nil
		}
		e.out = e.out[:at]
	}
	out, ok := appendUnits(e.out, s)
	e.out = out
	if ok {
		return nil
	}
	return &codecs.EncodeError{Codec: name, Type: reflect.TypeFor[string](), Reason: "the string is not UTF-8: use []byte for bytes"}
}

func (e *encoder) class(c *class) error {
	switch {
	case c == nil:
		e.out = append(e.out, idNull)
		return nil
	case c.id != 0:
		e.out = appendUV32(e.out, c.id)
		return nil
	case e.known.allowed != nil:
		return &codecs.EncodeError{Codec: name, Reason: c.name + " is not among the allowed classes, and Java writes and reads no others"}
	}
	e.out = append(e.out, idByName)
	if bit := nameBit(c.name); e.bits&bit == 0 && len(e.classes) <= fewNames { // the usual name that is new
		e.bits |= bit
		e.out = append(appendUV32(e.out, uint32(len(e.classes))), c.wire...)
		e.classes = append(e.classes, c)
		return nil
	}
	id, seen := e.nameID(c)
	e.out = appendUV32(e.out, id)
	if !seen {
		e.out = append(e.out, c.wire...)
	}
	return nil
}

// nameBit returns a bit that tells most names apart.
func nameBit(name string) uint64 { return 1 << ((len(name) + int(name[len(name)-1])*5) & 63) }

// fewNames is how many names are searched one by one.
const fewNames = 16

// nameID returns the id of a class name and whether it was written before.
func (e *encoder) nameID(c *class) (uint32, bool) {
	n := len(e.classes)
	if n <= fewNames {
		for i, seen := range e.classes {
			if seen == c || seen.name == c.name {
				return uint32(i), true
			}
		}
		e.classes = append(e.classes, c)
		return uint32(n), false
	}
	if len(e.names) != n {
		e.names = make(map[string]uint32, 2*n)
		for i, seen := range e.classes {
			e.names[seen.name] = uint32(i)
		}
	}
	id, seen := e.names[c.name]
	if !seen {
		id = uint32(n)
		e.names[c.name] = id
		e.classes = append(e.classes, c)
	}
	return id, seen
}

// resolve returns the class of v, nil for null, and v as a value this codec
// writes directly: plain Go values other than the usual ones are lowered first.
func (e *encoder) resolve(v any) (*class, any, error) {
	switch t := v.(type) {
	case nil:
		return nil, nil, nil
	case string:
		return e.known.byID[idString], v, nil
	case int32:
		return e.known.byID[idInteger], v, nil
	case int64:
		return e.known.byID[idLong], v, nil
	case bool:
		return e.known.byID[idBoolean], v, nil
	case float64:
		return e.known.byID[idDouble], v, nil
	case map[string]any:
		if t == nil {
			return nil, nil, nil
		}
		return e.tree.hashMap, v, nil
	case []any:
		if t == nil {
			return nil, nil, nil
		}
		return e.tree.arrayList, v, nil
	case int:
		if t != int(int32(t)) {
			return nil, nil, &codecs.EncodeError{
				Codec: name, Type: reflect.TypeFor[int](),
				Reason: fmt.Sprintf("%d does not fit into java.lang.Integer: use int64 for java.lang.Long", t),
			}
		}
		return e.known.byID[idInteger], int32(t), nil
	case java.Enum:
		c, err := e.enumClassOf(t)
		return c, v, err
	}
	return e.resolveRest(v)
}

// resolveRest is resolve for other values of package java, and of other Go types.
func (e *encoder) resolveRest(v any) (*class, any, error) {
	class := java.ClassOf(v)
	if class == "" {
		return e.resolveGo(v)
	}
	c := e.world.class(class)
	if enumSet := e.known.byName["java.util.EnumSet"]; enumSet.id != 0 && c != nil && c.id == 0 && strings.HasSuffix(class, "EnumSet") {
		c = enumSet // all EnumSets have its number
	}
	if c == nil && thrownObject(v) {
		c = exception(class)
		c.id = e.known.idOf(class)
	}
	if c == nil {
		c = e.world.inheriting(class, baseOf(v))
	}
	if c == nil || c.write == nil || c.readOnly {
		return nil, nil, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: unwritable(class, c)}
	}
	return c, v, nil
}

// goValue is a value of a Go type that is none of package java, where an interface holds it.
type goValue struct {
	*slot
	at memory.Place
}

// resolveGo is resolve for the values of other Go types than those of package java.
func (e *encoder) resolveGo(v any) (*class, any, error) {
	s, err := e.tree.underAny(reflect.TypeOf(v))
	switch {
	case err != nil:
		return nil, nil, err
	case s == nil && reflect.ValueOf(v).IsZero():
		return nil, nil, nil // a nil pointer or slice
	case s == nil:
		return nil, nil, encodeFault(v, "it has no Java class")
	case e.references || !holdsOthers(s.desc):
		if v, err = e.tree.plan.java.LowerFrom(s.desc, reflect.ValueOf(v)); err != nil {
			return nil, nil, bridge.Named(name, err)
		}
		return e.resolve(v)
	}
	g := goValue{s, memory.Boxed(s.desc.Go, v, new(memory.Place))}
	c, own, err := s.of(e, g.at)
	if own == nil && c != nil {
		own = g
	}
	return c, own, err
}

// holdsOthers reports whether a Go type is a container, a struct or a pointer to one.
func holdsOthers(d *bridge.Node) bool {
	switch d.Kind {
	case bridge.NodePointer:
		return holdsOthers(d.Elem)
	case bridge.NodeSlice, bridge.NodeMap, bridge.NodeBean, bridge.NodeStruct:
		return true
	default:
		return false
	}
}

// unwritable returns why values of a class are not written. C may be nil.
func unwritable(name string, c *class) string {
	if c != nil && c.readOnly {
		return fmt.Sprintf("Java can write %s but not read it back: use java.util.ArrayList, LinkedHashSet or HashMap", name)
	}
	return fmt.Sprintf("%q: %s", name, unknownReason(name, c))
}

// body writes v, which resolve returned together with c.
func (e *encoder) body(c *class, v any, ctx *layout.Type) error {
	if g, ok := v.(goValue); ok {
		return g.write(e, c, g.at, nil)
	}
	if c.write == nil {
		return encodeFault(v, "%s", unwritable(c.name, c))
	}
	return c.write(e, c, v, ctx)
}

// writeBasic writes strings, the wrappers and primitives.
func writeBasic(e *encoder, c *class, v any, _ *layout.Type) error {
	switch v := v.(type) {
	case string:
		return e.string(v)
	case int32:
		e.out = appendZZ32(e.out, v)
	case int64:
		e.out = appendZZ64(e.out, v)
	case bool:
		e.out = append(e.out, flagByte(v))
	case int8:
		e.out = append(e.out, byte(v))
	case int16:
		e.out = append(e.out, byte(v), byte(v>>8))
	case java.Char:
		e.out = append(e.out, byte(v), byte(v>>8))
	case float32:
		e.out = floats.write(e.out, v)
	case float64:
		e.out = doubles.write(e.out, v)
	default:
		return wrongKind(c, v)
	}
	return nil
}

func tooLong(c *class) error {
	return &codecs.EncodeError{Codec: name, Reason: "longer than a " + c.name + " can be"}
}

func wrongKind(c *class, v any) error {
	return encodeFault(v, "a value of this kind cannot have the class %s", c.name)
}

// encodeFault returns the error for a value that cannot be written.
func encodeFault(v any, format string, args ...any) error {
	return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: fmt.Sprintf(format, args...)}
}

func flagByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// enter begins a container.
func (e *encoder) enter() error {
	switch {
	case e.depth >= e.maxDepth:
		return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf("nested more than %d levels deep, or in itself", e.maxDepth)}
	case len(e.out) > e.maxBytes:
		return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf(
			"more than %d bytes: raise Limits.Bytes if that is right; without references what is shared is written again and again", e.maxBytes)}
	}
	e.depth++
	return nil
}

func (e *encoder) leave() { e.depth-- }

func indexPath(i int) string { return "[" + strconv.Itoa(i) + "]" }
