package kryo5

import (
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/java"
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

	nodes sync.Map // nodeKey to node: all that are complete
	under sync.Map // reflect.Type to *slot: of values inside interfaces
	forms sync.Map // formKey to *beanForm: of classes that structs take beside their own
}

func newTree(p *plan, w *world, references bool) *tree {
	t := &tree{plan: p, world: w}
	c := newCompiler(t)
	t.hashMap = c.learn(java.ClassHashMap)
	d := p.java.Described()
	switch {
	case p.typ == anyType:
		t.root = c.framed(asNode(&wholeNode{place{desc: d}}, nil), d, nil)
	case references && p.typ == reflect.TypeFor[map[string]any]():
		// Its values are Java values, which keep what is shared.
		t.root = c.framed(asNode(&plainGraph{wholeNode{place{desc: d}}}, nil), d, nil)
	case references:
		n := &graphNode{plan: p}
		n.desc = d
		t.root = c.framed(asNode(n, nil), d, nil)
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

// wholeNode carries a payload as the Java value that it is.
type wholeNode struct{ place }

func (n *wholeNode) usual() *class { return nil }

func (n *wholeNode) value(_ *encoder, p memory.Place) (any, error) { return *memory.At[any](p), nil }

func (n *wholeNode) read(d *decoder, c *class, p memory.Place) (err error) {
	*memory.At[any](p), err = d.object(c, nil)
	return err
}

// plainGraph carries a whole payload with references as a map[string]any.
type plainGraph struct{ wholeNode }

func (n *plainGraph) value(_ *encoder, p memory.Place) (any, error) {
	return *memory.At[map[string]any](p), nil
}

// graphNode carries a whole payload with references. One object may be met as several Go
// types there, and pointers that are one must stay one: package java sees to both, between
// the variable and the Java values, which keep what is shared.
type graphNode struct {
	place
	plan *plan
}

func (n *graphNode) usual() *class { return nil }

func (n *graphNode) value(_ *encoder, p memory.Place) (any, error) {
	v, err := n.plan.java.LowerShared(n.variable(p).Interface())
	return v, java.EncodeError(name, err)
}

func (n *graphNode) read(d *decoder, c *class, p memory.Place) error {
	start := d.at
	v, err := d.object(c, nil)
	if err != nil {
		return err
	}
	return misfit(start, n.plan.java.Assign(v, memory.PointerTo(n.desc.Go, p)))
}
