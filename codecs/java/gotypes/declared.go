// Package gotypes says what Go types are for Java: the class that a struct, an enum or a
// collection represents, its fields with their declared types, and the struct tags behind
// them. Codecs and tools ask it; programs write tags and JavaClass methods, see package java.
package gotypes

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// DeclaredClass returns the class that t itself is declared to be, nil for none,
// and checks that a type of its kind can represent it.
func DeclaredClass(t reflect.Type, opts codecs.BindOptions) (*java.Class, error) {
	if jdk.Own(t) || t == reflect.TypeFor[time.Time]() {
		return nil, nil
	}
	decl := declarationOf(t, opts.Classes)
	if decl == "" {
		return nil, nil
	}
	class, err := java.ParseClass(decl)
	if err != nil {
		return nil, err
	}
	t = gotype.PointedTo(t)
	switch t.Kind() {
	case reflect.Struct:
		if class.Kind == java.KindEnum {
			return nil, errors.New("an enum is a named string or integer type")
		}
		if from := promotedFrom(t, opts); from != nil {
			return nil, fmt.Errorf("it takes the Java class %s from the embedded %s: give it its own JavaClass method, "+
				"or name it in BindOptions.Classes if it represents that very class", class.Name, from)
		}
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if class.Kind != java.KindEnum || len(class.Constants) == 0 {
			return nil, fmt.Errorf("a %s type is an enum: declare it as enum %s {…} with its constants", t.Kind(), class.Name)
		}
	case reflect.Slice, reflect.Map:
		return class, checkContainer(t, class)
	default:
		return nil, fmt.Errorf("a %s type cannot represent the class %s", t.Kind(), class.Name)
	}
	return class, nil
}

// checkContainer checks the class of a slice or map type: a collection of its own.
func checkContainer(t reflect.Type, class *java.Class) error {
	if class.Kind != java.KindBean {
		return fmt.Errorf("a %s type is an ordinary class that extends one of the JDK's collections", t.Kind())
	}
	table := jdk.Lists
	if t.Kind() == reflect.Map {
		table = jdk.Maps
	}
	if class.Super.IsZero() || table[class.Super.Class] == "" {
		return fmt.Errorf("say which collection it extends, such as %s extends java.util.ArrayList<…>", class.Name)
	}
	return nil
}

// promotedFrom returns the embedded struct whose JavaClass method t has for want
// of its own, or nil.
func promotedFrom(t reflect.Type, opts codecs.BindOptions) reflect.Type {
	if opts.Classes[t] != "" || opts.Classes[reflect.PointerTo(t)] != "" {
		return nil
	}
	decl := declarationOf(t, nil)
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && declarationOf(f.Type, nil) == decl {
			return f.Type
		}
	}
	return nil
}

// TypeError says why a Go type cannot carry Java values. Codecs report it as
// codecs.BindError.
type TypeError struct {
	Type   reflect.Type // the Go type at fault
	Path   string       // field path from the compiled type; empty at the root
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *TypeError) Error() string {
	return errpath.Line(fmt.Sprintf("Go type %s", e.Type), e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *TypeError) Unwrap() error { return e.Err }
