package kryo5

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// typedCompiler makes the nodes of one plan. It never fails: what it has no node
// for leaves the plan without a way of its own, in one direction or both.
type typedCompiler struct {
	types *typedTypes
	opts  codecs.BindOptions
	nodes map[typedKey]typedNode
	beans map[reflect.Type]*typedBean
	scope layout.Scope // without bindings
	stuck bool         // the plan cannot be used
	reads bool         // the plan can be used for reading only

	assigns bool // some values are placed by package java
}

// typedKey is what a node depends on.
type typedKey struct {
	typ      reflect.Type
	declared string
	ctx      *layout.Type
	inside   bool
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	anyType     = reflect.TypeFor[any]()
	bytesType   = reflect.TypeFor[[]byte]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	charType    = reflect.TypeFor[java.Char]()
)

// inPlace are the types of package java whose values the dynamic engine reads in place.
var inPlace = map[reflect.Type]bool{
	reflect.TypeFor[*big.Int]():            true,
	reflect.TypeFor[java.Instant]():        true,
	reflect.TypeFor[java.LocalDate]():      true,
	reflect.TypeFor[java.LocalTime]():      true,
	reflect.TypeFor[java.LocalDateTime]():  true,
	reflect.TypeFor[java.Duration]():       true,
	reflect.TypeFor[java.UUID]():           true,
	reflect.TypeFor[java.OffsetDateTime](): true,
	reflect.TypeFor[java.ZonedDateTime]():  true,
	reflect.TypeFor[java.YearMonth]():      true,
	reflect.TypeFor[java.Period]():         true,
}

// byValue reports whether there is a node for a value type itself, not only for
// pointers to it.
func byValue(t reflect.Type) bool {
	return t == timeType || t == decimalType || t == charType || inPlace[t]
}

// node returns the node of Go type t in a place with that declared type and
// context.
func (tc *typedCompiler) node(t reflect.Type, declared java.TypeExpr, ctx *layout.Type, inside bool) typedNode {
	key := typedKey{t, declared.String(), ctx, inside && t == timeType}
	if n, ok := tc.nodes[key]; ok {
		return n
	}
	keep := func(n typedNode) typedNode {
		tc.nodes[key] = n
		return n
	}
	switch {
	case t == timeType:
		return keep(tc.time(declared, inside))
	case t == decimalType && tc.declares(declared, "java.math.BigDecimal", "java.lang.Number"):
		return keep(&decimalNode{as: tc.types.learn("java.math.BigDecimal")})
	case t == charType && tc.declares(declared, "java.lang.Character"):
		return keep(&charNode{as: tc.types.learn("java.lang.Character")})
	case inPlace[t]:
		if v, _ := java.ValueTypeOf(t); tc.declares(declared, v.Declared.Class) {
			return keep(&ownNode{typ: t, ctx: ctx, as: tc.types.learn(v.Declared.Class), zeroNull: v.ZeroIsNull})
		}
	case t == anyType && tc.declares(declared):
		return keep(&anyNode{ctx: ctx})
	}
	class := java.ClassName(t, tc.opts.Classes)
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer || java.IsValue(t.Elem()) && !byValue(t.Elem()) {
			break
		}
		n := &pointerNode{elem: t.Elem(), kind: t.Elem().Kind()}
		keep(n)
		n.node = tc.node(t.Elem(), declared, ctx, false)
		return n
	case reflect.Struct:
		if class != "" && tc.declares(declared, class) || class == "" && !java.IsValue(t) {
			return tc.structure(t, class, declared, ctx, keep)
		}
	case reflect.Slice:
		if class == "" {
			return tc.slice(t, declared, ctx, keep)
		}
	case reflect.Map:
		if class == "" {
			return tc.mapping(t, declared, ctx, keep)
		}
	default:
		if class != "" {
			return keep(tc.enum(t, class))
		}
		if n := tc.scalar(t, declared); n != nil {
			return keep(n)
		}
	}
	return keep(tc.assigned(t, ctx))
}

// declares reports whether the declared type is none, one that any value
// satisfies, or one of names. Interfaces of beans are not known by name, so that a
// declared supertype of a class is left to the other way.
func (tc *typedCompiler) declares(declared java.TypeExpr, names ...string) bool {
	if declared.Dims > 0 {
		return false
	}
	switch class := declared.Boxed().Class; class {
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

// assigned returns the node of a type without a way of its own.
func (tc *typedCompiler) assigned(t reflect.Type, ctx *layout.Type) typedNode {
	tc.reads, tc.assigns = true, true
	plan, err := java.Compile(t, tc.opts)
	if err != nil || t == anyType {
		tc.stuck = true
	}
	return &assignNode{typ: t, ctx: ctx, plan: plan}
}

func (tc *typedCompiler) time(declared java.TypeExpr, inside bool) typedNode {
	n := &timeNode{instant: tc.types.learn("java.time.Instant"), inside: inside}
	switch name := declared.Boxed().Class; {
	case tc.declares(declared):
		n.as = tc.types.learn(java.ClassDate)
	case declared.Dims == 0 && (isDate(name) || name == "java.time.Instant"):
		n.as = tc.types.learn(name)
	default:
		return tc.assigned(timeType, nil)
	}
	return n
}

// scalar returns the node of a basic kind, nil where the declared type is not one
// of the usual ones.
func (tc *typedCompiler) scalar(t reflect.Type, declared java.TypeExpr) typedNode {
	one := func(class string) bool { return tc.declares(declared, class) }
	switch kind := t.Kind(); kind {
	case reflect.Bool:
		if one("java.lang.Boolean") {
			return &boolNode{as: tc.types.learn("java.lang.Boolean")}
		}
	case reflect.String:
		if one("java.lang.String") || one("java.lang.CharSequence") {
			return &textNode{as: tc.types.learn("java.lang.String")}
		}
	case reflect.Float64, reflect.Float32:
		class := "java.lang.Double"
		if kind == reflect.Float32 {
			class = "java.lang.Float"
		}
		if one(class) || one("java.lang.Number") {
			return &floatNode{double: kind == reflect.Float64, as: tc.types.learn(class)}
		}
	default:
		class := java.ScalarType(kind).Boxed().Class
		if class == "" {
			return nil
		}
		if one("java.lang.Number") {
			return &intNode{kind: kind, as: tc.types.learn(class)}
		}
		switch class = declared.Boxed().Class; class {
		case "java.lang.Byte", "java.lang.Short", "java.lang.Integer", "java.lang.Long":
			if declared.Dims == 0 {
				return &intNode{kind: kind, as: tc.types.learn(class)}
			}
		}
	}
	return nil
}

// enum returns the node of a Go enum.
func (tc *typedCompiler) enum(t reflect.Type, class string) typedNode {
	desc := tc.types.world.describe(class)
	as := tc.types.learn(class)
	if desc == nil || as == nil || desc.Kind != java.KindEnum || len(tc.types.universe.classes.Variants(class)) > 1 {
		return tc.assigned(t, nil)
	}
	n := &enumNode{kind: t.Kind(), as: as, byName: map[string]int{}}
	for i, constant := range desc.Constants {
		c := as
		if constant.Body != "" {
			c = tc.types.learn(constant.Body)
		}
		n.names, n.classes = append(n.names, constant.Name), append(n.classes, c)
		n.byName[constant.Name] = i
		if c == nil {
			tc.stuck = true
		}
	}
	return n
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

// slice returns the node of a slice type.
func (tc *typedCompiler) slice(t reflect.Type, declared java.TypeExpr, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	if t.Elem().Kind() == reflect.Uint8 {
		as := tc.types.learn("[B")
		if t != bytesType || as == nil || declared.String() != "byte[]" && !tc.declares(declared) {
			return keep(tc.assigned(t, ctx))
		}
		return keep(&bytesNode{typ: t, as: as})
	}
	if declared.Dims > 0 {
		return tc.array(t, declared, keep)
	}
	class := java.ClassArrayList
	switch {
	case tc.declares(declared, "java.lang.Iterable", "java.util.Collection", "java.util.List", java.ClassArrayList):
	case tc.declares(declared, "java.util.LinkedList", "java.util.Queue"):
		class = "java.util.LinkedList"
	case tc.declares(declared, "java.util.Set", java.ClassHashSet, "java.util.LinkedHashSet"):
		class, tc.reads = java.ClassHashSet, true
	default:
		return keep(tc.assigned(t, ctx))
	}
	n := &listNode{typ: t, elem: t.Elem(), size: t.Elem().Size(), as: tc.types.learn(class), ctx: ctx, strings: t == reflect.TypeFor[[]string]()}
	keep(n)
	known, elem := tc.scope.Element(ctx)
	n.slot.node = tc.node(t.Elem(), typedArgument(declared, 0), elem, false)
	n.slot.expect, n.uniform = n.slot.node.usual(), uniform(n.slot.node)
	n.fixed = ctx == nil || len(ctx.Args) == 0 || ctx.Args[0].Var == ""
	n.slot.class = tc.known(known)
	_, n.plain = n.slot.node.(*anyNode)
	return n
}

// array returns the node of a slice declared as an array.
func (tc *typedCompiler) array(t reflect.Type, declared java.TypeExpr, keep func(typedNode) typedNode) typedNode {
	component := declared
	component.Dims--
	name := layout.ArrayName(component.Class, component.Dims)
	n := &listNode{typ: t, elem: t.Elem(), size: t.Elem().Size(), as: tc.types.learn(layout.ArrayName(name, 1))}
	if n.as == nil || t.Elem().Kind() == reflect.Interface {
		return keep(tc.assigned(t, nil))
	}
	keep(n)
	n.fixed, n.array = true, &arrayForm{primitive: component.Primitive()}
	n.strings = t == reflect.TypeFor[[]string]()
	n.slot.node = tc.node(t.Elem(), component, nil, false)
	n.slot.expect, n.uniform = n.slot.node.usual(), uniform(n.slot.node)
	switch {
	case n.array.primitive:
		n.slot.class = tc.known(component.Boxed().Class)
	case component.Dims > 0 || layout.Final(name, tc.types.world.describe):
		n.slot.class = tc.known(name)
	}
	return n
}

// known returns the class of that name, nil for "".
func (tc *typedCompiler) known(name string) *class {
	if name == "" {
		return nil
	}
	c := tc.types.learn(name)
	if c == nil {
		tc.stuck = true
	}
	return c
}

// entries fills what maps and structs carried as maps have in common.
func (tc *typedCompiler) entries(n *entrySlots, class string, ctx *layout.Type) {
	n.as, n.ctx = tc.types.learn(class), ctx
	n.fixed = ctx == nil || len(ctx.Args) != 2 || ctx.Args[0].Var == "" && ctx.Args[1].Var == ""
	e, ok := tc.scope.Entry(ctx)
	if !ok {
		tc.stuck = true
	}
	n.valueCtx = e.ValueCtx
	n.forms = entryForms{key: tc.known(e.Key), value: tc.known(e.Value), nullable: true}
}

func (tc *typedCompiler) mapping(t reflect.Type, declared java.TypeExpr, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	class := java.ClassHashMap
	switch {
	case tc.declares(declared, "java.util.Map", java.ClassHashMap):
	case tc.declares(declared, "java.util.LinkedHashMap"):
		class, tc.reads = "java.util.LinkedHashMap", true
	default:
		return keep(tc.assigned(t, ctx))
	}
	switch t.Key().Kind() {
	case reflect.String, reflect.Int64, reflect.Int32, reflect.Int:
	default:
		return keep(tc.assigned(t, ctx))
	}
	n := &mapNode{typ: t, texts: t == reflect.TypeFor[map[string]string]()}
	if t == reflect.TypeFor[map[string]any]() {
		n.plain = &anyNode{}
	}
	keep(n)
	tc.entries(&n.entrySlots, class, ctx)
	if t.Key().Kind() != reflect.String {
		tc.reads = true
	}
	var keyCtx, valueCtx *layout.Type
	if e, ok := tc.scope.Entry(ctx); ok {
		keyCtx, valueCtx = e.KeyCtx, e.ValueCtx
	}
	n.key = tc.slot(t.Key(), typedArgument(declared, 0), keyCtx)
	n.value = tc.slot(t.Elem(), typedArgument(declared, 1), valueCtx)
	if n.plain != nil {
		n.plain.ctx = valueCtx
	}
	if _, ok := n.key.node.(*textNode); !ok {
		tc.reads = true
	}
	return n
}

func (tc *typedCompiler) slot(t reflect.Type, declared java.TypeExpr, ctx *layout.Type) typedSlot {
	n := tc.node(t, declared, ctx, false)
	return typedSlot{node: n, expect: n.usual()}
}
