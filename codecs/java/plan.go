package java

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

// Plan carries values of one Go type to Java values and back. Compile one with
// [Compile]; it is immutable and safe for concurrent use. The package comment has
// the table of types.
//
// # From Java to Go
//
// A Go type takes the Java values it can hold without loss; anything else is an
// [*AssignError] with its path.
//
//   - Integers take Byte, Short, Integer, Long and BigInteger that fit. Floats
//     take Float, Double and integers that they hold exactly. bool, []byte and the
//     types of this package take their own kind. string takes String and [Text],
//     and what its tag declares. time.Time takes java.util.Date (and java.sql's),
//     Instant and OffsetDateTime; time.Duration takes Duration, and numbers.
//     [16]byte types take UUID, also as text.
//   - Slices take lists, sets and arrays of any class, of primitives too; maps take
//     maps of any class. Structs take maps with String keys, and beans, by the names
//     of [FieldsOf]; names the struct does not have are ignored, fields the payload
//     does not have stay zero. Where a bean has one name at several levels of its
//     inheritance, the level decides, else the first one is that of the subclass.
//   - Go enums take constants of their class, by name or ordinal; one that the
//     declaration does not know is an error.
//   - Optional and the Atomic classes give what they hold; an empty Optional is null.
//   - Null becomes nil in pointers, maps, slices and interfaces, and the zero
//     time.Time. In a struct field that cannot be nil it leaves the zero value, as if
//     it were missing; elsewhere it is an error, so use a pointer.
//   - The empty interface takes everything: as the whole payload the Java value as
//     it is, inside Go maps, slices and structs the plain form of [Plain].
//
// One object of the payload that occurs several times becomes one Go pointer, slice
// or map, for each Go type it goes into: shared pointers stay shared, and cycles
// closed. Where a struct is held by value it is copied.
//
// # From Go to Java
//
// bool, string, []byte and floats become what their names say. int8, int16,
// int32 and int64 become Byte, Short, Integer and Long; int is an Integer and an
// error when it needs more than 32 bits. uint8, uint16 and uint32 become the
// next wider one (Short, Integer, Long), uint is an Integer and uint64 a Long
// where they fit. time.Time becomes java.util.Date, cut to milliseconds, and the
// zero time null. Slices become java.util.ArrayList, maps and structs
// java.util.HashMap in the order of [HashOrder]. A type expression in a field's
// tag chooses another class: java.lang.Long, java.util.LinkedList<…>,
// java.time.Instant, int[]. A type variable of the class, and a wildcard without
// bound, choose none.
// A nil pointer, map, slice or interface becomes null.
// Inside an interface, the slices that carry arrays of primitives ([]int32,
// []float64 and so on) become those arrays, everywhere else lists.
//
// A struct with a Java class (see [ClassName]) becomes an [*Object] with its
// fields in the order of [FieldsOf]; [Plan.Beans] lists those types, for codecs
// that must refuse them.
type Plan struct {
	root    *node
	plans   *planCache
	beans   []BeanUse
	classes []ClassUse
}

// ClassUse is one class that a declared type makes a Go value be written as.
type ClassUse struct {
	Type  reflect.Type
	Class string
	Path  string // field path
}

// BeanUse is one struct type with a Java class inside a compiled type.
type BeanUse struct {
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
// the error joins [*TypeError] and [*TagError] values.
func Compile(t reflect.Type, opts codecs.BindOptions) (*Plan, error) {
	return compilePlan(t, opts, nil)
}

func compilePlan(t reflect.Type, opts codecs.BindOptions, open *openTypes) (*Plan, error) {
	if t == nil {
		return nil, &TypeError{Reason: "no type given"}
	}
	c := &compiler{opts: opts, open: open, nodes: map[nodeKey]*node{}}
	if open != nil && open.nodes == nil {
		open.compileTypes(c)
		defer open.finish(c)
	}
	root := c.compile(t, TypeExpr{}, "")
	if t == anyType && (open == nil || len(opts.Classes) == 0) {
		root = rawNode()
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	p := &Plan{root: root, plans: newPlanCache(opts), beans: c.beans, classes: c.declared}
	if open != nil {
		p.plans = &planCache{opts: opts, open: open}
	}
	return p, nil
}

// CompileAs makes the plan for a described type in its place. Unlike the plan of
// [CompileOpen], whose interfaces it has, it makes plain Go values for any.
func CompileAs(n *Node, opts codecs.BindOptions) (*Plan, error) {
	open := &openTypes{opts: opts}
	c := &compiler{opts: opts, open: open, nodes: map[nodeKey]*node{}}
	open.compileTypes(c)
	c.zone = &zoneUse{zone: n.Zone}
	root := c.compile(n.Go, n.Declared, "")
	open.finish(c)
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return &Plan{root: root, plans: &planCache{opts: opts, open: open}, beans: c.beans, classes: c.declared}, nil
}

// Beans returns the struct types with a Java class, in the order in which they
// were met. The caller must not change it.
func (p *Plan) Beans() []BeanUse { return p.beans }

// Classes returns the classes that type expressions choose, so that codecs can
// refuse those they cannot write. The caller must not change it.
func (p *Plan) Classes() []ClassUse { return p.classes }

// Assign stores v, a value as codecs decode it, in the variable that target
// points to. Target must be a non-nil pointer to the compiled type. The error is
// an [*AssignError]; the variable is in an unspecified state then. Parts of v may
// be shared with the variable.
func (p *Plan) Assign(v, target any) error {
	dst, err := p.variable(target)
	if err != nil {
		return err
	}
	var s assigner
	return s.assign(p.root, v, dst)
}

func (p *Plan) variable(target any) (reflect.Value, error) {
	ptr := reflect.ValueOf(target)
	if ptr.Kind() != reflect.Pointer || ptr.IsNil() || ptr.Type().Elem() != p.root.Go {
		return reflect.Value{}, &AssignError{
			Type: p.root.Go, Reason: fmt.Sprintf("the target is %T, not a pointer to the bound type", target),
		}
	}
	return ptr.Elem(), nil
}

// Lower returns the Java form of value, which must have the compiled type.
// The error is a [*LowerError]. Parts of value may be shared with the result.
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
		return nil, &LowerError{Type: reflect.TypeOf(value), Reason: fmt.Sprintf("the bound type is %s", p.root.Go)}
	}
	return s.lower(p.root, v)
}
