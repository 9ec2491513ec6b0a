package fst

import (
	"cmp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// form says what a class becomes in Go.
type form int

const (
	formObject form = iota // *java.Object
	formList               // *java.List
	formMap                // *java.Map
	formValue              // what finish makes of the fields
)

// class is one Java class as this codec reads it.
type class struct {
	name string
	form form
	// read reads a body for which FST has its own serializer. It registers
	// what it reads for the tag at offset at. Nil for all others.
	read func(d *decoder, c *class, at int) (any, error)
	// hooked classes use JDK serialization hooks somewhere in their chain:
	// they are read level by level. Others are plain: all fields at once.
	hooked bool
	levels []level
	fields []field
	// own names the levels of a collection or map that are the user's and have
	// fields; nil where there are none.
	own map[string]bool
	// finish turns the fields into the value (formValue), or completes a list,
	// map or object.
	finish func(d *decoder, b *build) error
	// older is the class as JDK 8 has it, where that differs; wasOlder looks at
	// what follows and tells which one wrote it.
	older    *class
	wasOlder func(d *decoder) bool
	// enum are the constants in order; nil for unknown ones.
	enum   *java.Class
	isEnum bool
	// missing says why the class cannot be read; empty for those that can.
	missing string
	// elem is the component of an array class, with dims ≥ 1; empty for others.
	elem string
	dims int
}

// level is one class of a hooked chain.
type level struct {
	class  string
	fields []field
	// tail reads what writeObject wrote behind the fields; nil for nothing.
	tail func(d *decoder, b *build) error
	// custom reads what writeObject wrote, fields and all, for users' classes.
	custom func(in *Input) []any
	// closed levels belong to classes of which nobody said what their
	// writeObject writes: they are readable only where they have none.
	closed bool
}

// field is one field of a class.
type field struct {
	name   string
	level  string // declaring class
	kind   byte   // code of a primitive, 0 for references
	simple string // simple name of the declared type
	typ    string // binary name of the declared type, as Class.getName gives it
}

func newField(level, name string, t java.TypeExpr) field {
	f := field{name: name, level: level, simple: simpleName(t), typ: t.Class}
	if t.Dims > 0 {
		f.typ = jdk.ArrayName(t.Class, t.Dims)
		return f
	}
	if code := jdk.Primitives[t.Class]; code != "" {
		f.kind = code[0]
	}
	return f
}

// sortFields puts fields into the order of the wire: booleans, then other
// primitives, then references; among them by simple name of the declared type,
// field name and declaring class (FSTClazzInfo.defFieldComparator).
func sortFields(fields []field) []field {
	slices.SortStableFunc(fields, func(a, b field) int {
		return cmp.Or(
			cmp.Compare(group(a), group(b)),
			javatext.Compare(a.simple, b.simple),
			javatext.Compare(a.name, b.name),
			javatext.Compare(a.level, b.level),
		)
	})
	return fields
}

func group(f field) int {
	switch f.kind {
	case 'Z':
		return 0
	case 0:
		return 2
	}
	return 1
}

// simpleName is Class.getSimpleName: without package and outer classes, with []
// for each dimension. A class whose own name holds a $ cannot be told from a
// nested one; its descriptor then sorts wrongly.
func simpleName(t java.TypeExpr) string {
	s := t.Class[strings.LastIndexByte(t.Class, '.')+1:]
	if i := strings.LastIndexByte(s, '$'); i >= 0 && i < len(s)-1 {
		s = strings.TrimLeft(s[i+1:], "0123456789") // Outer$1Local is Local
	}
	return s + strings.Repeat("[]", t.Dims)
}
