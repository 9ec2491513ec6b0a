package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// enum returns the node of a Go enum.
func (tc *typedCompiler) enum(f typedForm) (typedNode, string, map[string]bool) {
	desc := tc.set.Find(f.Class)
	if d := f.declared; d != nil && d.class != "" && d.enum == nil {
		return tc.stop(f) // declared as something else
	}
	if desc == nil || desc.Kind != java.KindEnum || len(tc.set.Variants(f.Class)) > 1 || desc.Name == classMonth || tc.native || tc.codec.rules.hasTexts(desc.Name) {
		return tc.stop(f)
	}
	n := &enumNode{kind: f.Go.Kind(), byName: make(map[string]int, len(desc.Constants))}
	for i, constant := range desc.Constants {
		n.names = append(n.names, constant.Name)
		n.byName[constant.Name] = i
	}
	return n, desc.Name, nil
}

// element returns the declared type of the elements, nil for java.lang.Object.
func (f typedForm) element() *declared {
	if f.declared == nil {
		return nil
	}
	return f.declared.element
}

// readLists are the classes of lists and sets that are read straight into slices.
var readLists = map[string]bool{
	java.ClassArrayList: true, "java.util.LinkedList": true, "java.util.Arrays$ArrayList": true,
	java.ClassHashSet: true, "java.util.LinkedHashSet": true, "java.util.TreeSet": true,
	"java.util.ImmutableCollections$ListN": true, "java.util.ImmutableCollections$List12": true,
}

// list returns the node of a slice type.
func (tc *typedCompiler) list(f typedForm) (typedNode, string, map[string]bool) {
	class, ordered := f.Class, true
	switch class {
	case java.ClassArrayList, "java.util.LinkedList":
	case java.ClassHashSet, "java.util.LinkedHashSet":
		class, ordered = java.ClassHashSet, false
	default:
		if f.Declared.Dims != 1 || f.slot != slotTree || !plainComponent(f.Go.Elem(), f.Declared.Class) {
			return tc.stop(f)
		}
		class = java.ClassArrayList
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, class, readLists
	}
	t := f.Go
	n := &listNode{typ: t, size: t.Elem().Size()}
	tc.nodes[key] = n
	if e := t.Elem(); e.PkgPath() == "" && t.Name() == "" {
		n.kind = e.Kind()
	}
	n.slot = tc.slot(f.Elem, f.element(), slotObject)
	_, texts := n.slot.node.(textNode)
	n.strings = texts && t == reflect.TypeFor[[]string]()
	if !ordered {
		tc.nodes[key] = tc.reading(n, f)
	}
	return tc.nodes[key], class, readLists
}

// plainComponent reports whether an array of that component is a JSON array of plain
// values in every format.
func plainComponent(t reflect.Type, class string) bool {
	switch t.Kind() {
	case reflect.Int32:
		return class == "int"
	case reflect.Int64:
		return class == "long"
	case reflect.Float64:
		return class == "double"
	case reflect.Bool:
		return class == "boolean"
	case reflect.String:
		return class == "java.lang.String"
	default:
		return false
	}
}

// readMaps are the classes of maps that are read straight into Go maps and structs.
var readMaps = map[string]bool{
	java.ClassHashMap: true, "java.util.LinkedHashMap": true, "java.util.TreeMap": true, "java.util.concurrent.ConcurrentHashMap": true,
}

// mapClass returns how maps name their class.
func (tc *typedCompiler) mapClass() typedClass {
	if !tc.codec.rules.Types {
		return typedClass{}
	}
	name := tc.objectName(java.ClassHashMap)
	return typedClass{name: name, others: readMaps, required: true, writes: name}
}

// mapping returns the node of a map type.
func (tc *typedCompiler) mapping(f typedForm) (typedNode, string, map[string]bool) {
	linked := f.Class == "java.util.LinkedHashMap"
	if !linked && f.Class != java.ClassHashMap || f.Key.Kind != java.NodeScalar || f.Key.Class != "java.lang.String" {
		return tc.stop(f)
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &mapNode{as: tc.mapClass(), typ: f.Go, keeps: tc.codec.rules.keepsNulls()}
	tc.nodes[key] = n
	n.value = tc.slot(f.Elem, f.element(), slotObject)
	_, texts := n.value.node.(textNode)
	n.texts = texts && f.Go == reflect.TypeFor[map[string]string]()
	if open, ok := n.value.node.(*anyNode); ok && f.Go == reflect.TypeFor[map[string]any]() {
		n.plain = open
	}
	if linked {
		tc.nodes[key] = tc.reading(n, f)
	}
	return tc.nodes[key], "", nil
}

// open returns the node of any.
func (tc *typedCompiler) open(f typedForm) *anyNode {
	n := tc.anys[f.slot]
	if n == nil {
		n = tc.newAny(f.slot)
	}
	if f.declared == nil {
		return n
	}
	own := *n
	own.declared = f.declared
	return &own
}

// newAny returns the node of any in slot s, where nothing is declared.
func (tc *typedCompiler) newAny(s slot) *anyNode {
	plan, err := java.CompileAs(&java.Node{Go: anyType}, tc.opts)
	if err != nil {
		tc.stuck = true
	}
	n := &anyNode{typed: tc.codec.rules.Types, plan: plan, slot: s}
	tc.anys[s] = n
	if n.typed {
		n.long, n.list = tc.wrapName(classJavaLong), tc.wrapName(java.ClassArrayList)
	}
	slot := typedSlot{node: n, object: true}
	n.maps = &mapNode{as: tc.mapClass(), typ: reflect.TypeFor[map[string]any](), value: slot, plain: n, keeps: tc.codec.rules.keepsNulls()}
	n.lists = &listNode{typ: reflect.TypeFor[[]any](), kind: reflect.Interface, size: anyType.Size(), slot: slot}
	return n
}

// structure returns the node of a struct without a class: a map.
func (tc *typedCompiler) structure(f typedForm) (typedNode, string, map[string]bool) {
	if len(f.Fields) > maxFields || f.Class != java.ClassHashMap {
		return tc.stop(f)
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{as: tc.mapClass(), byName: map[string]int{}}
	tc.nodes[key] = n
	byName, names, omits := fieldsByName(f.Node), make([]string, len(f.Fields)), false
	for i, d := range f.Fields {
		names[i] = d.Name
		omits = omits || d.OmitEmpty // the order depends on which entries there are
	}
	java.HashOrderStrings(names)
	for _, name := range names {
		tc.field(n, byName[name], f.element(), slotObject)
	}
	if omits {
		tc.nodes[key] = tc.reading(n, f)
	}
	return tc.nodes[key], "", nil
}

func fieldsByName(n *java.Node) map[string]java.NodeField {
	byName := make(map[string]java.NodeField, len(n.Fields))
	for _, d := range n.Fields {
		byName[d.Name] = d
	}
	return byName
}

// field adds a field of a struct.
func (tc *typedCompiler) field(n *beanNode, d java.NodeField, as *declared, s slot) {
	out := typedField{key: tc.keyName(d.Name), offset: d.Offset, slot: tc.slot(d.Node, as, s)}
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
func (tc *typedCompiler) property(n *beanNode, d java.NodeField, as *declared) {
	tc.field(n, d, as, slotObject)
	if f := &n.fields[len(n.fields)-1]; f.nulls && as != nil && as.primitive {
		f.drops, n.omits = true, true
	}
	if v, ok := n.fields[len(n.fields)-1].slot.node.(*valueNode); ok {
		v.property = !n.keeps
	}
}

// bean returns the node of a struct with a class.
func (tc *typedCompiler) bean(f typedForm) (typedNode, string, map[string]bool) {
	b := tc.beans[f.Class]
	if b != nil && b.numbered() {
		tc.stuck = true // a number may refer to one
		return tc.stop(f)
	}
	if d := f.declared; d != nil && (d.of != nil || d.class != "" || d.bean != nil && d.bean != b) {
		return tc.stop(f) // its type arguments decide, or it is declared as something else
	}
	if b == nil || len(f.Fields) > maxFields || len(tc.set.Variants(f.Class)) != 1 {
		return tc.stop(f)
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{byName: map[string]int{}}
	tc.nodes[key] = n
	if tc.codec.rules.Types {
		n.as = typedClass{name: tc.objectName(f.Class), required: true}
		n.as.writes = n.as.name
		if f.declared != nil && f.declared.bean != nil {
			n.as.required, n.as.writes = false, typedName{}
		}
	}
	byName := fieldsByName(f.Node)
	if len(byName) != len(f.Fields) { // a field hides one of a superclass
		return tc.stop(f)
	}
	for i := range b.fields {
		p := &b.fields[i]
		d, ok := byName[p.name]
		if !ok {
			if n.mine == nil {
				n.mine = map[string]bool{}
			}
			n.mine[p.name] = true
			continue
		}
		delete(byName, p.name)
		tc.property(n, d, p.declared)
	}
	if len(byName) > 0 {
		return tc.stop(f)
	}
	return n, "", nil
}

// typeless returns the node of a struct in a codec that names no classes.
func (tc *typedCompiler) typeless(f typedForm) (typedNode, string, map[string]bool) {
	if f.declared == nil || f.declared.bean == nil || len(f.Fields) > maxFields {
		return tc.stop(f)
	}
	if f.declared.bean.numbered() {
		tc.stuck = true // a number may refer to one
		return tc.stop(f)
	}
	key := typedKey{f.Node, f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{byName: map[string]int{}, keeps: tc.codec.rules.keepsNulls(), loose: true}
	tc.nodes[key] = n
	byName := fieldsByName(f.Node)
	if len(byName) != len(f.Fields) || len(f.Fields) != len(f.declared.bean.fields) { // a field hides one of a superclass
		return tc.stop(f)
	}
	for i := range f.declared.bean.fields {
		p := &f.declared.bean.fields[i]
		d := byName[p.name]
		tc.property(n, d, p.declared)
		if d.OmitEmpty && f.Kind == java.NodeStruct {
			n.omits = true
			n.fields[i].empty = emptiness(d.Go)
		}
	}
	return n, "", nil
}
