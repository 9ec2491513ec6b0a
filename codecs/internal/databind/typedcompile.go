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
// for leaves the plan without a way of its own, in one direction or both.
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
	typ      reflect.Type
	expr     string
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
	p := &typedPlan{codec: c, beans: b.beans, typ: t, pointer: reflect.PointerTo(t), root: tc.root(t, b.top)}
	if tc.stuck {
		return nil
	}
	return p
}

// root returns the slot of the whole value, which top declares in codecs that name no
// classes.
func (tc *typedCompiler) root(t reflect.Type, top *declared) typedSlot {
	if top != nil {
		return tc.slot(t, java.TypeExpr{}, top, top.slot)
	}
	at := pointed(t)
	switch named := java.ClassName(at, tc.opts.Classes) != ""; at.Kind() {
	case reflect.Struct:
		tc.stuck = !named && java.IsValue(at)
	case reflect.Slice:
		tc.stuck = at.Elem().Kind() == reflect.Uint8
	case reflect.String:
		tc.stuck = named
	case reflect.Map:
	default:
		tc.stuck = true // scalars have rules of their own at the root
	}
	if tc.opts.Classes[t] != "" && t != at {
		tc.stuck = true // the class is that of the pointer
	}
	return tc.slot(t, java.TypeExpr{}, nil, slotRoot)
}

func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
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

// typedForm is what stands in one place: how it is declared.
type typedForm struct {
	expr     java.TypeExpr // of the tag, which chooses the class written; zero for none
	declared *declared     // of the field, or of the element of one; nil where nothing is
	slot     slot
}

// slot returns the slot of Go type t in a place.
func (tc *typedCompiler) slot(t reflect.Type, expr java.TypeExpr, d *declared, s slot) typedSlot {
	if d != nil {
		s = d.slot
	}
	f := typedForm{expr, d, s}
	node, class, others := tc.node(t, f)
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
func (tc *typedCompiler) reading(n typedNode, t reflect.Type, f typedForm) typedNode {
	plan, err := java.CompileAs(t, f.expr, tc.opts)
	if err != nil {
		tc.stuck = true
	}
	return &readNode{n, newValueNode(t, plan, f)}
}

// stop leaves a type to the way by values: its part of each payload and value goes
// that way.
func (tc *typedCompiler) stop(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	plan, err := java.CompileAs(t, f.expr, tc.opts)
	if err != nil || f.slot == slotRoot {
		tc.stuck = true
	}
	return newValueNode(t, plan, f), "", nil
}

// node returns the node of Go type t, the class it is written as where that may stand
// beside the value, and further classes that may stand there.
func (tc *typedCompiler) node(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	switch {
	case holds(f.expr.Class):
		return tc.stop(t, f)
	case f.declared != nil && f.declared.object && composite(t):
		return tc.stop(t, f) // what it holds keeps its class
	case t == timeType:
		return tc.time(t, f)
	case t == decimalType && declares(f.expr, "java.math.BigDecimal", "java.lang.Number"):
		return decimalNode{}, "java.math.BigDecimal", nil
	case t == bigType && declares(f.expr, "java.math.BigInteger", "java.lang.Number"):
		return bigNode{}, "java.math.BigInteger", nil
	case t == uuidType && declares(f.expr, classUUID) && !tc.codec.rules.leaksUUID():
		return &uuidNode{binary: tc.codec.binaryUUID()}, classUUID, nil
	case t == reflect.TypeFor[java.Char]() && declares(f.expr, "java.lang.Character"):
		return charNode{}, "java.lang.Character", nil
	case t == anyType && len(tc.opts.Classes) == 0 && declares(f.expr):
		return tc.open(f), "", nil
	case t.Kind() == reflect.Pointer:
		return tc.pointer(t, f)
	case t == anyType && len(tc.opts.Classes) > 0:
		return tc.stop(t, f) // registered classes stand there
	}
	class := java.ClassName(t, tc.opts.Classes)
	switch t.Kind() {
	case reflect.Struct:
		if !java.IsValue(t) && !tc.codec.rules.Types {
			return tc.typeless(t, f)
		}
		if class != "" {
			return tc.bean(t, class, f)
		}
		if !java.IsValue(t) {
			return tc.structure(t, f)
		}
	case reflect.Slice:
		if class == "" {
			return tc.list(t, f)
		}
	case reflect.Map:
		if class == "" {
			return tc.mapping(t, f)
		}
	case reflect.Array, reflect.Interface:
	default:
		if java.IsValue(t) {
			break
		}
		if class != "" {
			return tc.enum(t, class, f)
		}
		return tc.scalar(t, f)
	}
	return tc.stop(t, f)
}

// composite reports whether t, or what it points to, has parts that are read one by one.
func composite(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return composite(t.Elem())
	case reflect.Slice:
		return t.Elem().Kind() != reflect.Uint8
	case reflect.Struct:
		return !java.IsValue(t)
	default:
		return t.Kind() == reflect.Map
	}
}

func (tc *typedCompiler) pointer(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	elem := t.Elem()
	switch elem.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return tc.stop(t, f)
	}
	if tc.opts.Classes[t] != "" {
		return tc.stop(t, f)
	}
	key := typedKey{t, f.expr.String(), f.declared, f.slot}
	if n, ok := tc.nodes[key]; ok {
		return n, "", nil // only structs recur, which name their class themselves
	}
	n := &pointerNode{elem: elem, kind: elem.Kind(), struc: elem.Kind() == reflect.Struct && !java.IsValue(elem)}
	if elem.Kind() == reflect.Struct {
		tc.nodes[key] = n
	}
	var class string
	var others map[string]bool
	n.node, class, others = tc.node(elem, f)
	if class != "" {
		delete(tc.nodes, key)
	}
	return n, class, others
}

// declares reports whether the declared type is none, one that any value satisfies,
// or one of names.
func declares(expr java.TypeExpr, names ...string) bool {
	if expr.Dims > 0 {
		return false
	}
	switch class := expr.Boxed().Class; class {
	case "", "java.lang.Object", "java.io.Serializable", "java.lang.Comparable":
		return true
	default:
		for _, name := range names {
			if class == name {
				return true
			}
		}
	}
	return false
}

// dateClasses are the classes of dates that are the same in milliseconds.
var dateClasses = map[string]bool{java.ClassDate: true, "java.sql.Date": true}

func (tc *typedCompiler) time(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	class := f.expr.Class
	if declares(f.expr) {
		class = java.ClassDate
	}
	if !dateClasses[class] || f.expr.Dims > 0 || tc.native {
		return tc.stop(t, f)
	}
	zone, text := tc.codec.rules.dateZone()
	switch {
	case !text:
		return &dateNode{}, class, dateClasses
	case class == java.ClassDate:
		return &dateNode{text: true, zone: zone}, class, nil
	}
	return tc.stop(t, f)
}

// scalar returns the node of a basic kind.
func (tc *typedCompiler) scalar(t reflect.Type, f typedForm) (typedNode, string, map[string]bool) {
	one := func(classes ...string) bool { return declares(f.expr, classes...) }
	if t.PkgPath() == "time" {
		return tc.stop(t, f)
	}
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		if one("java.lang.Boolean") {
			return boolNode{}, "", nil
		}
	case reflect.String:
		if one("java.lang.String", "java.lang.CharSequence") {
			return textNode{}, "", nil
		}
	case reflect.Float64:
		if one("java.lang.Double", "java.lang.Number") {
			return &floatNode{double: true}, "", nil
		}
	case reflect.Float32:
		if one("java.lang.Float", "java.lang.Number") {
			return &floatNode{}, "java.lang.Float", nil
		}
	default:
		class := java.ScalarType(kind).Boxed().Class
		if !one("java.lang.Number") {
			class = f.expr.Boxed().Class
		}
		bounds, whole := wholeBounds[class]
		if !whole || f.expr.Dims > 0 || java.ScalarType(kind).IsZero() {
			return tc.stop(t, f)
		}
		if class == "java.lang.Integer" {
			return &intNode{kind: kind, lo: bounds[0], hi: bounds[1]}, "", nil
		}
		return &intNode{kind: kind, lo: bounds[0], hi: bounds[1]}, class, nil
	}
	return tc.stop(t, f)
}
