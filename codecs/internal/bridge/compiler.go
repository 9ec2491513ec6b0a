package bridge

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// compiler makes the nodes of one plan and gathers all mistakes.
type compiler struct {
	opts     codecs.BindOptions
	open     *openTypes // what interfaces take; nil where they take values as they are
	bound    bool       // the type is one that a codec is bound to
	nodes    map[nodeKey]*node
	zone     *zoneUse // of the field that is compiled
	beans    []Use
	declared []Use
	errs     []error
}

// use notes that values of t are written as class because a type says so.
func (c *compiler) use(t reflect.Type, declared java.TypeExpr, class, path string) {
	if !declared.IsZero() {
		c.declared = append(c.declared, Use{Type: t, Class: class, Path: path})
	}
}

func (c *compiler) fail(t reflect.Type, path, reason string) *node {
	return c.failBy(t, path, reason, nil)
}

func (c *compiler) failBy(t reflect.Type, path, reason string, err error) *node {
	c.errs = append(c.errs, &gotypes.TypeError{Type: t, Path: path, Reason: reason, Err: err})
	return &node{Node: Node{Go: t}}
}

// failDeclared is the error for a declared type that the Go type is no part of.
func (c *compiler) failDeclared(t reflect.Type, declared java.TypeExpr, path string) *node {
	return c.fail(t, path, fmt.Sprintf("it cannot be written as the declared type %s", declared))
}

// nodeKey is a Go type with what is declared for it.
type nodeKey struct {
	typ      reflect.Type
	declared string
}

// compile returns the node for t. A declared type may change what Go values are
// written as; without one, nodes are shared. Both may be recursive.
func (c *compiler) compile(t reflect.Type, declared java.TypeExpr, path string) *node {
	class, err := gotypes.DeclaredClass(t, c.opts)
	if err != nil {
		return c.failBy(t, path, "its Java class is not usable", err)
	}
	if isBean(t, class) && jdk.Holders[declared.Class] == nil {
		if declared.Dims > 0 || declared.Unboxed().Primitive() || declared.Class == "java.lang.String" {
			return c.failDeclared(t, declared, path)
		}
		declared = java.TypeExpr{} // a bean is what it is, whatever the field is declared as
	}
	key := nodeKey{t, declared.String()}
	if n, ok := c.nodes[key]; ok {
		return n
	}
	n := &node{Node: Node{Go: t}}
	c.nodes[key] = n
	made := c.make(t, class, declared, path)
	made.Go, made.Declared, made.of = t, declared, n
	if !declared.IsZero() {
		made.declared = made
		delete(c.nodes, key) // the next one may have mistakes to tell of
	}
	*n = *made
	return n
}

// isBean reports whether t is a struct with a class, or a pointer to one.
func isBean(t reflect.Type, class *java.Class) bool {
	t = gotype.PointedTo(t)
	return class != nil && t.Kind() == reflect.Struct
}

func (c *compiler) make(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	switch {
	case jdk.Holders[declared.Class] != nil && declared.Dims == 0:
		return c.holderNode(t, declared, path)
	case t.Kind() == reflect.Pointer && !jdk.Own(t):
		return c.pointer(t, declared, path)
	case t == timeType:
		return c.timeNode(declared, path)
	case t == durationType:
		return c.durationNode(declared, path)
	case t == reflect.TypeFor[java.UUID]():
		return c.uuidNode(t, declared, path)
	case jdk.Own(t) && t != reflect.TypeFor[java.Char]() && simple(declared, t == reflect.TypeFor[*java.List]()):
		return c.failDeclared(t, declared, path)
	case jdk.Own(t):
		return ownNode(t, declared)
	case t.Kind() == reflect.Struct && jdk.OfType(reflect.PointerTo(t)) != nil:
		return c.fail(t, path, fmt.Sprintf("use a pointer: *%s", t))
	case class == nil && carriesDecimal(t, declared):
		return c.decimalNode(t, declared, path)
	case class != nil && class.Kind == java.KindEnum && (declared.Dims > 0 || declared.Unboxed().Primitive()):
		return c.failDeclared(t, declared, path)
	case class != nil && class.Kind == java.KindEnum:
		return c.enumNode(t, class, declared, path)
	}
	return c.byKind(t, class, declared, path)
}

// simple reports whether a declared type is a primitive, its wrapper or String, or an
// array where lists do not represent one.
func simple(declared java.TypeExpr, list bool) bool {
	if declared.Dims > 0 {
		return !list
	}
	return declared.Unboxed().Primitive() || declared.Class == "java.lang.String"
}

func (c *compiler) pointer(t reflect.Type, declared java.TypeExpr, path string) *node {
	if t.Elem().Kind() == reflect.Pointer {
		return c.fail(t, path, gotype.PointerToPointer)
	}
	if c.opts.Classes[t] != "" && c.opts.Classes[t.Elem()] == "" {
		// The class was given to the pointer: it counts for what it points to.
		inner := *c
		inner.opts.Classes = map[reflect.Type]string{t.Elem(): c.opts.Classes[t]}
		for other, class := range c.opts.Classes {
			if other != t {
				inner.opts.Classes[other] = class
			}
		}
		n := pointerNode(t, inner.compile(t.Elem(), declared, path))
		c.beans, c.declared, c.errs = inner.beans, inner.declared, inner.errs
		return n
	}
	return pointerNode(t, c.compile(t.Elem(), declared, path))
}

func (c *compiler) byKind(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return c.scalarNode(t, declared, path)
	case reflect.Slice:
		return c.sliceNode(t, class, declared, path)
	case reflect.Map:
		return c.mapNode(t, class, declared, path)
	case reflect.Struct:
		return c.structNode(t, class, declared, path)
	case reflect.Interface:
		if c.open != nil && gotype.Implemented(t, c.opts.Classes) {
			return c.open.node(t, declared)
		}
		if t == anyType {
			return plainNode(declared)
		}
		if c.open != nil {
			return c.fail(t, path, "no type in BindOptions.Classes implements it: register those that it may hold (in a declaration by registry.JavaClass)")
		}
		return c.fail(t, path, "only the empty interface can hold Java values")
	case reflect.Array:
		if gotype.IsUUID(t) {
			return c.uuidNode(t, declared, path)
		}
		return c.fail(t, path, "Go arrays have a fixed length, Java's lists have not: use a slice")
	default:
		return c.fail(t, path, "no Java value corresponds to it")
	}
}
