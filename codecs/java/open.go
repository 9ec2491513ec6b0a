package java

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// CompileOpen is [Compile] for formats whose interfaces take what was registered. A
// value of a class that opts.Classes gives a Go type becomes that type wherever an
// interface takes it, the empty one or one that the type implements: a struct that is
// registered by its pointer becomes a pointer. Of two types of one class the first one
// by name counts. Interfaces that no registered type implements are mistakes.
//
// Under interfaces it writes beans of registered types and of those that t holds
// otherwise; others are an error, since nothing describes their fields.
func CompileOpen(t reflect.Type, opts codecs.BindOptions) (*Plan, error) {
	return compilePlan(t, opts, &openTypes{opts: opts}, true)
}

// openTypes are the Go types that values under interfaces become.
type openTypes struct {
	opts  codecs.BindOptions
	nodes map[string]*node      // by class
	beans map[reflect.Type]bool // structs that may be written under interfaces
}

// compileTypes compiles the registered types.
func (o *openTypes) compileTypes(c *compiler) {
	o.nodes, o.beans = map[string]*node{}, map[reflect.Type]bool{}
	types := slices.SortedFunc(maps.Keys(o.opts.Classes), func(a, b reflect.Type) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.PkgPath(), b.PkgPath()))
	})
	for _, t := range types {
		class, err := declaredClass(t, o.opts)
		if err != nil || class == nil {
			c.compile(t, TypeExpr{}, "") // says what is wrong
			continue
		}
		n := c.compile(t, TypeExpr{}, "")
		if o.nodes[class.Name] == nil {
			o.nodes[class.Name] = n
		}
	}
}

// finish notes which beans are described.
func (o *openTypes) finish(c *compiler) {
	for _, b := range c.beans {
		o.beans[b.Type] = true
	}
}

// implemented reports whether a registered type implements interface t.
func implemented(t reflect.Type, classes map[reflect.Type]string) bool {
	for registered := range classes {
		if registered.Implements(t) || reflect.PointerTo(registered).Implements(t) {
			return true
		}
	}
	return false
}

// node takes values into interface t.
func (o *openTypes) node(t reflect.Type, declared TypeExpr) *node {
	var described Node
	if t == anyType {
		described = Node{Kind: NodeAny, Class: usual(objectClass, declared)}
	}
	return &node{
		Node: described, raw: t == anyType,
		assign: func(s *assigner, v any, dst reflect.Value) error { return o.assign(s, v, dst) },
		lower:  lowerInterface,
	}
}

func (o *openTypes) assign(s *assigner, v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	out, err := o.value(s, v, dst.Type())
	if err != nil {
		return err
	}
	at := reflect.ValueOf(out)
	switch {
	case at.Type().AssignableTo(dst.Type()):
		dst.Set(at)
	case reflect.PointerTo(at.Type()).AssignableTo(dst.Type()):
		p := reflect.New(at.Type())
		p.Elem().Set(at)
		dst.Set(p)
	default:
		return &AssignError{Class: ClassOf(v), Type: dst.Type(), Reason: fmt.Sprintf("%s does not implement it: register the Go type of the class", at.Type())}
	}
	return nil
}

// value returns what an interface of type t takes for v.
func (o *openTypes) value(s *assigner, v any, t reflect.Type) (any, error) {
	if n := o.nodes[ClassOf(v)]; n != nil {
		dst := reflect.New(n.Go).Elem()
		if err := s.assign(n, v, dst); err != nil {
			return nil, err
		}
		return dst.Interface(), nil
	}
	switch v := v.(type) {
	case *List:
		if v == nil {
			return v, nil
		}
		return o.list(s, v, t)
	case *Map:
		if v == nil {
			return v, nil
		}
		return o.mapping(s, v, t)
	}
	return v, nil
}

func (o *openTypes) list(s *assigner, l *List, t reflect.Type) (any, error) {
	if err := s.enter(l, t); err != nil {
		return nil, err
	}
	out := make([]any, len(l.Elements))
	for i, e := range l.Elements {
		v, err := o.value(s, e, t)
		if err != nil {
			return nil, under(fmt.Sprintf("[%d]", i), err)
		}
		out[i] = v
	}
	s.leave()
	return out, nil
}

// mapping is like [Plain]: where not all keys are Strings it stays a [*Map].
func (o *openTypes) mapping(s *assigner, m *Map, t reflect.Type) (any, error) {
	if err := s.enter(m, t); err != nil {
		return nil, err
	}
	entries := make([]Entry, len(m.Entries))
	for i, e := range m.Entries {
		v, err := o.value(s, e.Value, t)
		if err != nil {
			return nil, under(Key(e.Key), err)
		}
		entries[i] = Entry{e.Key, v}
	}
	s.leave()
	if !stringsOnly(m) {
		return &Map{Class: m.Class, Entries: entries, Comparator: m.Comparator, Of: m.Of, Form: m.Form}, nil
	}
	out := make(map[string]any, len(entries))
	for _, e := range entries {
		out[e.Key.(string)] = e.Value
	}
	return out, nil
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
