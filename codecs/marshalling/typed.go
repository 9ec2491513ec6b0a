package marshalling

import (
	"reflect"
	"slices"
	"sync/atomic"
	"time"

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
	timeType    = reflect.TypeFor[time.Time]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	charType    = reflect.TypeFor[java.Char]()
	anyType     = reflect.TypeFor[any]()
	mapType     = reflect.TypeFor[map[string]any]()
	listType    = reflect.TypeFor[[]any]()
	uuidType    = reflect.TypeFor[java.UUID]()
)

// compile returns the node of t declared as declared.
func (c *typedCompiler) compile(t reflect.Type, declared java.TypeExpr) *node {
	key := nodeKey{t, declared.String()}
	if s := t; s.Kind() == reflect.Struct || s.Kind() == reflect.Pointer && s.Elem().Kind() == reflect.Struct {
		if java.ClassName(t, c.opts.Classes) != "" {
			key.declared = "" // a bean is of its own class whatever is declared
		}
	}
	if n, ok := c.nodes[key]; ok {
		return n
	}
	n := &node{typ: t, size: t.Size(), pointer: reflect.Zero(reflect.PointerTo(t)).Interface()}
	c.nodes[key] = n
	class := declared.Boxed().Class
	if declared.Dims > 0 {
		class = declared.String()
	}
	switch class {
	case "java.lang.Object", "java.io.Serializable", "java.lang.Comparable", "java.lang.Number":
		class = ""
	}
	c.choose(n, t, declared, class)
	if n.read == nil {
		c.generic(n)
	}
	return n
}

func (c *typedCompiler) choose(n *node, t reflect.Type, declared java.TypeExpr, class string) {
	switch {
	case t == timeType:
		n.read = readTime
		if class == "" || class == java.ClassDate {
			n.wire, n.write = c.wires.known(java.ClassDate), writeTime
		}
		return
	case t == decimalType:
		n.read = readDecimal
		if n.wire = c.wires.known(classBigDecimal); class == "" || class == classBigDecimal {
			n.key = &node{wire: c.wires.known(classBigInteger)} // of the digits
			n.write = writeDecimal
		}
		return
	case t == uuidType:
		n.read = readUUID
		if n.wire = c.wires.known(classUUID); class == "" || class == classUUID {
			n.write = writeUUID
		}
		return
	case t == charType:
		if n.read = readBoxed; class == "" || class == "java.lang.Character" {
			n.write = writeBoxed
		}
		return
	case isTimeValue(t):
		n.write = writeTimeValue
		return
	}
	if enum := c.classes.Find(java.ClassName(t, c.opts.Classes)); enum != nil && enum.Kind == java.KindEnum && t.Kind() != reflect.Pointer {
		if t.Kind() == reflect.String {
			n.enum, n.read, n.write = enum, readEnum, writeEnum
		}
		return
	}
	switch t.Kind() {
	case reflect.String:
		if n.read = readString; class == "" || class == "java.lang.String" {
			n.write = writeString
		}
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Float32, reflect.Float64:
		if n.read = readBoxed; class == "" || class == java.ScalarType(t.Kind()).Boxed().Class {
			n.write = writeBoxed
		}
	case reflect.Pointer:
		c.pointer(n, t, declared)
	case reflect.Slice:
		c.slice(n, t, declared, class)
	case reflect.Struct:
		c.structure(n, t)
	case reflect.Map:
		c.mapping(n, t, declared, class)
	case reflect.Interface:
		if t == anyType && class == "" {
			n.nils = true
			n.read, n.write = readInterface, writeInterface
			n.key, n.elem = c.compile(mapType, java.TypeExpr{}), c.compile(listType, java.TypeExpr{})
		}
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

func (c *typedCompiler) pointer(n *node, t reflect.Type, declared java.TypeExpr) {
	if java.ClassName(t.Elem(), c.opts.Classes) == "" && (t.Elem().Kind() == reflect.Struct && t.Elem() != timeType && !isTimeValue(t.Elem()) &&
		t.Elem() != decimalType) {
		return
	}
	n.nils = true
	n.elem = c.compile(t.Elem(), declared)
	n.read = readPointer
	n.write = writePointer
}

func (c *typedCompiler) slice(n *node, t reflect.Type, declared java.TypeExpr, class string) {
	n.nils = true
	if t.Elem().Kind() == reflect.Uint8 {
		if n.read = readBytes; class == "" || class == "byte[]" {
			n.write = writeBytes
		}
		return
	}
	if java.ClassName(t, c.opts.Classes) != "" {
		return
	}
	n.elem = c.compile(t.Elem(), argumentOf(declared, 0))
	n.read = readSlice
	if primitiveSlices[t] != "" {
		c.overValues(n)
		if class == primitiveSlices[t] {
			n.write = writePrimitives
		}
	}
	switch class {
	case "", java.ClassArrayList, "java.util.List", "java.util.Collection", "java.lang.Iterable":
		n.write = writeSlice
	}
}

// argumentOf returns type argument i of a declared type, as far as it says what
// values are.
func argumentOf(t java.TypeExpr, i int) java.TypeExpr {
	if t.Dims > 0 || i >= len(t.Args) || t.Args[i].Variance != java.Exact && t.Args[i].Variance != java.Extends {
		return java.TypeExpr{}
	}
	a := t.Args[i]
	a.Variance = java.Exact
	return a
}

func (c *typedCompiler) mapping(n *node, t reflect.Type, declared java.TypeExpr, class string) {
	if t.Key() != reflect.TypeFor[string]() || java.ClassName(t, c.opts.Classes) != "" {
		return
	}
	n.nils = true
	n.key = c.compile(t.Key(), argumentOf(declared, 0))
	n.elem = c.compile(t.Elem(), argumentOf(declared, 1))
	n.read = readMap
	if class == "" || class == java.ClassHashMap || class == "java.util.Map" {
		n.wire, n.write = c.wires.known(java.ClassHashMap), writeMap
	}
}

// structure plans a struct with a Java class.
func (c *typedCompiler) structure(n *node, t reflect.Type) {
	class := java.ClassName(t, c.opts.Classes)
	desc := c.described.Find(class)
	if class == "" || desc == nil || desc.Shaped() || desc.Enum() {
		return
	}
	fields, err := java.BoundFieldsOf(t, c.opts)
	if err != nil {
		return
	}
	b := &bean{typ: t, class: class, fields: make([]beanField, len(fields))}
	n.bean = b
	for i, f := range fields {
		b.fields[i] = beanField{name: f.Name, level: f.Level, offset: offsetOf(t, f.Index), kind: f.GoType.Kind()}
	}
	for i, f := range fields { // after n.bean is there, for types that hold themselves
		b.fields[i].node = c.compile(f.GoType, f.Declared)
	}
	n.read = readBean
	if c.beanLevels(b, desc) {
		n.write = writeBean
	}
}

func offsetOf(t reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		f := t.Field(i)
		offset += f.Offset
		t = f.Type
	}
	return offset
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

// primitiveSlices are the Go types that are Java's arrays of primitives as they
// are.
var primitiveSlices = map[reflect.Type]string{
	reflect.TypeFor[[]bool](): "boolean[]", reflect.TypeFor[[]int16](): "short[]", reflect.TypeFor[[]int32](): "int[]",
	reflect.TypeFor[[]int64](): "long[]", reflect.TypeFor[[]java.Char](): "char[]",
	reflect.TypeFor[[]float32](): "float[]", reflect.TypeFor[[]float64](): "double[]",
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
