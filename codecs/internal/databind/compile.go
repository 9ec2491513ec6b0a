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
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
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
	of       *java.Node
	declared *declared
	slot     slot
	exact    bool
}

// made is a node as types that contain themselves find it.
type made struct {
	node   node
	class  string
	others map[string]bool
}

type anyKey struct {
	as    place
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

// compile makes the slot of the whole value.
func (b *binding) compile(n *java.Node) error {
	tc := newCompiler(b)
	f := form{Node: n, declared: b.at.declared, slot: b.at.slot, exact: n.Go == anyType}
	s := tc.slot(f)
	b.root = &s
	if n.Go == anyType && len(b.opts.Classes) == 0 {
		b.root.node.(*anyNode).raw = true
	}
	class := java.ClassName(n.Go, b.opts.Classes)
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
		plan, err := java.CompileAs(&java.Node{Go: t}, tc.opts)
		class := java.ClassName(t, tc.opts.Classes)
		if err != nil || tc.types[class].typ != nil {
			continue // CompileOpen says what is wrong
		}
		s := tc.slot(form{Node: plan.Described(), slot: slotObject})
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
	*java.Node
	declared *declared // of the field, or of the element of one; nil where nothing is
	slot     slot
	exact    bool // what it holds keeps its class
	property bool // of a bean that leaves out null
}

func (f form) place() place { return in(f.declared, f.slot) }

func (f form) key() nodeKey { return nodeKey{f.Node, f.declared, f.slot, f.exact} }

// part returns the form of a part of f, such as an element.
func (f form) part(n *java.Node, as place) form {
	return form{Node: n, declared: as.declared, slot: as.slot, exact: f.exact}
}

// slot returns the slot of a described type in a place.
func (tc *compiler) slot(f form) framedNode {
	if f.declared != nil {
		f.slot = f.declared.slot
	}
	if f.declared != nil && f.declared.object && composite(f.Node) {
		f.exact = true
	}
	out := framedNode{as: f.place()}
	m := tc.node(f, &out)
	out.node, out.others = m.node, m.others
	if n, ok := m.node.(*leafNode); ok {
		out.leaf = n
	}
	out.object = seesType(out.node)
	if m.class != "" && tc.codec.rules.Types && f.slot != slotTree {
		out.wrap = tc.wrapName(m.class)
	}
	return out
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

// leaf returns the leaf of a place.
func (tc *compiler) leaf(f form) *leafNode {
	plan, err := java.CompileAs(f.Node, tc.opts)
	if err != nil {
		tc.err = errors.Join(tc.err, err)
		plan, _ = java.CompileAs(&java.Node{Go: anyType}, codecs.BindOptions{})
	}
	n := newLeaf(f, plan)
	n.property = f.property
	return n
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

// node returns the node of a described type. The leaf of one for usual values is put into
// out.
func (tc *compiler) node(f form, out *framedNode) made {
	switch f.Kind {
	case java.NodePointer:
		return tc.pointer(f)
	case java.NodeAny:
		return tc.any(f)
	case java.NodeSlice:
		if len(f.Class) != 2 || !descriptor(f.Class) || tc.plainArray(f) {
			return tc.recursive(f, tc.list)
		}
	case java.NodeMap:
		return tc.recursive(f, tc.mapping)
	case java.NodeBean, java.NodeStruct:
		return tc.recursive(f, tc.structure)
	case java.NodeHolder:
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
	switch f.Kind {
	case java.NodeTime:
		return tc.time(f)
	case java.NodeValue:
		return tc.value(f)
	case java.NodeBytes:
		if f.Class == "[B" && f.slot != slotRoot && f.Go.Elem() == reflect.TypeFor[byte]() {
			return made{node: bytesNode{}, class: f.Class}, true
		}
	case java.NodeEnum:
		return tc.enum(f)
	case java.NodeScalar:
		return tc.scalar(f)
	default:
	}
	return made{}, false
}

// value returns the node of a type of package java.
func (tc *compiler) value(f form) (made, bool) {
	switch {
	case f.Class == "" || f.slot == slotRoot:
	case f.Go == decimalType:
		return made{node: decimalNode{}, class: f.Class}, true
	case f.Go == bigType:
		return made{node: bigNode{}, class: f.Class}, true
	case f.Go == uuidType && !tc.codec.rules.leaksUUID():
		return made{node: &uuidNode{binary: tc.codec.binaryUUID()}, class: f.Class}, true
	case f.Go == reflect.TypeFor[java.Char]():
		return made{node: charNode{}, class: f.Class}, true
	}
	return made{}, false
}

func (tc *compiler) pointer(f form) made {
	key := f.key()
	if m, ok := tc.nodes[key]; ok {
		return *m
	}
	elem := f.Elem.Go
	n := &pointerNode{elem: elem, kind: elem.Kind()}
	m := &made{node: n}
	tc.nodes[key] = m
	to := f
	to.Node = f.Elem
	n.to = framedNode{as: f.place(), object: f.Elem.Kind == java.NodeBean || f.Elem.Kind == java.NodeStruct}
	inner := tc.node(to, &n.to)
	n.to.node, n.to.others = inner.node, inner.others
	if leaf, ok := inner.node.(*leafNode); ok {
		n.to.leaf = leaf
	}
	n.to.object = seesType(n.to.node)
	m.class, m.others = inner.class, inner.others
	return *m
}

func (tc *compiler) holder(f form) made {
	s := f.slot
	if f.declared == nil {
		s = orObject(s)
	}
	return made{node: &holderNode{class: f.Class, property: f.property, elem: tc.slot(f.part(f.Elem, in(f.declared, s)))}}
}

// dateClasses are the classes of dates that are the same in milliseconds.
var dateClasses = map[string]bool{java.ClassDate: true, "java.sql.Date": true}

func (tc *compiler) time(f form) (made, bool) {
	if !dateClasses[f.Class] || tc.native || f.slot == slotRoot {
		return made{}, false
	}
	zone, text := tc.codec.rules.dateZone()
	switch {
	case !text:
		return made{&dateNode{}, f.Class, dateClasses}, true
	case f.Class == java.ClassDate:
		return made{node: &dateNode{text: true, zone: zone}, class: f.Class}, true
	}
	return made{}, false
}

// scalar returns the node of a basic kind.
func (tc *compiler) scalar(f form) (made, bool) {
	kind := f.Go.Kind()
	usual := f.Class == java.ScalarType(kind).Boxed().Class
	if f.slot == slotRoot && kind != reflect.String { // scalars have rules of their own at the root
		return made{}, false
	}
	switch kind {
	case reflect.Bool:
		return made{node: boolNode{}}, usual
	case reflect.String:
		return made{node: textNode{}}, usual
	case reflect.Float64:
		return made{node: &floatNode{double: true}}, usual
	case reflect.Float32:
		return made{node: &floatNode{}, class: f.Class}, usual
	default:
	}
	bounds, whole := wholeBounds[f.Class]
	n := &intNode{kind: kind, lo: bounds[0], hi: bounds[1]}
	if f.Class == "java.lang.Integer" {
		return made{node: n}, whole
	}
	return made{node: n, class: f.Class}, whole
}

// enum returns the node of a Go enum.
func (tc *compiler) enum(f form) (made, bool) {
	desc, d := tc.set.Find(f.Class), f.declared
	switch {
	case d != nil && d.class != "" && d.enum == nil: // declared as something else
		return made{}, false
	case desc == nil || desc.Kind != java.KindEnum || len(tc.set.Variants(f.Class)) > 1 || f.slot == slotRoot:
		return made{}, false
	case desc.Name == classMonth || tc.native || tc.codec.rules.hasTexts(desc.Name):
		return made{}, false
	}
	n := &enumNode{kind: f.Go.Kind(), byName: make(map[string]int, len(desc.Constants))}
	for i, constant := range desc.Constants {
		n.names = append(n.names, constant.Name)
		n.byName[constant.Name] = i
	}
	return made{node: n, class: desc.Name}, true
}

// elements returns the place of the elements of a list or map that is declared, or else of
// the slot.
func (f form) elements(s slot) place {
	if f.declared != nil && f.declared.element != nil {
		return in(f.declared.element, 0)
	}
	return place{slot: s}
}

// readLists are the classes of lists and sets that are read straight into slices.
var readLists = map[string]bool{
	java.ClassArrayList: true, "java.util.LinkedList": true, "java.util.Arrays$ArrayList": true,
	java.ClassHashSet: true, "java.util.LinkedHashSet": true, "java.util.TreeSet": true,
	"java.util.ImmutableCollections$ListN": true, "java.util.ImmutableCollections$List12": true,
}

// list makes the node of a slice type.
func (tc *compiler) list(f form, m *made) {
	t, id := f.Go, listID(&java.List{Class: f.Class, Of: f.Of})
	n := &listNode{typ: t, size: t.Elem().Size()}
	m.node, m.class, m.others = n, id, readLists
	as, bare := listForm(id, f.place(), tc.beans, &tc.codec.rules)
	if bare {
		m.class = ""
	}
	if as == openPlace {
		as = objectPlace // of a class of the user's
	}
	if as != f.elements(slotObject) {
		m.others = nil // other classes have other elements
	}
	if f.Ordered() {
		n.order = f.Node
	}
	if e := t.Elem(); e.PkgPath() == "" && t.Name() == "" {
		n.kind = e.Kind()
	}
	n.slot = tc.slot(f.part(f.Elem, as))
	_, texts := n.slot.node.(textNode)
	n.strings = texts && t == reflect.TypeFor[[]string]()
}

// plainArray reports whether a slice is an array of primitives that is written like a list
// in every format.
func (tc *compiler) plainArray(f form) bool {
	if f.Declared.Dims != 1 || f.slot != slotTree {
		return false
	}
	class := f.Declared.Class
	switch f.Go.Elem().Kind() {
	case reflect.Int32:
		return class == "int"
	case reflect.Int64:
		return class == "long"
	case reflect.Float64:
		return class == "double"
	case reflect.Bool:
		return class == "boolean"
	default:
		return false
	}
}

// readMaps are the classes of maps that are read straight into Go maps and structs.
var readMaps = map[string]bool{
	java.ClassHashMap: true, "java.util.LinkedHashMap": true, "java.util.TreeMap": true, "java.util.concurrent.ConcurrentHashMap": true,
}

// mapClass returns how maps name their class.
func (tc *compiler) mapClass(id string) classForm {
	if !tc.codec.rules.Types {
		return classForm{}
	}
	c := classForm{name: tc.objectName(id), required: true}
	if readMaps[id] {
		c.others = readMaps
	}
	c.writes = c.name
	return c
}

// mapping makes the node of a map type.
func (tc *compiler) mapping(f form, m *made) {
	n := &mapNode{as: tc.mapClass(mapID(&java.Map{Class: f.Class, Of: f.Of})), typ: f.Go, keeps: tc.codec.rules.keepsNulls()}
	m.node = n
	values, _ := mapForm(f.Class, f.place())
	n.value = tc.slot(f.part(f.Elem, values))
	if f.declared != nil {
		n.enum = f.declared.key
	}
	texts := f.Key.Kind == java.NodeScalar && f.Key.Class == "java.lang.String"
	if !texts || f.Class != java.ClassHashMap {
		n.order = f.Node
	}
	if !texts {
		n.key = tc.leaf(form{Node: f.Key, slot: slotTree})
		return
	}
	if n.order != nil || n.enum != "" {
		return
	}
	_, plain := n.value.node.(textNode)
	n.texts = plain && f.Go == reflect.TypeFor[map[string]string]()
	if open, ok := n.value.node.(*anyNode); ok && f.Go == reflect.TypeFor[map[string]any]() {
		n.plain = open
	}
}

// any returns the node of the empty interface, which holds registered types where there
// are some.
func (tc *compiler) any(f form) made {
	if len(tc.opts.Classes) > 0 {
		return made{node: tc.open(f)}
	}
	if f.Class == "" { // it is declared as something else
		return made{node: &openNode{typ: f.Go, as: f.place(), exact: f.exact}}
	}
	key := anyKey{f.place(), f.exact}
	n := tc.anys[key]
	if n == nil {
		n = tc.newAny(key)
	}
	return made{node: n}
}

// newAny returns the node of any in a place. What its lists and maps hold is in Object
// slots.
func (tc *compiler) newAny(key anyKey) *anyNode {
	n := &anyNode{as: key.as, exact: key.exact, typed: tc.codec.rules.Types}
	tc.anys[key] = n
	if n.typed {
		n.long, n.list = tc.wrapName(classJavaLong), tc.wrapName(java.ClassArrayList)
	}
	inner := n
	if key.as != objectPlace && n.typed {
		at := anyKey{objectPlace, key.exact}
		if inner = tc.anys[at]; inner == nil {
			inner = tc.newAny(at)
		}
	}
	slot := framedNode{node: inner, as: inner.as, object: true}
	n.maps = &mapNode{as: tc.mapClass(java.ClassHashMap), typ: reflect.TypeFor[map[string]any](), value: slot, plain: inner, keeps: tc.codec.rules.keepsNulls()}
	n.lists = &listNode{typ: reflect.TypeFor[[]any](), kind: reflect.Interface, size: anyType.Size(), slot: slot}
	return n
}

// open returns the node of an interface that takes registered types.
func (tc *compiler) open(f form) *openNode {
	return &openNode{typ: f.Go, as: f.place(), exact: f.exact, types: tc.types}
}

// structure makes the node of a struct: of a bean where one describes it, else of a map.
func (tc *compiler) structure(f form, m *made) {
	n := &beanNode{typ: f.Go, byName: map[string]int{}, number: -1, values: f.elements(slotObject)}
	m.node = n
	byName := fieldsByName(f.Node)
	d := f.declared
	switch {
	case !tc.codec.rules.Types && d != nil && d.bean != nil:
		n.bean, n.class, n.keeps = d.bean, d.bean.class, tc.codec.rules.keepsNulls()
	case f.Kind == java.NodeBean:
		tc.class(f, n)
	default:
		n.as, n.keeps, n.order = tc.mapClass(f.Class), tc.codec.rules.keepsNulls(), f.Node
		tc.entries(f, n, byName)
		return
	}
	b := n.bean
	for range 2 { // the fields that the description lacks come then
		for i := range b.fields {
			p := &b.fields[i]
			if d, ok := byName[p.name]; ok {
				delete(byName, p.name)
				tc.property(f, n, d, p.declared)
			}
		}
		if len(byName) == 0 {
			return
		}
		more := &java.Object{}
		for name := range byName {
			more.Fields = append(more.Fields, java.Field{Name: name})
		}
		b = b.with(more)
		byName = fieldsByName(f.Node)
		n.fields, n.byName, n.nulls, n.omits = nil, map[string]int{}, 0, false
	}
}

// class says how the objects of a struct with a class name it, and what describes them.
func (tc *compiler) class(f form, n *beanNode) {
	n.class, n.bean = f.Class, tc.beans[f.Class]
	named := true
	if d := f.declared; d != nil {
		switch {
		case d.of != nil && d.of.class == f.Class:
			n.bean = d.of
		case d.bean != nil && d.bean.class == f.Class:
			n.bean, named = d.bean, false
		}
	}
	if n.bean == nil {
		n.bean = &bean{class: f.Class, byName: map[string]int{}}
	}
	n.keeps = tc.codec.rules.keepsNulls()
	if !tc.codec.rules.Types {
		return
	}
	n.as = classForm{name: tc.objectName(f.Class), required: named}
	if named {
		n.as.writes = n.as.name
	}
}

// entries adds the fields of a struct that is carried as a map.
func (tc *compiler) entries(f form, n *beanNode, byName map[string]java.NodeField) {
	names := make([]string, 0, len(byName))
	for _, d := range f.Fields {
		if _, first := byName[d.Name]; first {
			names = append(names, d.Name)
		}
	}
	for _, at := range f.OrderNames(names) {
		d := byName[names[at]]
		tc.field(n, d, f.part(d.Node, n.values))
		tc.omit(n, d)
	}
}

// omit notes that a field is left out where it is empty.
func (tc *compiler) omit(n *beanNode, d java.NodeField) {
	if d.OmitEmpty {
		n.omits = true
		n.fields[len(n.fields)-1].empty = emptiness(d.Go)
	}
}

// fieldsByName returns the fields of a struct: of those that one of a superclass has the
// name of, the one of the class.
func fieldsByName(n *java.Node) map[string]java.NodeField {
	byName := make(map[string]java.NodeField, len(n.Fields))
	for _, d := range n.Fields {
		if _, twice := byName[d.Name]; !twice || d.Level == n.Class {
			byName[d.Name] = d
		}
	}
	return byName
}

// field adds a field of a struct.
func (tc *compiler) field(n *beanNode, d java.NodeField, f form) {
	out := structField{key: tc.keyName(d.Name), typ: d.Go, offset: d.Offset, slot: tc.slot(f)}
	out.slot.inside = true
	switch out.slot.node.(type) {
	case *intNode, *floatNode, boolNode, textNode, charNode, decimalNode, *uuidNode, *beanNode:
	default:
		out.nulls = true
		n.nulls++
	}
	n.byName[d.Name] = len(n.fields)
	n.fields = append(n.fields, out)
}

// property adds a field that is one of a bean.
func (tc *compiler) property(f form, n *beanNode, d java.NodeField, as *declared) {
	part := f.part(d.Node, in(as, 0))
	part.property = !n.keeps
	tc.field(n, d, part)
	if at := &n.fields[len(n.fields)-1]; at.nulls && as.primitive {
		at.drops, n.omits = true, true
	}
	if f.Kind == java.NodeStruct {
		tc.omit(n, d)
	}
	if d.Name == idKey && n.bean.numbered() {
		n.number = len(n.fields) - 1
	}
}
