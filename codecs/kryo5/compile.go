package kryo5

import (
	"math/big"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// compiler makes nodes of a tree. Each Go type has a node: what is too unusual for one of
// its own has a [javaNode].
type compiler struct {
	*tree
	scope layout.Scope     // without bindings
	made  map[nodeKey]node // which may not be complete
	named map[string]*class
}

func newCompiler(t *tree) *compiler {
	c := &compiler{tree: t, made: map[nodeKey]node{}, named: map[string]*class{}}
	c.scope.Reset(t.world.finder)
	return c
}

// done shares the nodes that were made, so that a tree has each once.
func (c *compiler) done() {
	for key, n := range c.made {
		c.nodes.LoadOrStore(key, n)
	}
}

// nodeKey is what a node depends on.
type nodeKey struct {
	of  *bridge.Node
	ctx *layout.Type
}

var (
	anyType     = reflect.TypeFor[any]()
	bytesType   = reflect.TypeFor[[]byte]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	charType    = reflect.TypeFor[java.Char]()
	bigType     = reflect.TypeFor[*big.Int]()
)

// learn returns the class of that name, nil where there is none that can be read and written.
func (c *compiler) learn(name string) *class {
	known, ok := c.named[name]
	if !ok {
		if known = c.world.class(name); known != nil && (known.read == nil || known.write == nil) {
			known = nil
		}
		c.named[name] = known
	}
	return known
}

// known returns the class of that name, nil for "".
func (c *compiler) known(name string) *class {
	if name == "" {
		return nil
	}
	if k := c.learn(name); k != nil {
		return k
	}
	return c.world.must(name)
}

func (c *compiler) slot(d *bridge.Node, ctx *layout.Type) slot {
	return c.framed(c.node(d, ctx), d, ctx)
}

// framed returns the slot of a node.
func (c *compiler) framed(n node, d *bridge.Node, ctx *layout.Type) slot {
	s := slot{node: n, place: place{desc: d, ctx: ctx}, expect: n.usual(), base: ctx.Declared()}
	s.nullable = c.plan.java.AssignTo(d, nil, reflect.New(d.Go).Elem()) == nil
	s.raw = d.Kind != bridge.NodeHolder && (d.Go == anyType || d.Go == reflect.TypeFor[*java.Object]())
	return s
}

// field returns the slot of a field or another place that null leaves zero.
func (c *compiler) field(d *bridge.Node, ctx *layout.Type) slot {
	s := c.slot(d, ctx)
	s.nullable = true
	return s
}

// node returns the node of a described type in a place with that context.
func (c *compiler) node(d *bridge.Node, ctx *layout.Type) node {
	if d.Kind == bridge.NodeAny {
		d = listOfAny().Elem
	}
	key := nodeKey{d, ctx}
	if n, ok := c.made[key]; ok {
		return n
	}
	if n, ok := c.nodes.Load(key); ok {
		return n.(node)
	}
	at := place{desc: d, ctx: ctx}
	n := c.single(d, at)
	if n == nil {
		n = c.container(d, at)
	}
	if n == nil {
		n = &javaNode{place: at, as: c.learn(d.Class)}
	}
	c.made[key] = n
	return n
}

// single returns the node of a type that holds no others, nil where it has none.
func (c *compiler) single(d *bridge.Node, at place) node {
	as := c.learn(d.Class)
	only := alone{place: at, as: as}
	switch d.Kind {
	case bridge.NodeAny:
		return c.any(at)
	case bridge.NodeTime:
		if as != nil && (dates[d.Class] || d.Class == "java.time.Instant") {
			return &timeNode{alone: only, instant: c.learn("java.time.Instant")}
		}
	case bridge.NodeValue:
		switch {
		case as != nil && d.Go == decimalType:
			return &formNode[java.BigDecimal]{only, decimals}
		case as != nil && d.Go == charType:
			return &formNode[java.Char]{only, chars}
		case d.Go != bigType || as != nil:
			return &javaNode{place: at, as: as, itself: true, orNull: jdk.OfType(d.Go).ZeroIsNull || d.Go.Kind() == reflect.Pointer}
		}
	case bridge.NodeScalar, bridge.NodeDuration:
		if as != nil {
			return c.scalar(d, only)
		}
	case bridge.NodeEnum:
		if n := c.enum(d, at); n != nil {
			return n
		}
	case bridge.NodeBytes:
		if d.Go == bytesType && as != nil {
			return &bytesNode{only}
		}
	default:
	}
	return nil
}

// any returns the node of an interface, with those of the containers in it.
func (c *compiler) any(at place) *anyNode {
	n := &anyNode{place: at}
	c.made[nodeKey{at.desc, at.ctx}] = n
	n.entries.place = at
	c.entries(&n.entries, at.ctx)
	n.list = c.node(listOfAny(), at.ctx).(*listNode)
	n.values = c.node(at.desc, n.entries.form.valueCtx).(*anyNode)
	return n
}

// scalar returns the node of a basic kind, nil where its class is not one of the usual ones.
func (c *compiler) scalar(d *bridge.Node, only alone) node {
	kind := d.Go.Kind()
	usual := d.Class == gotypes.ScalarType(kind).Boxed().Class
	switch {
	case kind == reflect.Bool && usual:
		return &formNode[bool]{only, bools}
	case kind == reflect.String && usual:
		return &textNode{only}
	case kind == reflect.Float64 && (usual || d.Class == "java.lang.Float"), kind == reflect.Float32 && usual:
		return &floatNode{alone: only, double: kind == reflect.Float64}
	case kind == reflect.Bool || kind == reflect.String || kind == reflect.Float64 || kind == reflect.Float32:
		return nil
	}
	switch d.Class {
	case "java.lang.Byte", "java.lang.Short", "java.lang.Integer", "java.lang.Long":
		return &intNode{alone: only, kind: kind}
	}
	return nil
}

// container returns the node of a type that holds others, nil where it has none. What is not
// written as it is, has a [javaNode] that reads by it.
func (c *compiler) container(d *bridge.Node, at place) node {
	key := nodeKey{at.desc, at.ctx}
	as := c.learn(d.Class)
	asIs := false
	switch d.Kind {
	case bridge.NodePointer:
		asIs = true
	case bridge.NodeHolder:
	case bridge.NodeSlice:
		asIs = as != nil && (as.component != "" || asGiven(as))
	case bridge.NodeMap:
		text := d.Key.Kind == bridge.NodeScalar && d.Key.Go.Kind() == reflect.String && d.Key.Class == "java.lang.String"
		asIs = as != nil && text && d.Class == java.ClassHashMap
	case bridge.NodeBean, bridge.NodeStruct:
		asIs = as != nil && (as.bean != nil || d.Kind == bridge.NodeStruct && d.Class == java.ClassHashMap)
	default:
		return nil
	}
	keep := func(n node) { c.made[key] = n } // it may contain itself
	if !asIs {
		lowered := &javaNode{place: at, as: as}
		c.made[key] = lowered
		keep = func(n node) { lowered.reads = n }
	}
	switch d.Kind {
	case bridge.NodePointer:
		n := &pointerNode{place: at}
		keep(n)
		n.elem = c.node(d.Elem, at.ctx)
	case bridge.NodeHolder:
		keep(c.node(d.Elem, nil))
	case bridge.NodeSlice:
		c.slice(at, as, keep)
	case bridge.NodeMap:
		c.mapping(at, as, keep)
	default:
		if !asIs {
			as = nil
		}
		c.structure(at, as, keep)
	}
	return c.made[key]
}

func (c *compiler) slice(at place, as *class, keep func(node)) {
	d := at.desc
	n := &listNode{place: at, as: as, size: d.Elem.Go.Size(), strings: d.Go == reflect.TypeFor[[]string]()}
	n.plain = d.Go == reflect.TypeFor[[]any]()
	keep(n)
	var class *class
	var elem *layout.Type
	if d.Declared.Dims > 0 {
		n.fixed, n.array = true, true
		switch {
		case as == nil:
		case as.list:
			class = c.known(c.world.elementClass(as))
		default: // of primitives
			class = c.known(java.TypeExpr{Class: as.component}.Boxed().Class)
		}
	} else {
		var known string
		known, elem = c.scope.Element(at.ctx)
		n.fixed = at.ctx == nil || len(at.ctx.Args) == 0 || at.ctx.Args[0].Var == ""
		class = c.known(known)
	}
	n.slot = c.slot(d.Elem, elem)
	n.slot.class = class
	n.uniform = uniform(n.slot.node)
}

// asGiven reports whether the elements of a slice are written to a class as they are: to a
// list that takes everything.
func asGiven(c *class) bool {
	switch c.name {
	case java.ClassArrayList, "java.util.LinkedList", "java.util.Vector", "java.util.concurrent.CopyOnWriteArrayList":
		return true
	}
	return false
}

// uniform returns the class of all values of a node whose values are never null and have
// one class, else nil.
func uniform(n node) *class {
	switch n.(type) {
	case *intNode, *floatNode, *formNode[bool], *textNode, *formNode[java.Char], *formNode[java.BigDecimal], *structNode:
		return n.usual()
	}
	return nil
}

// entries fills what maps and structs have in common.
func (c *compiler) entries(n *entrySlots, ctx *layout.Type) {
	n.fixed = ctx == nil || len(ctx.Args) != 2 || ctx.Args[0].Var == "" && ctx.Args[1].Var == ""
	n.form, n.sound = newEntryForm(&c.scope, ctx, c.known)
}

func (c *compiler) mapping(at place, as *class, keep func(node)) {
	d := at.desc
	n := &mapNode{texts: d.Go == reflect.TypeFor[map[string]string]()}
	n.place, n.as = at, as
	keep(n)
	c.entries(&n.entrySlots, at.ctx)
	n.key = c.slot(d.Key, n.form.keyCtx)
	n.value = c.slot(d.Elem, n.form.valueCtx)
	if d.Go == reflect.TypeFor[map[string]any]() {
		n.any = c.node(d.Elem, at.ctx).(*anyNode)
	}
	n.doubtful = d.Key.Go.Kind() == reflect.Interface || d.Key.Go.Kind() == reflect.Struct
}

func (c *compiler) structure(at place, as *class, keep func(node)) {
	d := at.desc
	n := &structNode{byName: map[string]int{}}
	n.place, n.as = at, as
	keep(n)
	c.entries(&n.entrySlots, at.ctx)
	names := make([]string, 0, len(d.Fields))
	for i, f := range d.Fields {
		other, twice := n.byName[f.Name]
		if !twice || f.Level == d.Class && d.Fields[other].Level != d.Class {
			n.byName[f.Name] = i
		}
		if !twice {
			names = append(names, f.Name)
		}
		n.omits = n.omits || f.Format.OmitsEmpty()
		field := entryField{name: f.Name, offset: f.Offset, slot: c.field(f.Node, n.form.valueCtx)}
		if wire, ok := appendString([]byte{idString}, f.Name); ok && !twice && wire[1] < 0x80 {
			field.wire = wire
		}
		n.fields = append(n.fields, field)
	}
	keyorder.Strings(names)
	for _, name := range names {
		n.order = append(n.order, n.byName[name])
	}
	if d.Kind == bridge.NodeBean && as != nil {
		n.own = c.form(n, as)
	}
}

// form returns how objects of class k fill a struct, and how its own class is written.
func (c *compiler) form(n *structNode, k *class) *beanForm {
	f := &beanForm{class: k}
	if f.err = k.bean.prepare(c.world); f.err != nil {
		return f
	}
	f.layout = k.bean.layout
	f.binds = n.ctx != nil && len(n.ctx.Args) > 0 && f.layout.Generic()
	taken := map[int]bool{}
	for i := range k.bean.fields {
		b := &k.bean.fields[i]
		out := beanSlot{of: b, skip: true}
		if at, known := n.taker(b, k); known {
			own := n.desc.Fields[at]
			out.again, taken[at] = taken[at], true
			out.own = own.Level == b.Level
			out.offset = own.Offset
			c.beanSlot(&out, own.Node)
		}
		f.fields = append(f.fields, out)
	}
	for i := range n.desc.Fields {
		own := &n.desc.Fields[i]
		if !k.hasField(&java.Field{Name: own.Name, Level: own.Level}) && f.missing == "" {
			f.missing = own.Name
		}
	}
	return f
}

func (c *compiler) beanSlot(out *beanSlot, d *bridge.Node) {
	b := out.of
	out.skip, out.slot = false, c.field(d, b.Type)
	switch {
	case b.known != nil:
		out.slot.class = c.known(b.known.name)
	case b.Type != nil && b.Type.Var != "":
		out.bound = true
	}
	if b.Form == layout.Open {
		out.slot.declared, out.slot.base = b.Class, b.Class
		if own, ok := out.slot.node.(*anyNode); ok && !javaName(b.Class) {
			exact := *own // the class of a library, which a map or slice of Go would lose
			exact.exact, out.slot.node = true, &exact
		}
	}
	_, text := out.slot.node.(*textNode)
	out.text = text && b.Form == layout.Text
	out.direct = (b.Form == layout.Primitive || b.Form == layout.Text) && uniform(out.slot.node) == out.slot.class
}

func (c *compiler) enum(d *bridge.Node, at place) node {
	as := c.learn(d.Class)
	if as == nil || as.enum == nil || as.name != as.enum.name {
		return nil
	}
	own, err := gotypes.ClassesOf(d.Go, c.plan.opts)
	if err != nil {
		return nil
	}
	if is := own.Find(d.Class); is == nil || !slices.EqualFunc(is.Constants, as.enum.desc.Constants, func(x, y java.Constant) bool { return x.Name == y.Name }) {
		return nil // two descriptions that do not number the same names
	}
	n := &enumNode{place: at, as: as, kind: d.Go.Kind(), ordinals: map[string]int{}}
	for i := range as.enum.desc.Constants {
		k, _ := as.enum.desc.Enum(i)
		n.names = append(n.names, k.Name)
		n.classes = append(n.classes, c.world.constantClass(as, k, i))
		n.ordinals[k.Name] = i
		n.bodies = n.bodies || as.enum.desc.Constants[i].Body != ""
	}
	return n
}
