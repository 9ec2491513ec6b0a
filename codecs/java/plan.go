package java

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

// Plan carries values of one Go type to Java values and back. Compile one with
// [Compile]; it is immutable and safe for concurrent use.
//
// # From Java to Go
//
// A Go type takes the Java values it can hold without loss; anything else is an
// [*AssignError] with its path.
//
//   - Integers take Byte, Short, Integer, Long and BigInteger that fit. Floats
//     take Float, Double and integers that they hold exactly. bool, string,
//     []byte and the types of this package take their own kind; time.Time takes
//     java.util.Date (and java.sql's) and Instant.
//   - Slices take lists, sets and arrays of any class, maps take maps of any
//     class. Structs take maps with String keys, and beans, by the names of
//     [FieldsOf]; names the struct does not have are ignored, fields the payload
//     does not have stay zero.
//   - Null becomes nil in pointers, maps, slices and interfaces. In a struct
//     field that cannot be nil it leaves the zero value, as if it were missing;
//     elsewhere it is an error, so use a pointer.
//   - The empty interface takes everything: as the whole payload the Java value as
//     it is, inside Go maps, slices and structs the plain form of [Plain].
//
// # From Go to Java
//
// bool, string, []byte and floats become what their names say. int8, int16,
// int32 and int64 become Byte, Short, Integer and Long; int is an Integer and an
// error when it needs more than 32 bits. uint8, uint16 and uint32 become the
// next wider one (Short, Integer, Long), uint is an Integer and uint64 a Long
// where they fit. time.Time becomes java.util.Date, cut to milliseconds. Slices
// become java.util.ArrayList, maps and structs java.util.HashMap in the order of
// [HashOrder]. A type expression in a field's tag chooses another class:
// java.lang.Long, java.util.LinkedList<…>, java.time.Instant.
// A nil pointer, map, slice or interface becomes null.
//
// A struct with a Java class (see [ClassName]) becomes an [*Object] with its
// fields in the order of [FieldsOf]; [Plan.Beans] lists those types, for codecs
// that must refuse them.
type Plan struct {
	root    *node
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
	typ    reflect.Type
	assign func(v any, dst reflect.Value) error
	lower  func(v reflect.Value, depth int) (any, error)
}

// maxLowerDepth bounds the nesting of Go values, so that a cycle of pointers is
// an error.
const maxLowerDepth = 10_000

// Compile makes the plan for Go type t. Every mistake in the type is reported:
// the error joins [*TypeError] and [*TagError] values.
func Compile(t reflect.Type, opts codecs.BindOptions) (*Plan, error) {
	if t == nil {
		return nil, &TypeError{Reason: "no type given"}
	}
	c := &compiler{classes: opts.Classes, nodes: map[reflect.Type]*node{}}
	root := c.compile(t, TypeExpr{}, "")
	if t == anyType {
		root = rawNode()
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return &Plan{root: root, beans: c.beans, classes: c.declared}, nil
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
	return p.root.assign(v, dst)
}

func (p *Plan) variable(target any) (reflect.Value, error) {
	ptr := reflect.ValueOf(target)
	if ptr.Kind() != reflect.Pointer || ptr.IsNil() || ptr.Type().Elem() != p.root.typ {
		return reflect.Value{}, &AssignError{
			Type: p.root.typ, Reason: fmt.Sprintf("the target is %T, not a pointer to the bound type", target),
		}
	}
	return ptr.Elem(), nil
}

// Lower returns the Java form of value, which must have the compiled type.
// The error is a [*LowerError]. Parts of value may be shared with the result.
func (p *Plan) Lower(value any) (any, error) {
	if value == nil && p.root.typ.Kind() == reflect.Interface {
		return nil, nil
	}
	v := reflect.ValueOf(value)
	if p.root.typ == anyType {
		return lowerAny(v, 0)
	}
	if !v.IsValid() || v.Type() != p.root.typ {
		return nil, &LowerError{Type: reflect.TypeOf(value), Reason: fmt.Sprintf("the bound type is %s", p.root.typ)}
	}
	return p.root.lower(v, 0)
}

const reasonPointer = "one pointer stands for null: a pointer to a pointer has no meaning in Java"

type compiler struct {
	classes  map[reflect.Type]string
	nodes    map[reflect.Type]*node
	beans    []BeanUse
	declared []ClassUse
	errs     []error
}

// use notes that values of t are written as class because a type says so.
func (c *compiler) use(t reflect.Type, declared TypeExpr, class, path string) {
	if !declared.IsZero() {
		c.declared = append(c.declared, ClassUse{Type: t, Class: class, Path: path})
	}
}

func (c *compiler) fail(t reflect.Type, path, reason string) *node {
	c.errs = append(c.errs, &TypeError{Type: t, Path: path, Reason: reason})
	return &node{typ: t}
}

// compile returns the node for t. A declared type may change what Go values are
// written as; without one, nodes are shared and may be recursive.
func (c *compiler) compile(t reflect.Type, declared TypeExpr, path string) *node {
	if declared.IsZero() {
		if n, ok := c.nodes[t]; ok {
			return n
		}
	}
	n := &node{typ: t}
	if declared.IsZero() {
		c.nodes[t] = n
	}
	var made *node
	switch {
	case t == timeType:
		made = c.timeNode(declared, path)
	case isOwnType(t):
		made = ownNode(t)
	case opaqueStruct(t):
		made = c.fail(t, path, fmt.Sprintf("use a pointer: *%s", t))
	default:
		made = c.byKind(t, declared, path)
	}
	*n = *made
	n.typ = t
	return n
}

func (c *compiler) byKind(t reflect.Type, declared TypeExpr, path string) *node {
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return c.scalarNode(t, declared, path)
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			return c.fail(t, path, reasonPointer)
		}
		return pointerNode(t, c.compile(t.Elem(), declared, path))
	case reflect.Slice:
		return c.sliceNode(t, declared, path)
	case reflect.Map:
		return c.mapNode(t, declared, path)
	case reflect.Struct:
		return c.structNode(t, declared, path)
	case reflect.Interface:
		if t == anyType {
			return plainNode()
		}
		return c.fail(t, path, "only the empty interface can hold Java values")
	case reflect.Array:
		return c.fail(t, path, "Go arrays have a fixed length, Java's lists have not: use a slice")
	default:
		return c.fail(t, path, "no Java value corresponds to it")
	}
}
