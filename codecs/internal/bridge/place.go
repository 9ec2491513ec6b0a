package bridge

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// AssignTo stores v in dst, a variable of the type that n, a node of p, describes, as
// [Plan.Assign] stores a whole value. It is for codecs that read most values into their variables
// themselves, and leave to the plan what needs to be converted. The error is a [*codecs.DecodeError].
func (p *Plan) AssignTo(n *Node, v any, dst reflect.Value) error {
	return (&assigner{}).assign(n.of, v, dst)
}

// LowerFrom returns the Java form of v, a value of the type that n, a node of p, describes, as
// [Plan.Lower] returns that of a whole value. The error is an [*codecs.EncodeError].
func (p *Plan) LowerFrom(n *Node, v reflect.Value) (any, error) {
	s := newLowerer(p.plans, false)
	return n.of.lower(s, v)
}

// Under describes a type that is met inside an interface, nil for the types whose values are
// Java values as they are. The error is an [*codecs.EncodeError].
func (p *Plan) Under(t reflect.Type) (*Node, error) {
	if jdk.Own(t) || jdk.ArrayClass(t) != "" {
		return nil, nil
	}
	n, err := p.plans.find(t)
	if err != nil {
		return nil, err
	}
	return &n.Node, nil
}

// find returns the node of a type that is met inside an interface. The error is a
// [*codecs.EncodeError].
func (p *planCache) find(t reflect.Type) (*node, error) {
	cached, ok := p.types.Load(t)
	if !ok {
		cached = p.compile(t)
		p.types.Store(t, cached)
	}
	if err, bad := cached.(error); bad {
		return nil, &codecs.EncodeError{Type: t, Reason: "no Java value corresponds to it", Err: err}
	}
	return cached.(*node), nil
}
