// Package bridge carries values of package java to Go types and back, and describes Go types
// for codecs that read and write them without such values. It knows no bytes.
package bridge

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Plan carries values of one Go type to Java values and back, as the comment of package
// java says. Compile one with [Compile]; it is immutable and safe for concurrent use.
type Plan struct {
	root    *node
	plans   *planCache
	beans   []Use
	classes []Use
	only    *rootClass // nil where the type leaves the class of the whole payload open
}

// Use is one Java class that a compiled type names: of a struct, or by a declared type.
type Use struct {
	Type  reflect.Type
	Class string
	Path  string // field path of its first use
}

// node is the plan of one type. Nodes of recursive types point to each other.
type node struct {
	Node
	assign func(s *assigner, v any, dst reflect.Value) error
	lower  func(s *lowerer, v reflect.Value) (any, error)
	// declared is the node itself where a declared type decides what comes of a
	// value, nil otherwise.
	declared *node
	// raw nodes take an Optional as the object it is, not as what it holds.
	raw bool
}

// Compile makes the plan for Go type t. Every mistake in the type is reported:
// the error joins [*gotypes.TypeError] and [*gotypes.TagError] values.
func Compile(t reflect.Type, opts codecs.BindOptions) (*Plan, error) {
	return compilePlan(&Node{Go: t}, opts, nil, true)
}

// CompileAs makes the plan for a described type in its place. Unlike the plan of
// [CompileOpen], whose interfaces it has, it makes plain Go values for any.
func CompileAs(n *Node, opts codecs.BindOptions) (*Plan, error) {
	return compilePlan(n, opts, &openTypes{opts: opts}, false)
}

// compilePlan compiles the plan of a type in its place: of the whole type that is bound, or of a
// part of it or what a value under an interface turns out to be.
func compilePlan(at *Node, opts codecs.BindOptions, open *openTypes, bound bool) (*Plan, error) {
	if at.Go == nil {
		return nil, &gotypes.TypeError{Reason: "no type given"}
	}
	c := &compiler{opts: opts, open: open, bound: bound, nodes: map[nodeKey]*node{}, zone: &zoneUse{zone: at.Zone}}
	if open != nil && !open.compiled {
		open.compileTypes(c)
		defer open.finish(c)
	}
	root := c.compile(at.Go, at.Declared, "")
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	p := &Plan{root: root, plans: newPlanCache(opts), beans: c.beans, classes: c.declared}
	if open != nil {
		p.plans = &planCache{opts: opts, open: open}
	}
	if bound {
		p.only = rootClassOf(at.Go, opts)
		if at.Go == anyType && (open == nil || len(opts.Classes) == 0) { // it takes the value as it is
			root.assign = func(_ *assigner, v any, dst reflect.Value) error { return setAny(v, dst) }
		}
	}
	return p, nil
}

// Beans returns the struct types with a Java class, in the order in which they
// were met. The caller must not change it.
func (p *Plan) Beans() []Use { return p.beans }

// Classes returns the classes that type expressions choose, so that codecs can
// refuse those they cannot write. The caller must not change it.
func (p *Plan) Classes() []Use { return p.classes }

// Assign stores v, a value as codecs decode it, in the variable that target
// points to. Target must be a non-nil pointer to the compiled type. The error is
// a [*codecs.DecodeError]; the variable is in an unspecified state then. Parts of v may
// be shared with the variable.
func (p *Plan) Assign(v, target any) error {
	if err := p.ofClass(v); err != nil {
		return err
	}
	return p.AssignUnnamed(v, target)
}

// AssignUnnamed is [Plan.Assign] for formats whose payloads do not name their class: it is not
// compared with that of the Go type.
func (p *Plan) AssignUnnamed(v, target any) error {
	dst, err := p.variable(target)
	if err != nil {
		return err
	}
	return (&assigner{}).assign(p.root, v, dst)
}

// rootClass is the class that a whole payload must have.
type rootClass struct {
	name   string
	fields map[string]bool // of the Go type, by their names in Java
}

func rootClassOf(t reflect.Type, opts codecs.BindOptions) *rootClass {
	class := gotypes.ClassName(t, opts.Classes)
	if class == "" || gotype.PointedTo(t).Kind() != reflect.Struct {
		return nil
	}
	r := &rootClass{name: class, fields: map[string]bool{}}
	fields, _ := gotypes.FieldsOf(t, opts)
	for _, f := range fields {
		r.fields[f.Name] = true
	}
	return r
}

// takes reports whether v is of the class, or of a subclass, where the payload tells that. A map
// is taken that has one of the fields.
func (r *rootClass) takes(v any) bool {
	switch v := v.(type) {
	case *java.Object:
		return v == nil || v.Class == "" || v.Class == java.ReferenceClass || v.Class == r.name ||
			slices.ContainsFunc(v.Fields, func(f java.Field) bool { return f.Level == r.name })
	case *java.Map:
		return v == nil || v.Class == "" || v.Class == r.name || len(v.Entries) == 0 || slices.ContainsFunc(v.Entries, func(e java.Entry) bool {
			key, ok := e.Key.(string)
			return ok && r.fields[key]
		})
	}
	return true
}

// ofClass returns an error for a whole payload of another class than the Go type's: a struct
// takes what has its names, and would be empty.
func (p *Plan) ofClass(v any) error {
	if p.only == nil || p.only.takes(v) {
		return nil
	}
	return Misfit(java.ClassOf(v), p.root.Go, "the payload is of another class: the Go type is "+p.only.name)
}

func (p *Plan) variable(target any) (reflect.Value, error) {
	ptr := reflect.ValueOf(target)
	if ptr.Kind() != reflect.Pointer || ptr.IsNil() || ptr.Type().Elem() != p.root.Go {
		return reflect.Value{}, Misfit("", p.root.Go, fmt.Sprintf("the target is %T, not a pointer to the bound type", target))
	}
	return ptr.Elem(), nil
}

// Lower returns the Java form of value, which must have the compiled type.
// The error is an [*codecs.EncodeError]. Parts of value may be shared with the result.
// What pointers share becomes as many Java values, and a cycle is an error.
func (p *Plan) Lower(value any) (any, error) { return p.lower(value, false) }

// LowerShared is [Plan.Lower] for formats with references, see the function
// [LowerShared].
func (p *Plan) LowerShared(value any) (any, error) { return p.lower(value, true) }

func (p *Plan) lower(value any, share bool) (any, error) {
	if value == nil && p.root.Go.Kind() == reflect.Interface {
		return nil, nil
	}
	v := reflect.ValueOf(value)
	s := newLowerer(p.plans, share)
	if p.root.Go.Kind() == reflect.Interface && v.IsValid() && v.Type().Implements(p.root.Go) {
		return s.lowerAny(v)
	}
	if !v.IsValid() || v.Type() != p.root.Go {
		return nil, &codecs.EncodeError{Type: reflect.TypeOf(value), Reason: fmt.Sprintf("the bound type is %s", p.root.Go)}
	}
	return p.root.lower(s, v)
}
