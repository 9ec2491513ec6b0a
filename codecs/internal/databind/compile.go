package databind

import (
	"cmp"
	"errors"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// compiler makes the nodes of one binding, or of a type that an interface of it holds.
type compiler struct {
	*binding
	// names renders names, nil where the format has no fixed bytes for them.
	names token.Generator
	// native says that dates and enums are values of the format itself.
	native bool
	nodes  map[nodeKey]*made
	anys   map[anyKey]*anyNode
	err    error // what a name cannot be written as
}

// nodeKey is what a node depends on.
type nodeKey struct {
	of    *bridge.Node
	at    *place
	exact bool
}

// made is a node as types that contain themselves find it.
type made struct {
	node  node
	class string
}

type anyKey struct {
	as    *place
	exact bool
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	anyType     = reflect.TypeFor[any]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	bigType     = reflect.TypeFor[*big.Int]()
	uuidType    = reflect.TypeFor[java.UUID]()
)

func newCompiler(b *binding) *compiler {
	tc := &compiler{binding: b, nodes: map[nodeKey]*made{}, anys: map[anyKey]*anyNode{}}
	g := b.codec.format.Generator(&b.codec.rules)
	if _, fixed := g.(token.Fixed); fixed {
		tc.names = g
	}
	if _, native := g.(token.Native); native {
		tc.native = b.codec.rules.Jackson == 3
	}
	return tc
}

func (b *binding) compile(n *bridge.Node) error {
	tc := newCompiler(b)
	f := form{Node: n, at: b.at, exact: n.Go == anyType}
	s := tc.slot(f)
	b.root = &s
	if n.Go == anyType && len(b.opts.Classes) == 0 {
		b.root.node.(*anyNode).raw = true
	}
	class := gotypes.ClassName(n.Go, b.opts.Classes)
	at := s.node
	if p, ok := at.(*pointerNode); ok {
		at = p.to.node
	}
	if bean, ok := at.(*beanNode); ok && class != "" {
		bean.root = n.Go
	}
	tc.register()
	if tc.err != nil {
		return &codecs.BindError{Codec: b.codec.Name(), Type: b.typ, Reason: "no plan", Err: tc.err}
	}
	return nil
}

// register makes the slots of the registered types: of two types of one class the first by
// name counts.
func (tc *compiler) register() {
	types := slices.SortedFunc(maps.Keys(tc.opts.Classes), func(a, b reflect.Type) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.PkgPath(), b.PkgPath()))
	})
	for _, t := range types {
		plan, err := bridge.CompileAs(&bridge.Node{Go: t}, tc.opts)
		class := gotypes.ClassName(t, tc.opts.Classes)
		if err != nil || tc.types[class].typ != nil {
			continue // CompileOpen says what is wrong
		}
		s := tc.slot(form{Node: plan.Described(), at: objectPlace})
		tc.types[class] = openType{t, &s}
	}
}

// name renders a class or key once, as write writes it.
func (tc *compiler) name(text string, write func(g token.Generator) error) fixedName {
	n := fixedName{text: text}
	if tc.names != nil {
		tc.names.Begin(nil)
		tc.err = errors.Join(tc.err, write(tc.names))
		n.fixed = string(tc.names.End())
	}
	return n
}

func (tc *compiler) keyName(text string) fixedName {
	return tc.name(text, func(g token.Generator) error { return g.Key(text) })
}

func (tc *compiler) wrapName(class string) fixedName {
	return tc.name(class, func(g token.Generator) error { return g.Wrap(class) })
}

func (tc *compiler) objectName(class string) fixedName {
	return tc.name(class, func(g token.Generator) error { return g.Object(class, 0) })
}

// form is a type in one place: how it is declared.
type form struct {
	*bridge.Node
	at       *place
	exact    bool // what it holds keeps its class
	property bool // of a bean that leaves out null
}

func (f form) key() nodeKey { return nodeKey{f.Node, f.at, f.exact} }

func (f form) part(n *bridge.Node, as *place) form {
	return form{Node: n, at: as, exact: f.exact}
}

// slot returns the slot of a described type in a place.
func (tc *compiler) slot(f form) framedNode {
	if f.at.object && composite(f.Node) {
		f.exact = true
	}
	out := framedNode{as: f.at}
	if class := tc.fill(f, &out); class != "" && tc.codec.rules.Types && f.at.slot != slotTree {
		out.wrap = tc.wrapName(class)
	}
	return out
}

// fill sets the node of a slot, and returns the class that stands beside its values.
func (tc *compiler) fill(f form, out *framedNode) (class string) {
	m := tc.node(f, out)
	out.node = m.node
	if n, ok := m.node.(*leafNode); ok {
		out.leaf = n
	}
	out.object = seesType(out.node)
	return m.class
}

// seesType reports whether a node sees to the type id of objects itself.
func seesType(n node) bool {
	switch n := n.(type) {
	case *beanNode, *mapNode, *anyNode, *leafNode, *openNode, *holderNode:
		return true
	case *pointerNode:
		return n.to.object
	}
	return false
}

func (tc *compiler) leaf(f form) *leafNode {
	plan, err := bridge.CompileAs(f.Node, tc.opts)
	if err != nil {
		tc.err = errors.Join(tc.err, err)
		plan, _ = bridge.CompileAs(&bridge.Node{Go: anyType}, codecs.BindOptions{})
	}
	n := newLeaf(f, plan)
	n.property = f.property
	return n
}

// composite reports whether a type, or what it points to, has parts that are read one
// by one.
func composite(n *bridge.Node) bool {
	switch n.Kind {
	case bridge.NodePointer, bridge.NodeHolder:
		return composite(n.Elem)
	case bridge.NodeSlice, bridge.NodeBean, bridge.NodeStruct, bridge.NodeMap:
		return true
	default:
		return false
	}
}

// node returns the node of a described type. The leaf of one for usual values is put into
// out.
func (tc *compiler) node(f form, out *framedNode) made {
	switch f.Kind {
	case bridge.NodePointer:
		return tc.recursive(f, tc.pointer)
	case bridge.NodeAny:
		return tc.any(f)
	case bridge.NodeSlice:
		if len(f.Class) != 2 || !descriptor(f.Class) || tc.plainArray(f) {
			return tc.recursive(f, tc.list)
		}
	case bridge.NodeMap:
		return tc.recursive(f, tc.mapping)
	case bridge.NodeBean, bridge.NodeStruct:
		return tc.recursive(f, tc.structure)
	case bridge.NodeHolder:
		if composite(f.Elem) || f.Elem.Go.Kind() == reflect.Interface {
			return tc.holder(f)
		}
	default:
		if f.Go.Kind() == reflect.Interface {
			return made{node: tc.open(f)}
		}
	}
	out.leaf = tc.leaf(f)
	if n, ok := tc.usual(f); ok {
		return n
	}
	return made{node: out.leaf}
}

// recursive returns the node of a type that may contain itself: other places of the same
// kind share it.
func (tc *compiler) recursive(f form, fill func(f form, m *made)) made {
	key := f.key()
	if m, ok := tc.nodes[key]; ok {
		return *m
	}
	m := &made{}
	tc.nodes[key] = m
	fill(f, m)
	return *m
}

// usual returns the node for the usual values of a leaf, if the type has one in its place.
func (tc *compiler) usual(f form) (made, bool) {
	if f.at.rules != nil {
		return made{}, false
	}
	switch f.Kind {
	case bridge.NodeTime:
		return tc.time(f)
	case bridge.NodeValue:
		return tc.value(f)
	case bridge.NodeBytes:
		if f.Class == "[B" && f.at.slot != slotRoot && f.Go.Elem() == reflect.TypeFor[byte]() {
			return made{node: bytesNode{}, class: f.Class}, true
		}
	case bridge.NodeEnum:
		return tc.enum(f)
	case bridge.NodeScalar:
		return tc.scalar(f)
	default:
	}
	return made{}, false
}

func (tc *compiler) value(f form) (made, bool) {
	switch {
	case f.Class == "" || f.at.slot == slotRoot:
	case f.Go == decimalType:
		return made{node: decimalNode{}, class: f.Class}, true
	case f.Go == uuidType && !tc.codec.rules.leaksUUID():
		return made{node: &uuidNode{binary: tc.codec.binaryUUID()}, class: f.Class}, true
	}
	return made{}, false
}

func (tc *compiler) pointer(f form, m *made) {
	elem := f.Elem.Go
	n := &pointerNode{elem: elem}
	m.node = n
	to := f
	to.Node = f.Elem
	n.to = framedNode{as: f.at, object: f.Elem.Kind == bridge.NodeBean || f.Elem.Kind == bridge.NodeStruct}
	m.class = tc.fill(to, &n.to)
}

func (tc *compiler) holder(f form) made {
	as := f.at
	if as == rootPlace || as == bareRoot {
		as = objectPlace
	}
	return made{node: &holderNode{class: f.Class, property: f.property, elem: tc.slot(f.part(f.Elem, as))}}
}

func (tc *compiler) time(f form) (made, bool) {
	if f.Class != java.ClassDate || tc.native || f.at.slot == slotRoot {
		return made{}, false
	}
	_, text := tc.codec.rules.dateZone()
	return made{&dateNode{text: text}, f.Class}, true
}

func (tc *compiler) scalar(f form) (made, bool) {
	kind := f.Go.Kind()
	usual := f.Class == gotypes.ScalarType(kind).Boxed().Class
	if f.at.slot == slotRoot && kind != reflect.String { // scalars have rules of their own at the root
		return made{}, false
	}
	switch kind {
	case reflect.Bool:
		return made{node: boolNode{}}, usual
	case reflect.String:
		return made{node: textNode{}}, usual
	case reflect.Float64:
		return made{node: floatNode{}}, usual
	case reflect.Float32:
		return made{}, false
	default:
	}
	if f.Class == classJavaLong && tc.codec.rules.longText && !f.at.component {
		return made{}, false
	}
	bounds, whole := wholeBounds[f.Class]
	n := &intNode{kind: kind, lo: bounds[0], hi: bounds[1]}
	if f.Class == "java.lang.Integer" {
		return made{node: n}, whole
	}
	return made{node: n, class: f.Class}, whole
}

func (tc *compiler) enum(f form) (made, bool) {
	desc, d := tc.set.Find(f.Class), f.at
	switch {
	case d.class != "" && d.enum == nil: // declared as something else
		return made{}, false
	case desc == nil || desc.Kind != java.KindEnum || len(tc.set.Variants(f.Class)) > 1 || f.at.slot == slotRoot:
		return made{}, false
	case desc.Name == classMonth || tc.native || tc.codec.rules.hasTexts(desc.Name) || tc.codec.rules.ordinals:
		return made{}, false
	}
	n := &enumNode{kind: f.Go.Kind(), byName: make(map[string]int, len(desc.Constants))}
	for i, constant := range desc.Constants {
		n.names = append(n.names, constant.Name)
		n.byName[constant.Name] = i
	}
	return made{node: n, class: desc.Name}, true
}
