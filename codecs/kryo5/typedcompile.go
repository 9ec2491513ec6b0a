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
// for leaves the plan that have no typed way, in one direction or both.
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
	of     *java.Node
	ctx    *layout.Type
	inside bool
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
func byValue(t reflect.Type) bool { return t == decimalType || t == charType || inPlace[t] }

// node returns the node of a described type in a place with that context.
func (tc *typedCompiler) node(d *java.Node, ctx *layout.Type, inside bool) typedNode {
	key := typedKey{d, ctx, inside && d.Kind == java.NodeTime}
	if n, ok := tc.nodes[key]; ok {
		return n
	}
	keep := func(n typedNode) typedNode {
		tc.nodes[key] = n
		return n
	}
	var n typedNode
	switch d.Kind {
	case java.NodeTime:
		n = tc.time(d.Class, inside)
	case java.NodeAny:
		if d.Class != "" {
			n = &anyNode{ctx: ctx}
		}
	case java.NodeValue:
		n = tc.value(d, ctx)
	case java.NodeScalar, java.NodeDuration:
		n = tc.scalar(d.Go.Kind(), d.Class)
	case java.NodeEnum:
		n = tc.enum(d.Go, d.Class)
	case java.NodeBytes:
		if as := tc.types.learn("[B"); d.Go == bytesType && d.Class == "[B" && as != nil {
			n = &bytesNode{typ: d.Go, as: as}
		}
	case java.NodePointer:
		if e := d.Elem; e.Kind != java.NodeDuration && (e.Kind != java.NodeValue || byValue(e.Go)) {
			p := &pointerNode{elem: e.Go, kind: e.Go.Kind()}
			keep(p)
			p.node = tc.node(e, ctx, false)
			return p
		}
	case java.NodeSlice:
		n = tc.slice(d, ctx, keep)
	case java.NodeMap:
		n = tc.mapping(d, ctx, keep)
	case java.NodeBean:
		n = tc.bean(d, ctx, keep)
	case java.NodeStruct:
		n = tc.structure(d, ctx, keep)
	default:
	}
	if n == nil {
		n = tc.assigned(d.Go, ctx)
	}
	return keep(n)
}

// assigned returns the node of a type that has no typed way.
func (tc *typedCompiler) assigned(t reflect.Type, ctx *layout.Type) typedNode {
	tc.reads, tc.assigns = true, true
	plan, err := java.Compile(t, tc.opts)
	if err != nil || t == anyType {
		tc.stuck = true
	}
	return &assignNode{typ: t, ctx: ctx, plan: plan}
}

func (tc *typedCompiler) time(class string, inside bool) typedNode {
	if !isDate(class) && class != "java.time.Instant" {
		return nil
	}
	return &timeNode{instant: tc.types.learn("java.time.Instant"), inside: inside, as: tc.types.learn(class)}
}

// value returns the node of a type of package java, nil where it has none.
func (tc *typedCompiler) value(d *java.Node, ctx *layout.Type) typedNode {
	switch {
	case d.Class == "":
	case d.Go == decimalType:
		return &decimalNode{as: tc.types.learn(d.Class)}
	case d.Go == charType:
		return &charNode{as: tc.types.learn(d.Class)}
	case inPlace[d.Go]:
		v, _ := java.ValueTypeOf(d.Go)
		return &ownNode{typ: d.Go, ctx: ctx, as: tc.types.learn(d.Class), zeroNull: v.ZeroIsNull}
	}
	return nil
}

// scalar returns the node of a basic kind, nil where its class is not one of the
// usual ones.
func (tc *typedCompiler) scalar(kind reflect.Kind, class string) typedNode {
	usual := class == java.ScalarType(kind).Boxed().Class
	switch kind {
	case reflect.Bool:
		if usual {
			return &boolNode{as: tc.types.learn(class)}
		}
	case reflect.String:
		if usual {
			return &textNode{as: tc.types.learn(class)}
		}
	case reflect.Float64, reflect.Float32:
		if usual {
			return &floatNode{double: kind == reflect.Float64, as: tc.types.learn(class)}
		}
	default:
		switch class {
		case "java.lang.Byte", "java.lang.Short", "java.lang.Integer", "java.lang.Long":
			return &intNode{kind: kind, as: tc.types.learn(class)}
		}
	}
	return nil
}

// enum returns the node of a Go enum, nil where it has none.
func (tc *typedCompiler) enum(t reflect.Type, class string) typedNode {
	desc := tc.types.world.describe(class)
	as := tc.types.learn(class)
	if desc == nil || as == nil || desc.Kind != java.KindEnum || len(tc.types.universe.classes.Variants(class)) > 1 {
		return nil
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

// slice returns the node of a slice type, nil where it has none.
func (tc *typedCompiler) slice(d *java.Node, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	switch d.Class {
	case java.ClassArrayList, "java.util.LinkedList":
	case java.ClassHashSet, "java.util.LinkedHashSet":
		tc.reads = true
	default:
		if d.Declared.Dims > 0 {
			return tc.array(d, keep)
		}
		return nil
	}
	n := tc.list(d)
	n.ctx, n.as = ctx, tc.types.learn(d.Class)
	keep(n)
	known, elem := tc.scope.Element(ctx)
	n.slot.node = tc.node(d.Elem, elem, false)
	n.slot.expect, n.uniform = n.slot.node.usual(), uniform(n.slot.node)
	n.fixed = ctx == nil || len(ctx.Args) == 0 || ctx.Args[0].Var == ""
	n.slot.class = tc.known(known)
	_, n.plain = n.slot.node.(*anyNode)
	return n
}

func (tc *typedCompiler) list(d *java.Node) *listNode {
	t := d.Go
	return &listNode{typ: t, elem: t.Elem(), size: t.Elem().Size(), strings: t == reflect.TypeFor[[]string]()}
}

// array returns the node of a slice declared as an array.
func (tc *typedCompiler) array(d *java.Node, keep func(typedNode) typedNode) typedNode {
	n := tc.list(d)
	if n.as = tc.types.learn(d.Class); n.as == nil || n.elem.Kind() == reflect.Interface {
		return nil
	}
	keep(n)
	component := d.Declared
	component.Dims--
	name := layout.ArrayName(component.Class, component.Dims)
	n.fixed, n.array = true, &arrayForm{primitive: component.Primitive()}
	n.slot.node = tc.node(d.Elem, nil, false)
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

func (tc *typedCompiler) mapping(d *java.Node, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	t := d.Go
	switch d.Class {
	case java.ClassHashMap:
	case "java.util.LinkedHashMap":
		tc.reads = true
	default:
		return nil
	}
	switch t.Key().Kind() {
	case reflect.String:
	case reflect.Int64, reflect.Int32, reflect.Int:
		tc.reads = true
	default:
		return nil
	}
	n := &mapNode{typ: t, texts: t == reflect.TypeFor[map[string]string]()}
	if t == reflect.TypeFor[map[string]any]() {
		n.plain = &anyNode{}
	}
	keep(n)
	tc.entries(&n.entrySlots, d.Class, ctx)
	var keyCtx, valueCtx *layout.Type
	if e, ok := tc.scope.Entry(ctx); ok {
		keyCtx, valueCtx = e.KeyCtx, e.ValueCtx
	}
	n.key = tc.slot(d.Key, keyCtx)
	n.value = tc.slot(d.Elem, valueCtx)
	if n.plain != nil {
		n.plain.ctx = valueCtx
	}
	if _, ok := n.key.node.(*textNode); !ok {
		tc.reads = true
	}
	return n
}

func (tc *typedCompiler) slot(d *java.Node, ctx *layout.Type) typedSlot {
	n := tc.node(d, ctx, false)
	return typedSlot{node: n, expect: n.usual()}
}
