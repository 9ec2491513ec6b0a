package kryo5

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// plan is what a Go type, the empty interface among them, is compiled to. It is safe for
// concurrent use.
type plan struct {
	universe *universe
	java     *java.Plan // describes the types, and converts single values
	typ      reflect.Type
	opts     codecs.BindOptions
	first    *tree // in the first world of the universe

	others sync.Map // *world to *tree
}

func newPlan(u *universe, p *java.Plan, t reflect.Type, opts codecs.BindOptions, references bool) *plan {
	out := &plan{universe: u, java: p, typ: t, opts: opts}
	out.first = newTree(out, u.first, references)
	return out
}

// in returns the tree for a world.
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

	hashMap *class
	plain   *anyNode // without a context

	nodes sync.Map // nodeKey to node: all that are complete
	under sync.Map // reflect.Type to *slot: of values inside interfaces
	forms sync.Map // formKey to *beanForm: of classes that structs take beside their own
}

func newTree(p *plan, w *world, references bool) *tree {
	t := &tree{plan: p, world: w}
	c := newCompiler(t)
	t.hashMap = c.learn(java.ClassHashMap)
	t.plain = c.node(listOfAny().Elem, nil).(*anyNode)
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
	t.class, t.plainMap = p.rootClass(), p.typ == reflect.TypeFor[map[string]any]()
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
		return nil, java.EncodeError(name, err)
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
func (t *tree) node(d *java.Node, ctx *layout.Type) node {
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
		return t.plain
	}
	return t.node(listOfAny().Elem, ctx).(*anyNode)
}
