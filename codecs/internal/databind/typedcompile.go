package databind

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// typedCompiler makes the nodes of one plan. It never fails: what it has no node
// for leaves the plan that have no typed way, in one direction or both.
type typedCompiler struct {
	codec *Codec
	opts  codecs.BindOptions
	set   *java.Classes
	beans map[string]*bean
	fixed token.Fixed // renders names, nil where the format has no fixed bytes
	nodes map[typedKey]typedNode
	stuck bool // the plan cannot be used
	// native says that dates and enums are values of the format itself.
	native bool
	anys   map[slot]*anyNode
}

// typedKey is what a node depends on.
type typedKey struct {
	of       *java.Node
	declared *declared
	slot     slot
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	anyType     = reflect.TypeFor[any]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	bigType     = reflect.TypeFor[*big.Int]()
	uuidType    = reflect.TypeFor[java.UUID]()
)

// compile returns the plan for t, nil where it has none.
func (b *binding) compile(t reflect.Type, opts codecs.BindOptions) *typedPlan {
	c := b.codec
	set, err := java.ClassesOf(t, opts)
	if err == nil {
		set, err = set.Join(c.classes)
	}
	if err != nil || !b.bare {
		return nil
	}
	tc := &typedCompiler{codec: c, opts: opts, set: set, beans: b.beans, nodes: map[typedKey]typedNode{}, anys: map[slot]*anyNode{}}
	g := c.format.Generator(&c.rules)
	tc.fixed, _ = g.(token.Fixed)
	if _, native := g.(token.Native); native {
		tc.native = c.rules.Jackson == 3
	}
	p := &typedPlan{codec: c, beans: b.beans, typ: t, pointer: reflect.PointerTo(t), root: tc.root(b.plan.Described(), b.top)}
	if tc.stuck {
		return nil
	}
	return p
}

// root returns the slot of the whole value, which top declares in codecs that name no
// classes.
func (tc *typedCompiler) root(n *java.Node, top *declared) typedSlot {
	if top != nil {
		return tc.slot(n, top, top.slot)
	}
	at := n
	if n.Kind == java.NodePointer {
		at = n.Elem
		tc.stuck = tc.opts.Classes[n.Go] != "" // the class is that of the pointer
	}
	switch at.Kind {
	case java.NodeBean, java.NodeStruct, java.NodeSlice, java.NodeMap:
	case java.NodeScalar:
		tc.stuck = tc.stuck || at.Go.Kind() != reflect.String // scalars have rules of their own at the root
	default:
		tc.stuck = true
	}
	return tc.slot(n, nil, slotRoot)
}

// name renders a class or key once.
func (tc *typedCompiler) name(text string, render func(string) (string, error)) typedName {
	n := typedName{text: text}
	if tc.fixed == nil || text == "" {
		return n
	}
	var err error
	if n.fixed, err = render(text); err != nil {
		tc.stuck = true
	}
	return n
}

func (tc *typedCompiler) keyName(text string) typedName {
	if tc.fixed == nil {
		return typedName{text: text}
	}
	return tc.name(text, tc.fixed.RenderKey)
}

func (tc *typedCompiler) wrapName(class string) typedName {
	if tc.fixed == nil {
		return typedName{text: class}
	}
	return tc.name(class, tc.fixed.RenderWrap)
}

func (tc *typedCompiler) objectName(class string) typedName {
	if tc.fixed == nil {
		return typedName{text: class}
	}
	return tc.name(class, tc.fixed.RenderObject)
}

// typedForm is a type in one place: how it is declared.
type typedForm struct {
	*java.Node
	declared *declared // of the field, or of the element of one; nil where nothing is
	slot     slot
}

// slot returns the slot of a described type in a place.
func (tc *typedCompiler) slot(n *java.Node, d *declared, s slot) typedSlot {
	if d != nil {
		s = d.slot
	}
	f := typedForm{n, d, s}
	node, class, others := tc.node(f)
	out := typedSlot{node: node, others: others}
	if n, ok := out.node.(*readNode); ok {
		out.node, out.by = n.typedNode, n.by
	}
	out.object = seesType(out.node)
	if class != "" && tc.wraps(f.slot) {
		out.wrap = tc.wrapName(class)
	}
	return out
}

// seesType reports whether a node sees to the type id of objects itself.
func seesType(n typedNode) bool {
	switch n := n.(type) {
	case *beanNode, *mapNode, *anyNode, *valueNode:
		return true
	case *pointerNode:
		return n.struc
	case *readNode:
		return seesType(n.typedNode)
	}
	return false
}

// wraps reports whether values of a class that is not natural stand beside the name
// of their class.
func (tc *typedCompiler) wraps(s slot) bool { return tc.codec.rules.Types && s != slotTree }

// reading returns a node that writes by values.
func (tc *typedCompiler) reading(n typedNode, f typedForm) typedNode {
	return &readNode{n, newValueNode(f.Go, tc.values(f), f)}
}

// stop leaves a type to the way by values: its part of each payload and value goes
// that way.
func (tc *typedCompiler) stop(f typedForm) (typedNode, string, map[string]bool) {
	tc.stuck = tc.stuck || f.slot == slotRoot
	return newValueNode(f.Go, tc.values(f), f), "", nil
}

// values returns the plan of a place for the way by values.
func (tc *typedCompiler) values(f typedForm) *java.Plan {
	plan, err := java.CompileAs(f.Node, tc.opts)
	tc.stuck = tc.stuck || err != nil
	return plan
}

// node returns the node of a described type, the class it is written as where that may
// stand beside the value, and further classes that may stand there.
func (tc *typedCompiler) node(f typedForm) (typedNode, string, map[string]bool) {
	if f.declared != nil && f.declared.object && composite(f.Node) {
		return tc.stop(f) // what it holds keeps its class
	}
	switch f.Kind {
	case java.NodeTime:
		return tc.time(f)
	case java.NodeValue:
		return tc.value(f)
	case java.NodeAny:
		if len(tc.opts.Classes) == 0 && f.Class != "" { // else it holds registered classes
			return tc.open(f), "", nil
		}
	case java.NodePointer:
		return tc.pointer(f)
	case java.NodeBean, java.NodeStruct:
		switch {
		case !tc.codec.rules.Types:
			return tc.typeless(f)
		case f.Kind == java.NodeBean:
			return tc.bean(f)
		}
		return tc.structure(f)
	case java.NodeBytes:
		if f.Class == "[B" && f.Go.Elem() == reflect.TypeFor[byte]() {
			return bytesNode{}, f.Class, nil
		}
	case java.NodeSlice:
		return tc.list(f)
	case java.NodeMap:
		return tc.mapping(f)
	case java.NodeEnum:
		return tc.enum(f)
	case java.NodeScalar:
		return tc.scalar(f)
	default:
	}
	return tc.stop(f)
}

// composite reports whether a type, or what it points to, has parts that are read one
// by one.
func composite(n *java.Node) bool {
	switch n.Kind {
	case java.NodePointer, java.NodeHolder:
		return composite(n.Elem)
	case java.NodeSlice, java.NodeBean, java.NodeStruct, java.NodeMap:
		return true
	default:
		return false
	}
}

// value returns the node of a type of package java.
func (tc *typedCompiler) value(f typedForm) (typedNode, string, map[string]bool) {
	switch {
	case f.Class == "":
	case f.Go == decimalType:
		return decimalNode{}, f.Class, nil
	case f.Go == bigType:
		return bigNode{}, f.Class, nil
	case f.Go == uuidType && !tc.codec.rules.leaksUUID():
		return &uuidNode{binary: tc.codec.binaryUUID()}, f.Class, nil
	case f.Go == reflect.TypeFor[java.Char]():
		return charNode{}, f.Class, nil
	}
	tc.stuck = tc.stuck || f.Go.Kind() == reflect.Pointer // containers that keep the classes of all they hold
	return tc.stop(f)
}

func (tc *typedCompiler) pointer(f typedForm) (typedNode, string, map[string]bool) {
	elem := f.Elem.Go
	switch elem.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return tc.stop(f)
	}
	if tc.opts.Classes[f.Go] != "" {
		return tc.stop(f)
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil // only structs recur, which name their class themselves
	}
	struc := f.Elem.Kind == java.NodeBean || f.Elem.Kind == java.NodeStruct
	n := &pointerNode{elem: elem, kind: elem.Kind(), struc: struc}
	if struc {
		tc.nodes[key] = n
	}
	var class string
	var others map[string]bool
	n.node, class, others = tc.node(typedForm{f.Elem, f.declared, f.slot})
	if class != "" {
		delete(tc.nodes, key)
	}
	return n, class, others
}

// dateClasses are the classes of dates that are the same in milliseconds.
var dateClasses = map[string]bool{java.ClassDate: true, "java.sql.Date": true}

func (tc *typedCompiler) time(f typedForm) (typedNode, string, map[string]bool) {
	if !dateClasses[f.Class] || tc.native {
		return tc.stop(f)
	}
	zone, text := tc.codec.rules.dateZone()
	switch {
	case !text:
		return &dateNode{}, f.Class, dateClasses
	case f.Class == java.ClassDate:
		return &dateNode{text: true, zone: zone}, f.Class, nil
	}
	return tc.stop(f)
}

// scalar returns the node of a basic kind.
func (tc *typedCompiler) scalar(f typedForm) (typedNode, string, map[string]bool) {
	kind := f.Go.Kind()
	usual := f.Class == java.ScalarType(kind).Boxed().Class
	switch kind {
	case reflect.Bool:
		if usual {
			return boolNode{}, "", nil
		}
	case reflect.String:
		if usual {
			return textNode{}, "", nil
		}
	case reflect.Float64:
		if usual {
			return &floatNode{double: true}, "", nil
		}
	case reflect.Float32:
		if usual {
			return &floatNode{}, f.Class, nil
		}
	default:
		bounds, whole := wholeBounds[f.Class]
		if !whole {
			return tc.stop(f)
		}
		n := &intNode{kind: kind, lo: bounds[0], hi: bounds[1]}
		if f.Class == "java.lang.Integer" {
			return n, "", nil
		}
		return n, f.Class, nil
	}
	return tc.stop(f)
}
