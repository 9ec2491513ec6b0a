package marshalling

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// A typed plan goes straight between bytes and Go variables. It knows the usual
// forms of the usual types; whatever else it meets, and every mistake, it leaves
// to the way over java values, which starts anew: both ways give the same
// results, and errors come from one place.

// node is the typed plan of one Go type in one declared type.
type node struct {
	typ  reflect.Type
	elem *node
	key  *node
	bean *bean
	enum *java.Class
	any  *java.Plan   // of a struct around typ, for values read as java values
	box  reflect.Type // that struct
	wire *levels      // of the JDK class that values are written as
	nils bool         // null leaves nil
	size uintptr

	pointer any // a nil *typ

	// read stores the object whose lead byte has been read. False leaves the
	// payload to the way over java values.
	read func(d *decoder, n *node, p memory.Place, lead byte) bool
	// write writes the object; nil where only the other way can.
	write func(e *encoder, n *node, p memory.Place) bool
}

// bean is the plan of a struct with a Java class.
type bean struct {
	typ     reflect.Type
	class   string
	fields  []beanField
	levels  *levels        // for writing
	steps   [][]*beanField // fields of each level in River's order, for writing
	layouts atomic.Pointer[[]*layout]
}

// beanField is one field of a Go struct.
type beanField struct {
	name, level string
	offset      uintptr
	kind        reflect.Kind
	primitive   byte // declared primitive type, for writing; 0 for objects
	node        *node
}

// typedCompiler makes the nodes of one binding.
type typedCompiler struct {
	opts      codecs.BindOptions
	classes   *java.Classes
	described *serial.Classes
	nodes     map[nodeKey]*node
	wires     *wireSet
}

type nodeKey struct {
	typ      reflect.Type
	declared string
}

var (
	decimalType = reflect.TypeFor[java.BigDecimal]()
	charType    = reflect.TypeFor[java.Char]()
	mapType     = reflect.TypeFor[map[string]any]()
	listType    = reflect.TypeFor[[]any]()
	uuidType    = reflect.TypeFor[java.UUID]()
)

// compile returns the node of a described type.
func (c *typedCompiler) compile(d *java.Node) *node {
	key := nodeKey{d.Go, d.Declared.String()}
	if n, ok := c.nodes[key]; ok {
		return n
	}
	n := &node{typ: d.Go, size: d.Go.Size(), pointer: reflect.Zero(reflect.PointerTo(d.Go)).Interface()}
	c.nodes[key] = n
	c.choose(n, d)
	if n.read == nil {
		c.generic(n)
	}
	return n
}

func (c *typedCompiler) choose(n *node, d *java.Node) {
	switch d.Kind {
	case java.NodeTime:
		n.read = readTime
		if d.Class == java.ClassDate {
			n.wire, n.write = c.wires.known(java.ClassDate), writeTime
		}
	case java.NodeValue:
		c.value(n, d)
	case java.NodeEnum:
		if enum := c.classes.Find(d.Class); enum != nil && enum.Kind == java.KindEnum && d.Go.Kind() == reflect.String {
			n.enum, n.read, n.write = enum, readEnum, writeEnum
		}
	case java.NodeScalar, java.NodeDuration:
		c.scalar(n, d)
	case java.NodePointer:
		if e := d.Elem; e.Kind == java.NodeStruct || e.Kind == java.NodeValue && e.Go.Kind() == reflect.Struct && !isTimeValue(e.Go) && e.Go != decimalType {
			return
		}
		n.nils = true
		n.elem = c.compile(d.Elem)
		n.read, n.write = readPointer, writePointer
	case java.NodeBytes:
		n.nils = true
		if n.read = readBytes; d.Class == "[B" {
			n.write = writeBytes
		}
	case java.NodeSlice:
		c.slice(n, d)
	case java.NodeMap:
		if d.Go.Key() != reflect.TypeFor[string]() || java.ClassName(d.Go, c.opts.Classes) != "" {
			return
		}
		n.nils = true
		n.key, n.elem = c.compile(d.Key), c.compile(d.Elem)
		if n.read = readMap; d.Class == java.ClassHashMap {
			n.wire, n.write = c.wires.known(java.ClassHashMap), writeMap
		}
	case java.NodeBean:
		c.structure(n, d)
	case java.NodeAny:
		if d.Class != "" {
			n.nils = true
			n.read, n.write = readInterface, writeInterface
			n.key, n.elem = c.plain(mapType), c.plain(listType)
		}
	default: // over java values
	}
}

// plain returns the node of a type that nothing declares.
func (c *typedCompiler) plain(t reflect.Type) *node {
	plan, err := java.Compile(t, c.opts)
	if err != nil {
		return nil // no type of plain values is wrong
	}
	return c.compile(plan.Described())
}

// value plans a type of package java.
func (c *typedCompiler) value(n *node, d *java.Node) {
	switch {
	case d.Go == decimalType:
		n.read, n.wire = readDecimal, c.wires.known(classBigDecimal)
		if d.Class != "" {
			n.key = &node{wire: c.wires.known(classBigInteger)} // of the digits
			n.write = writeDecimal
		}
	case d.Go == uuidType:
		n.read, n.wire = readUUID, c.wires.known(classUUID)
		n.write = writeUUID
	case d.Go == charType:
		if n.read = readBoxed; d.Class != "" {
			n.write = writeBoxed
		}
	case isTimeValue(d.Go):
		n.write = writeTimeValue
	}
}

func (c *typedCompiler) scalar(n *node, d *java.Node) {
	switch d.Go.Kind() {
	case reflect.String:
		n.read = readString
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Float32, reflect.Float64:
		n.read = readBoxed
	default:
		return
	}
	if d.Class != java.ScalarType(d.Go.Kind()).Boxed().Class {
		return
	}
	if n.write = writeBoxed; d.Go.Kind() == reflect.String {
		n.write = writeString
	}
}

// Classes of the JDK that typed plans know.
const (
	classBigDecimal = "java.math.BigDecimal"
	classBigInteger = "java.math.BigInteger"
	classUUID       = "java.util.UUID"
)

func isTimeValue(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[java.LocalDate](), reflect.TypeFor[java.LocalTime](), reflect.TypeFor[java.LocalDateTime](),
		reflect.TypeFor[java.Instant](), reflect.TypeFor[java.Duration]():
		return true
	}
	return false
}

func (c *typedCompiler) slice(n *node, d *java.Node) {
	n.nils = true
	if java.ClassName(d.Go, c.opts.Classes) != "" {
		return
	}
	n.elem = c.compile(d.Elem)
	n.read = readSlice
	if array := java.ClassOf(reflect.Zero(d.Go).Interface()); array != "" && array[0] == '[' {
		c.overValues(n)
		if d.Class == array {
			n.write = writePrimitives
		}
	}
	if d.Class == java.ClassArrayList {
		n.write = writeSlice
	}
}

// structure plans a struct with a Java class.
func (c *typedCompiler) structure(n *node, d *java.Node) {
	desc := c.described.Find(d.Class)
	if desc == nil || desc.Shaped() || desc.Enum() {
		return
	}
	b := &bean{typ: d.Go, class: d.Class, fields: make([]beanField, len(d.Fields))}
	n.bean = b
	for i, f := range d.Fields { // after n.bean is there, for types that hold themselves
		b.fields[i] = beanField{name: f.Name, level: f.Level, offset: f.Offset, kind: f.Go.Kind(), node: c.compile(f.Node)}
	}
	n.read = readBean
	if c.beanLevels(b, desc) {
		n.write = writeBean
	}
}

// beanLevels finds the Go field of every Java field.
func (c *typedCompiler) beanLevels(b *bean, desc *serial.Desc) bool {
	b.levels = c.wires.add(desc)
	for _, l := range desc.Lineage(nil) {
		var steps []*beanField
		for _, f := range riverFields(l.Serial) {
			i := slices.IndexFunc(b.fields, func(own beanField) bool { return own.name == f.Name && own.level == l.Class })
			if i < 0 {
				return false
			}
			own := &b.fields[i]
			if kind := fieldKind(f.Signature); kind != idObjectClass {
				exact := primitiveKinds[kind] == own.kind || kind == idInt && own.kind == reflect.Int
				if !exact || own.kind == reflect.Uint16 && own.node.typ != charType {
					return false
				}
				own.primitive = kind
			}
			steps = append(steps, own)
		}
		b.steps = append(b.steps, steps)
	}
	return b.levels != nil
}

// primitiveKinds are the Go kinds that have exactly the values of a primitive.
// Others are written over java values, which check their range.
var primitiveKinds = map[byte]reflect.Kind{
	idBoolean: reflect.Bool, idByte: reflect.Int8, idShort: reflect.Int16, idInt: reflect.Int32, idLong: reflect.Int64,
	idChar: reflect.Uint16, idFloat: reflect.Float32, idDouble: reflect.Float64,
}

// generic reads any type over java values, within the typed plan.
func (c *typedCompiler) generic(n *node) {
	n.read = readAny
	if !c.overValues(n) {
		n.read = func(*decoder, *node, memory.Place, byte) bool { return false }
	}
	switch n.typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		n.nils = true
	}
}

// overValues prepares n for readAny.
func (c *typedCompiler) overValues(n *node) bool {
	n.box = reflect.StructOf([]reflect.StructField{{Name: "V", Type: n.typ, Tag: `java:"v"`}})
	plan, err := java.Compile(n.box, c.opts)
	n.any = plan
	return err == nil
}
