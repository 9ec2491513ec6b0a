package bridge

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// CompileOpen is [Compile] for formats whose interfaces take what was registered: the Go
// types that opts.Classes gives a class, the empty one and those that the type
// implements. Interfaces that no registered type implements are mistakes.
//
// The plan describes the type; what interfaces hold is read by the codec, and an error of
// [Plan.Assign]. Under interfaces it lowers beans of registered types and of those that t
// holds otherwise; others are an error, since nothing describes their fields.
func CompileOpen(t reflect.Type, opts codecs.BindOptions) (*Plan, error) {
	return compilePlan(&Node{Go: t}, opts, &openTypes{opts: opts}, true)
}

// openTypes are the Go types that values under interfaces become.
type openTypes struct {
	opts     codecs.BindOptions
	compiled bool
	beans    map[reflect.Type]bool // structs that may be written under interfaces
}

// compileTypes compiles the registered types.
func (o *openTypes) compileTypes(c *compiler) {
	o.compiled, o.beans = true, map[reflect.Type]bool{}
	types := slices.SortedFunc(maps.Keys(o.opts.Classes), func(a, b reflect.Type) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.PkgPath(), b.PkgPath()))
	})
	for _, t := range types {
		c.compile(t, java.TypeExpr{}, "")
	}
}

// finish notes which beans are described.
func (o *openTypes) finish(c *compiler) {
	for _, b := range c.beans {
		o.beans[b.Type] = true
	}
}

// node takes values into interface t.
func (o *openTypes) node(t reflect.Type, declared java.TypeExpr) *node {
	var described Node
	if t == anyType {
		described = Node{Kind: NodeAny, Class: usual(classObject, declared)}
	}
	return &node{
		Node: described, raw: t == anyType,
		assign: func(_ *assigner, v any, _ reflect.Value) error {
			return Misfit(java.ClassOf(v), t, "the codec reads what interfaces hold")
		},
		lower: fittingInterface(declared),
	}
}

// undescribed returns a bean of a compiled type that nothing describes, "" where all
// are described.
func (o *openTypes) undescribed(p *Plan) string {
	for _, b := range p.beans {
		if !o.beans[b.Type] {
			return b.Class
		}
	}
	return ""
}
