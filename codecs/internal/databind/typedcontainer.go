package databind

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
)

// enum returns the node of a Go enum.
func (tc *typedCompiler) enum(t reflect.Type, class string, f typedForm) (typedNode, string, map[string]bool) {
	desc := tc.set.Find(class)
	if d := f.declared; d != nil && d.class != "" && d.enum == nil {
		return tc.stop(t, f) // declared as something else
	}
	if desc == nil || desc.Kind != java.KindEnum || len(tc.set.Variants(class)) > 1 || desc.Name == classMonth || tc.native || tc.codec.rules.hasTexts(desc.Name) {
		return tc.stop(t, f)
	}
	n := &enumNode{kind: t.Kind(), byName: make(map[string]int, len(desc.Constants))}
	for i, constant := range desc.Constants {
		n.names = append(n.names, constant.Name)
		n.byName[constant.Name] = i
	}
	return n, desc.Name, nil
}

// typedArgument returns type argument i where it says something about the values.
func typedArgument(t java.TypeExpr, i int) java.TypeExpr {
	if i >= len(t.Args) || t.Args[i].Variance != java.Exact && t.Args[i].Variance != java.Extends {
		return java.TypeExpr{}
	}
	a := t.Args[i]
	a.Variance = java.Exact
	return a
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
func (tc *typedCompiler) list(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	if t.Elem().Kind() == reflect.Uint8 {
		if t.Elem() != reflect.TypeFor[byte]() || f.expr.String() != "byte[]" && !declares(f.expr) {
			return tc.stop(t, f)
		}
		return bytesNode{}, "[B", nil
	}
	class, elem, ordered := java.ClassArrayList, typedArgument(f.expr, 0), true
	switch {
	case f.expr.Dims > 0:
		elem = f.expr
		elem.Dims--
		if f.slot != slotTree || !plainComponent(t.Elem(), elem) {
			return tc.stop(t, f)
		}
	case declares(f.expr, "java.lang.Iterable", "java.util.Collection", "java.util.List", java.ClassArrayList):
	case declares(f.expr, "java.util.LinkedList", "java.util.Queue"):
		class = "java.util.LinkedList"
	case declares(f.expr, "java.util.Set", java.ClassHashSet, "java.util.LinkedHashSet"):
		class, ordered = java.ClassHashSet, false
	default:
		return tc.stop(t, f)
	}
	key := typedKey{t, f.expr.String(), f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, class, readLists
	}
	n := &listNode{typ: t, size: t.Elem().Size()}
	tc.nodes[key] = n
	if e := t.Elem(); e.PkgPath() == "" && t.Name() == "" {
		n.kind = e.Kind()
	}
	n.slot = tc.slot(t.Elem(), elem, f.element(), slotObject)
	_, texts := n.slot.node.(textNode)
	n.strings = texts && t == reflect.TypeFor[[]string]()
	if !ordered {
		tc.nodes[key] = tc.reading(n, t, f)
	}
	return tc.nodes[key], class, readLists
}

// plainComponent reports whether an array of that component is a JSON array of plain
// values in every format.
func plainComponent(t reflect.Type, elem java.TypeExpr) bool {
	if elem.Dims > 0 {
		return false
	}
	switch t.Kind() {
	case reflect.Int32:
		return elem.Class == "int"
	case reflect.Int64:
		return elem.Class == "long"
	case reflect.Float64:
		return elem.Class == "double"
	case reflect.Bool:
		return elem.Class == "boolean"
	case reflect.String:
		return elem.Class == "java.lang.String"
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
func (tc *typedCompiler) mapping(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	switch {
	case t.Key().Kind() != reflect.String || java.ClassName(t.Key(), tc.opts.Classes) != "":
		return tc.stop(t, f)
	case !declares(typedArgument(f.expr, 0), "java.lang.String"):
		return tc.stop(t, f)
	case !declares(f.expr, "java.util.Map", java.ClassHashMap, "java.util.LinkedHashMap"):
		return tc.stop(t, f)
	}
	key := typedKey{t, f.expr.String(), f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &mapNode{as: tc.mapClass(), typ: t, keeps: tc.codec.rules.keepsNulls()}
	tc.nodes[key] = n
	n.value = tc.slot(t.Elem(), typedArgument(f.expr, 1), f.element(), slotObject)
	_, texts := n.value.node.(textNode)
	n.texts = texts && t == reflect.TypeFor[map[string]string]()
	if open, ok := n.value.node.(*anyNode); ok && t == reflect.TypeFor[map[string]any]() {
		n.plain = open
	}
	if f.expr.Class == "java.util.LinkedHashMap" {
		tc.nodes[key] = tc.reading(n, t, f)
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
	plan, err := java.CompileAs(anyType, java.TypeExpr{}, tc.opts)
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
func (tc *typedCompiler) structure(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	fields, err := java.BoundFieldsOf(t, tc.opts)
	if err != nil || len(fields) > maxFields || !declares(f.expr, "java.util.Map", java.ClassHashMap) {
		return tc.stop(t, f)
	}
	key := typedKey{t, f.expr.String(), f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{as: tc.mapClass(), byName: map[string]int{}}
	tc.nodes[key] = n
	byName, names, omits := map[string]java.FieldDesc{}, make([]string, len(fields)), false
	for i, d := range fields {
		byName[d.Name], names[i] = d, d.Name
		if d.OmitEmpty {
			omits = true // the order depends on which entries there are
		}
	}
	java.HashOrderStrings(names)
	for _, name := range names {
		tc.field(n, t, byName[name], byName[name].Type, f.element(), slotObject)
	}
	if omits {
		tc.nodes[key] = tc.reading(n, t, f)
	}
	return tc.nodes[key], "", nil
}

// field adds a field of struct type t.
func (tc *typedCompiler) field(n *beanNode, t reflect.Type, d java.FieldDesc, expr java.TypeExpr, as *declared, s slot) {
	out := typedField{key: tc.keyName(d.Name), offset: offsetOf(t, d.Index), slot: tc.slot(d.GoType, expr, as, s)}
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
func (tc *typedCompiler) property(n *beanNode, t reflect.Type, d java.FieldDesc, expr java.TypeExpr, as *declared) {
	tc.field(n, t, d, expr, as, slotObject)
	if f := &n.fields[len(n.fields)-1]; f.nulls && as != nil && as.primitive {
		f.drops, n.omits = true, true
	}
	if v, ok := n.fields[len(n.fields)-1].slot.node.(*valueNode); ok {
		v.property = !n.keeps
	}
}

// offsetOf returns the offset of a field of t or of a struct embedded in it.
func offsetOf(t reflect.Type, index []int) uintptr {
	var offset uintptr
	for _, i := range index {
		f := t.Field(i)
		offset += f.Offset
		t = f.Type
	}
	return offset
}

// bean returns the node of a struct with a class.
func (tc *typedCompiler) bean(t reflect.Type, class string, f typedForm) (typedNode, string, map[string]bool) {
	b := tc.beans[class]
	if b != nil && b.numbered() {
		tc.stuck = true // one may stand for another
		return tc.stop(t, f)
	}
	fields, err := java.BoundFieldsOf(t, tc.opts)
	if d := f.declared; d != nil && (d.of != nil || d.class != "" || d.bean != nil && d.bean != b) {
		return tc.stop(t, f) // its type arguments decide, or it is declared as something else
	}
	if b == nil || err != nil || len(fields) > maxFields || len(tc.set.Variants(class)) != 1 {
		return tc.stop(t, f)
	}
	key := typedKey{t, "", f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{byName: map[string]int{}}
	tc.nodes[key] = n
	if tc.codec.rules.Types {
		n.as = typedClass{name: tc.objectName(class), required: true}
		n.as.writes = n.as.name
		if f.declared != nil && f.declared.bean != nil {
			n.as.required, n.as.writes = false, typedName{}
		}
	}
	byName := map[string]java.FieldDesc{}
	for _, d := range fields {
		byName[d.Name] = d
	}
	if len(byName) != len(fields) { // a field hides one of a superclass
		return tc.stop(t, f)
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
		expr := d.Type
		if level := tc.set.Find(d.Level); level != nil {
			expr = withoutVariables(expr, level)
		}
		tc.property(n, t, d, expr, p.declared)
	}
	if len(byName) > 0 {
		return tc.stop(t, f)
	}
	return n, "", nil
}

// typeless returns the node of a struct in a codec that names no classes.
func (tc *typedCompiler) typeless(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	fields, err := java.BoundFieldsOf(t, tc.opts)
	if f.declared == nil || f.declared.bean == nil || err != nil || len(fields) > maxFields {
		return tc.stop(t, f)
	}
	if f.declared.bean.numbered() {
		tc.stuck = true // one may stand for another
		return tc.stop(t, f)
	}
	key := typedKey{t, "", f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil
	}
	n := &beanNode{byName: map[string]int{}, keeps: tc.codec.rules.keepsNulls(), loose: true}
	tc.nodes[key] = n
	byName := map[string]java.FieldDesc{}
	for _, d := range fields {
		byName[d.Name] = d
	}
	if len(byName) != len(fields) || len(fields) != len(f.declared.bean.fields) { // a field hides one of a superclass
		return tc.stop(t, f)
	}
	classless := java.ClassName(t, tc.opts.Classes) == ""
	for i := range f.declared.bean.fields {
		p := &f.declared.bean.fields[i]
		d := byName[p.name]
		expr := d.Type
		if level := tc.set.Find(d.Level); level != nil {
			expr = withoutVariables(expr, level)
		}
		tc.property(n, t, d, expr, p.declared)
		if d.OmitEmpty && classless {
			n.omits = true
			n.fields[i].empty = emptiness(d.GoType)
		}
	}
	return n, "", nil
}

// withoutVariables returns e with type variables of the class that declares it left
// out: what they stand for says the Go type.
func withoutVariables(e java.TypeExpr, c *java.Class) java.TypeExpr {
	if c.Variable(e) {
		return java.TypeExpr{}
	}
	out := e
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, withoutVariables(a, c))
	}
	return out
}
