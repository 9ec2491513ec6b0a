package kryo5

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// plan is what a Go type, the empty interface among them, is compiled to. It is safe for
// concurrent use.
type plan struct {
	universe *universe
	java     *bridge.Plan // describes the types, and converts single values
	typ      reflect.Type
	opts     codecs.BindOptions
	first    *tree // in the first world of the universe

	others sync.Map // *world to *tree
}

func newPlan(u *universe, p *bridge.Plan, t reflect.Type, opts codecs.BindOptions, references bool) *plan {
	out := &plan{universe: u, java: p, typ: t, opts: opts}
	out.first = newTree(out, u.first, references)
	return out
}

func (p *plan) in(w *world, references bool) *tree {
	if w == p.first.world {
		return p.first
	}
	if t, ok := p.others.Load(w); ok {
		return t.(*tree)
	}
	t, _ := p.others.LoadOrStore(w, newTree(p, w, references))
	return t.(*tree)
}

// tree is a plan in one world: nodes that know the classes there. It grows with what is
// met inside interfaces, and with the classes that its structs take.
type tree struct {
	plan  *plan
	world *world
	root  slot

	class    string // that a whole payload must have, "" for any
	plainMap bool   // the Go type is map[string]any

	hashMap, arrayList *class
	anything           *anyNode // in a place without a context

	nodes sync.Map // nodeKey to node: all that are complete
	under sync.Map // reflect.Type to *slot: of values inside interfaces
	forms sync.Map // formKey to *beanForm: of classes that structs take beside their own
}

func newTree(p *plan, w *world, references bool) *tree {
	t := &tree{plan: p, world: w}
	c := newCompiler(t)
	t.hashMap, t.arrayList = c.learn(java.ClassHashMap), c.learn(java.ClassArrayList)
	t.anything = c.node(listOfAny().Elem, nil).(*anyNode)
	d := p.java.Described()
	switch {
	case p.typ == anyType:
		t.root = c.framed(&anyNode{place: place{desc: d}, exact: true}, d, nil)
	case references && p.typ == reflect.TypeFor[map[string]any]():
		// Its values are Java values, which keep what is shared.
		t.root = c.framed(&javaNode{place: place{desc: d}, itself: true}, d, nil)
	case references:
		t.root = c.framed(&javaNode{place: place{desc: d}, shared: true}, d, nil)
		t.root.raw = true
	default:
		t.root = c.slot(d, nil)
	}
	c.done()
	t.plainMap = p.typ == reflect.TypeFor[map[string]any]()
	if p.typ.Kind() == reflect.Struct || p.typ.Kind() == reflect.Pointer && p.typ.Elem().Kind() == reflect.Struct {
		t.class = gotypes.ClassName(p.typ, p.opts.Classes)
	}
	return t
}

// underAny returns the slot for values of a type inside an interface; nil for those that
// are Java values.
func (t *tree) underAny(typ reflect.Type) (*slot, error) {
	if s, ok := t.under.Load(typ); ok {
		return s.(*slot), nil
	}
	d, err := t.plan.java.Under(typ)
	if err != nil {
		return nil, bridge.Named(name, err)
	}
	var s *slot
	if d != nil {
		c := newCompiler(t)
		made := c.slot(d, nil)
		c.done()
		s = &made
	}
	t.under.Store(typ, s)
	return s, nil
}

// node returns the node of a described type in a place with that context.
func (t *tree) node(d *bridge.Node, ctx *layout.Type) node {
	if n, ok := t.nodes.Load(nodeKey{d, ctx}); ok {
		return n.(node)
	}
	c := newCompiler(t)
	n := c.node(d, ctx)
	c.done()
	return n
}

// any returns the node of what an interface holds in a place with that context.
func (t *tree) any(ctx *layout.Type) *anyNode {
	if ctx == nil {
		return t.anything
	}
	return t.node(listOfAny().Elem, ctx).(*anyNode)
}

// untyped is the Java plan of values without a bound type.
var untyped = sync.OnceValue(func() *bridge.Plan {
	p, err := bridge.Compile(anyType, codecs.BindOptions{})
	if err != nil {
		panic(err) // the empty interface takes every value
	}
	return p
})

// listOfAny describes []any.
var listOfAny = sync.OnceValue(func() *bridge.Node {
	d, err := untyped().Under(reflect.TypeFor[[]any]())
	if err != nil {
		panic(err) // it takes every list
	}
	return d
})

// readRoot reads a whole payload into the zero variable at p.
func (t *tree) readRoot(d *decoder, p memory.Place) error {
	start := d.at
	c, err := d.class(t.root.expect, "")
	switch {
	case err != nil:
		return err
	case c == nil:
		return t.root.null(d, start)
	case t.plainMap && (!c.mapping || d.references):
		v, err := d.object(c, nil)
		if err != nil {
			return err
		}
		m, ok := java.Plain(v).(map[string]any)
		if !ok {
			return noPlainMap(-1, v)
		}
		*memory.At[map[string]any](p) = m
		return nil
	case t.class == "" || c == t.root.expect || d.references:
		return t.root.body(d, c, p)
	case c.bean == nil || c.name == java.ReferenceClass:
		v, err := d.body(c, nil)
		if err != nil {
			return err
		}
		return misfit(start, t.plan.java.Assign(v, memory.PointerTo(t.plan.typ, p)))
	case !t.descends(c):
		return misfit(start, bridge.Misfit(c.name, t.plan.typ, "the payload is of another class: the Go type is "+t.class))
	}
	return t.root.body(d, c, p)
}

// descends reports whether a class, by its description, is that of the Go type or extends it.
func (t *tree) descends(c *class) bool {
	if c.name == t.class {
		return true
	}
	if c.bean.prepare(t.world) != nil {
		return true // reading says why
	}
	for i := range c.bean.fields {
		if c.bean.fields[i].Level == t.class {
			return true
		}
	}
	return false
}

// noPlainMap is the error for a value that is no map with String keys.
func noPlainMap(start int, v any) error {
	const goType = "map[string]any"
	reason, class := "does not go into Go type "+goType, java.ClassOf(v)
	if m, isMap := v.(*java.Map); isMap {
		reason, class = fmt.Sprintf("a key is not a String: it %s; use *java.Map", reason), m.Class
	} else if class == java.ReferenceClass {
		reason += ": " + bridge.ReferenceReason(v)
	}
	return &codecs.DecodeError{Codec: name, Class: class, Offset: start, Reason: reason}
}
