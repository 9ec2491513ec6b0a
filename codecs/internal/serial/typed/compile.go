package typed

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

var (
	decimalType = reflect.TypeFor[java.BigDecimal]()
	charType    = reflect.TypeFor[java.Char]()
	uuidType    = reflect.TypeFor[java.UUID]()
	stringType  = reflect.TypeFor[string]()
	stringsType = reflect.TypeFor[[]string]()
	mapType     = reflect.TypeFor[map[string]any]()
	listType    = reflect.TypeFor[[]any]()
)

// compiler makes the nodes of one plan.
type compiler[R Reader, W Writer] struct {
	format    *Format[R, W]
	opts      codecs.BindOptions
	classes   *java.Classes
	described *serial.Classes
	nodes     map[nodeKey]*Node[R, W]
}

type nodeKey struct {
	typ      reflect.Type
	declared string
}

// Compile makes the plan of a described type; nil for the empty interface. Classes are
// those of the Go type, described is what the codec writes of them. The beans of the
// plan come beside it.
func Compile[R Reader, W Writer](
	f *Format[R, W], d *java.Node, opts codecs.BindOptions, classes *java.Classes, described *serial.Classes,
) (*Node[R, W], []*Bean[R, W]) {
	if d.Kind == java.NodeAny {
		return nil, nil
	}
	c := &compiler[R, W]{format: f, opts: opts, classes: classes, described: described, nodes: map[nodeKey]*Node[R, W]{}}
	root := c.node(d)
	var beans []*Bean[R, W]
	for _, n := range c.nodes {
		if n.Bean == nil {
			continue
		}
		beans = append(beans, n.Bean)
		if n.Write != nil && (described.Refused(n.Bean.Class) != nil || !n.Bean.writable()) {
			n.Write = nil
		}
	}
	return root, beans
}

func (c *compiler[R, W]) node(d *java.Node) *Node[R, W] {
	key := nodeKey{d.Go, d.Declared.String()}
	if n, ok := c.nodes[key]; ok {
		return n
	}
	n := &Node[R, W]{
		Type: d.Go, format: c.format, kind: d.Go.Kind(), size: d.Go.Size(), id: len(c.nodes),
		pointer: reflect.Zero(reflect.PointerTo(d.Go)).Interface(),
	}
	c.nodes[key] = n
	c.choose(n, d)
	if n.Read == nil {
		c.generic(n)
	}
	return n
}

func (c *compiler[R, W]) choose(n *Node[R, W], d *java.Node) {
	switch d.Kind {
	case java.NodeTime:
		n.Read = readTime[R, W]
		switch d.Class {
		case java.ClassDate:
			n.Class, n.Write = c.class(java.ClassDate), writeTime[R, W]
		case "java.time.Instant":
			n.Write = writeInstant[R, W]
		}
	case java.NodeValue:
		c.value(n, d)
	case java.NodeEnum:
		if enum := c.classes.Find(d.Class); enum != nil && enum.Kind == java.KindEnum && n.kind == reflect.String {
			n.Enum, n.Read, n.Write = enum, c.format.ReadEnum, c.format.WriteEnum
		}
	case java.NodeScalar, java.NodeDuration:
		c.scalar(n, d)
	case java.NodePointer:
		if e := d.Elem; e.Kind == java.NodeStruct || e.Kind == java.NodeValue && e.Go.Kind() == reflect.Struct && !isTimeValue(e.Go) && e.Go != decimalType {
			return
		}
		n.nils = true
		n.Elem = c.node(d.Elem)
		n.Read = readPointer[R, W]
		// All values without size have one address.
		n.shared = n.Elem.size > 0 && (d.Elem.Kind == java.NodeBean || c.format.SharesValues && !n.Elem.scalar())
		if java.ClassName(d.Go, c.opts.Classes) == java.ClassName(d.Elem.Go, c.opts.Classes) {
			n.Write = writePointer[R, W]
		}
	case java.NodeBytes:
		n.nils = true
		if n.Read = c.format.ReadBytes; d.Class == "[B" && d.Go == reflect.TypeFor[[]byte]() {
			n.Write = writeOwn[R, W]
		}
	case java.NodeSlice:
		c.slice(n, d)
	case java.NodeMap:
		if java.ClassName(d.Go, c.opts.Classes) != "" {
			return
		}
		n.nils = true
		n.Key, n.Elem = c.node(d.Key), c.node(d.Elem)
		if n.Read = readMap[R, W]; d.Class == java.ClassHashMap && d.Go.Key() == stringType {
			n.Class, n.Write = c.class(java.ClassHashMap), writeMap[R, W]
		}
	case java.NodeBean:
		c.structure(n, d)
	case java.NodeAny:
		if d.Class != "" {
			n.nils = true
			n.Read, n.Write = readAny[R, W], writeAny[R, W]
			n.Key, n.Elem = c.plain(mapType), c.plain(listType)
		}
	default: // by values
	}
}

func (c *compiler[R, W]) class(name string) any { return c.format.Class(serial.Known(name)) }

// plain returns the node of a type that nothing declares.
func (c *compiler[R, W]) plain(t reflect.Type) *Node[R, W] {
	plan, err := java.Compile(t, c.opts)
	if err != nil {
		return nil // no type of plain values is wrong
	}
	return c.node(plan.Described())
}

// value plans a type of package java.
func (c *compiler[R, W]) value(n *Node[R, W], d *java.Node) {
	switch {
	case d.Go == decimalType:
		if n.Read = readDecimal[R, W]; d.Class != "" {
			n.Class, n.digits = c.class(classBigDecimal), c.class(classBigInteger)
			n.Write = writeDecimal[R, W]
		}
	case d.Go == uuidType:
		n.Read = readUUID[R, W]
		n.Class, n.Write = c.class(classUUID), writeUUID[R, W]
	case d.Go == charType:
		if n.Read = c.format.ReadBox; d.Class != "" {
			n.Write = c.format.WriteBox
		}
	case isTimeValue(d.Go):
		n.Write = writeOwn[R, W]
	case d.Go.Kind() == reflect.Pointer && d.Class != "" && !c.format.ApartClasses: // a *big.Int
		n.Write = writeOwn[R, W]
	}
}

func (c *compiler[R, W]) scalar(n *Node[R, W], d *java.Node) {
	if n.Read = c.format.ReadBox; n.kind == reflect.String {
		n.Read = c.format.ReadText
	}
	if d.Class != java.ScalarType(n.kind).Boxed().Class {
		return
	}
	if n.Write = c.format.WriteBox; n.kind == reflect.String {
		n.Write = c.format.WriteText
	}
}

// Classes of the JDK that plans know.
const (
	classBigDecimal = "java.math.BigDecimal"
	classBigInteger = "java.math.BigInteger"
	classUUID       = "java.util.UUID"
	classLinkedMap  = "java.util.LinkedHashMap"
)

func isTimeValue(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[java.LocalDate](), reflect.TypeFor[java.LocalTime](), reflect.TypeFor[java.LocalDateTime](),
		reflect.TypeFor[java.Instant](), reflect.TypeFor[java.Duration]():
		return true
	}
	return false
}

func (c *compiler[R, W]) slice(n *Node[R, W], d *java.Node) {
	n.nils = true
	if java.ClassName(d.Go, c.opts.Classes) != "" {
		return
	}
	n.Elem = c.node(d.Elem)
	n.Read = c.format.ReadList
	if array := java.ClassOf(reflect.Zero(d.Go).Interface()); array != "" && array[0] == '[' {
		c.byValues(n)
		if d.Class == array {
			n.Write = writeOwn[R, W]
		}
	}
	if d.Class == java.ClassArrayList {
		n.Write = writeSlice[R, W]
	}
}

// generic reads any type by values, within the plan.
func (c *compiler[R, W]) generic(n *Node[R, W]) {
	n.Read = ReadByValues[R, W]
	if !c.byValues(n) {
		n.Read = func(R, *Node[R, W], place, byte) bool { return false }
	}
	switch n.kind {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		n.nils = true
	}
}

// byValues prepares n for ReadByValues.
func (c *compiler[R, W]) byValues(n *Node[R, W]) bool {
	n.box = reflect.StructOf([]reflect.StructField{{Name: "V", Type: n.Type, Tag: `java:"v"`}})
	plan, err := java.Compile(n.box, c.opts)
	n.values = plan
	return err == nil
}
