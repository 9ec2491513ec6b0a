package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
)

// elements returns the place of the elements of a list or map that is declared, or else
// that of java.lang.Object.
func (f form) elements() *place {
	if f.at.element != nil {
		return f.at.element
	}
	return objectPlace
}

func (tc *compiler) list(f form, m *made) {
	t, id := f.Go, listID(&java.List{Class: f.Class, Of: f.Of})
	n := &listNode{typ: t, size: t.Elem().Size()}
	m.node, m.class = n, id
	as, bare := listForm(id, f.at, tc.beans, &tc.codec.rules)
	if bare {
		m.class = ""
	}
	if as == openPlace {
		as = objectPlace // of a class of the user's
	}
	if f.Ordered() {
		n.order = f.Node
	}
	n.bare = m.class == "" || !tc.codec.rules.Types || f.at.slot == slotTree
	n.slot = tc.slot(f.part(f.Elem, as))
	_, texts := n.slot.node.(textNode)
	n.strings = texts && t == reflect.TypeFor[[]string]()
}

// plainArray reports whether a slice is an array of primitives that is written like a list
// in every format.
func (tc *compiler) plainArray(f form) bool {
	if f.Declared.Dims != 1 || f.at.slot != slotTree {
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

func (tc *compiler) mapClass(id string) classForm {
	if !tc.codec.rules.Types {
		return classForm{}
	}
	c := classForm{name: tc.objectName(id), required: true}
	c.writes = c.name
	return c
}

// mapForm returns how maps of a class name it in the place of a type.
func (tc *compiler) mapForm(f form, id string) classForm {
	if _, bare := mapForm(id, f.at); bare && f.at.slot == slotTree {
		return classForm{}
	}
	return tc.mapClass(id)
}

func (tc *compiler) mapping(f form, m *made) {
	n := &mapNode{as: tc.mapForm(f, mapID(&java.Map{Class: f.Class, Of: f.Of})), typ: f.Go, keeps: tc.codec.rules.keepsNulls()}
	n.open = f.at == bareRoot
	m.node = n
	values, _ := mapForm(f.Class, f.at)
	n.value = tc.slot(f.part(f.Elem, values))
	n.enum = f.at.key
	texts := f.Key.Kind == bridge.NodeScalar && f.Key.Class == "java.lang.String"
	if !texts || f.Class != java.ClassHashMap {
		n.order = f.Node
	}
	if !texts {
		n.key = tc.leaf(form{Node: f.Key, at: treePlace})
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
		return made{node: &openNode{typ: f.Go, as: f.at, exact: f.exact, declared: f.Declared}}
	}
	key := anyKey{f.at, f.exact}
	n := tc.anys[key]
	if n == nil {
		n = tc.newAny(key)
	}
	return made{node: n}
}

// newAny returns the node of any in a place. What its lists and maps hold is in Object
// slots.
func (tc *compiler) newAny(key anyKey) *anyNode {
	n := &anyNode{as: key.as, exact: key.exact, typed: tc.codec.rules.Types && key.as != bareRoot}
	tc.anys[key] = n
	if n.typed {
		n.long, n.list = tc.wrapName(classJavaLong), tc.wrapName(java.ClassArrayList)
	}
	inner := n
	if key.as != objectPlace && tc.codec.rules.Types {
		at := anyKey{objectPlace, key.exact}
		if inner = tc.anys[at]; inner == nil {
			inner = tc.newAny(at)
		}
	}
	slot := framedNode{node: inner, as: inner.as, object: true}
	n.maps = &mapNode{as: tc.mapForm(form{at: key.as}, java.ClassHashMap), typ: reflect.TypeFor[map[string]any](), value: slot, plain: inner, keeps: tc.codec.rules.keepsNulls()}
	n.lists = &listNode{typ: reflect.TypeFor[[]any](), size: anyType.Size(), slot: slot}
	return n
}

func (tc *compiler) open(f form) *openNode {
	return &openNode{typ: f.Go, as: f.at, exact: f.exact, declared: f.Declared, types: tc.types}
}

func (tc *compiler) structure(f form, m *made) {
	n := &beanNode{typ: f.Go, byName: map[string]int{}, number: -1, values: f.elements(), absent: f.Absent}
	m.node = n
	d := f.at
	switch {
	case !tc.codec.rules.Types && d.bean != nil:
		n.bean, n.class = d.bean, d.bean.class
	case f.Kind == bridge.NodeBean:
		tc.class(f, n)
	default:
		n.as, n.order = tc.mapForm(f, f.Class), f.Node
		tc.entries(f, n, fieldsByName(f.Node, func(d bridge.NodeField) string { return d.Name }))
		return
	}
	if n.poly = d.poly; n.poly != nil {
		n.as = classForm{}
	}
	b, byName := n.bean, tc.properties(f)
	for range 2 { // the fields that the description lacks come then
		for i := range b.fields {
			p := &b.fields[i]
			if d, ok := byName[p.wire]; ok {
				delete(byName, p.wire)
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
		byName = tc.properties(f)
		n.fields, n.byName, n.nulls, n.omits = nil, map[string]int{}, 0, false
	}
}

// class says how the objects of a struct with a class name it, and what describes them.
func (tc *compiler) class(f form, n *beanNode) {
	n.class, n.bean = f.Class, tc.beans[f.Class]
	named := true
	switch d := f.at; {
	case d.of != nil && d.of.class == f.Class:
		n.bean = d.of
	case d.bean != nil && d.bean.class == f.Class:
		n.bean, named = d.bean, false
	}
	if n.bean == nil {
		n.bean = &bean{class: f.Class, byName: map[string]int{}}
	}
	if !tc.codec.rules.Types {
		return
	}
	if tc.codec.rules.concrete() && f.at.slot == slotTree {
		named = false // of a subclass of what is declared, too
	}
	n.as = classForm{name: tc.objectName(f.Class), required: named}
	if named {
		n.as.writes = n.as.name
	}
}

func (tc *compiler) entries(f form, n *beanNode, byName map[string]bridge.NodeField) {
	names := make([]string, 0, len(byName))
	for _, d := range f.Fields {
		if _, first := byName[d.Name]; first {
			names = append(names, d.Name)
		}
	}
	for _, at := range f.OrderNames(names) {
		d := byName[names[at]]
		tc.field(n, d.Name, !tc.codec.rules.keepsNulls(), d, f.part(d.Node, n.values))
		tc.omit(n, d, emptiness)
	}
}

func (tc *compiler) omit(n *beanNode, d bridge.NodeField, emptiness func(t reflect.Type) func(p memory.Place) bool) {
	if d.Format.OmitsEmpty() {
		n.omits = true
		n.fields[len(n.fields)-1].empty = emptiness(d.Go)
	}
}

// properties returns the fields of a bean by their names in the payload.
func (tc *compiler) properties(f form) map[string]bridge.NodeField {
	return fieldsByName(f.Node, func(d bridge.NodeField) string { return tc.codec.rules.wire(d.Name, d.Format) })
}

// fieldsByName returns the fields of a struct by names, but those without one: of those that one
// of a superclass has the name of, the one of the class.
func fieldsByName(n *bridge.Node, name func(d bridge.NodeField) string) map[string]bridge.NodeField {
	byName := make(map[string]bridge.NodeField, len(n.Fields))
	for _, d := range n.Fields {
		key := name(d)
		if _, twice := byName[key]; key != "" && (!twice || d.Level == n.Class) {
			byName[key] = d
		}
	}
	return byName
}

// field adds a field with its name in the payload; drops says that null is left out.
func (tc *compiler) field(n *beanNode, name string, drops bool, d bridge.NodeField, f form) {
	out := structField{key: tc.keyName(name), typ: d.Go, offset: d.Offset, slot: tc.slot(f), drops: drops}
	out.slot.inside = true
	switch out.slot.node.(type) {
	case *intNode, floatNode, boolNode, textNode, decimalNode, *uuidNode:
	case *beanNode:
		out.nulls = f.Absent
		if f.Absent && drops {
			n.nulls++
		}
	default:
		out.nulls = true
		if drops {
			n.nulls++
		}
	}
	n.byName[name] = len(n.fields)
	for _, alias := range d.Format.AliasNames() {
		if _, taken := n.byName[alias]; !taken {
			n.byName[alias] = len(n.fields)
		}
	}
	n.fields = append(n.fields, out)
}

func (tc *compiler) property(f form, n *beanNode, d bridge.NodeField, as *place) {
	part := f.part(d.Node, as)
	drops := dropsNull(d.Format, tc.codec.rules.keepsNulls())
	part.property = drops
	tc.field(n, tc.codec.rules.wire(d.Name, d.Format), drops || as.primitive, d, part)
	if f.Kind == bridge.NodeStruct {
		tc.omit(n, d, emptiness)
	} else {
		tc.omit(n, d, javaEmptiness)
	}
	if d.Name == idKey && n.bean.numbered() {
		n.number = len(n.fields) - 1
	}
}
