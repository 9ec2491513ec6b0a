package kryo5

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// fieldChecker compares the Go types of fields with what the fields are declared
// as, and refuses those whose values Java could not read.
type fieldChecker struct {
	world *world
	opts  codecs.BindOptions
	seen  map[reflect.Type]bool
	errs  []error
}

// check returns an error for each class of a Go type that cannot be laid out, for each declared
// type that cannot be written, and for each field that cannot be what its tag says.
func (u *universe) check(t reflect.Type, own *java.Classes, plan *bridge.Plan, opts codecs.BindOptions) []error {
	k := &fieldChecker{world: u.first, opts: opts, seen: map[reflect.Type]bool{}}
	for _, use := range plan.Classes() {
		// Interfaces and other classes that are not known may be any class that is written.
		reason := ""
		if c := u.first.class(use.Class); c != nil && c.readOnly {
			reason = unwritable(use.Class, c)
		} else if c != nil && c.write == nil {
			reason = c.reason
		}
		if reason != "" {
			k.fail(use.Type, use.Path, "the class "+use.Class+" of its declared type: "+reason)
		}
	}
	for desc := range own.All() {
		if c := u.first.byName[desc.Name]; c != nil && c.bean != nil {
			if err := c.bean.prepare(u.first); err != nil {
				k.fail(t, "", err.Error())
			}
		}
	}
	k.walk(t, "")
	return k.errs
}

// walk visits the structs in t that have a Java class.
func (k *fieldChecker) walk(t reflect.Type, path string) {
	if k.seen[t] || gotypes.IsValue(t) {
		return
	}
	k.seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		k.walk(t.Elem(), path)
	case reflect.Slice:
		k.walk(t.Elem(), errpath.Join(path, "[]"))
	case reflect.Map:
		k.walk(t.Key(), errpath.Join(path, "[key]"))
		k.walk(t.Elem(), errpath.Join(path, "[]"))
	case reflect.Struct:
		fields, err := gotypes.FieldsOf(t, k.opts)
		if err != nil {
			return // said by others
		}
		for _, f := range fields {
			at := errpath.Join(path, f.GoName)
			if f.Level != "" {
				k.check(f.GoType, f.Declared, k.world.describe(f.Level), at)
			}
			k.walk(f.GoType, at)
		}
	default:
	}
}

// check compares Go type t with the type that a field of class level is declared
// as, at any depth of its type arguments.
func (k *fieldChecker) check(t reflect.Type, declared java.TypeExpr, level *java.Class, path string) {
	if declared.IsZero() || declared.Variance == java.Unbounded || level != nil && level.Variable(declared) {
		return
	}
	if strings.HasPrefix(declared.Class, "java.util.Optional") || strings.HasPrefix(declared.Class, "java.util.concurrent.atomic.Atomic") {
		return // the Go type is that of the value they hold, which package java has checked
	}
	if declared.Primitive() && t.Kind() == reflect.Pointer {
		k.fail(t, path, fmt.Sprintf("nil is no %s: drop the pointer, or declare the field as %s", declared, declared.Boxed()))
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if class := gotypes.ClassName(t, k.opts.Classes); class != "" {
		to := jdk.ArrayName(declared.Class, declared.Dims)
		if declared.Variance != java.Super && class != to && (layout.Final(to, k.world.describe) || !k.world.assignable(to, class)) {
			k.fail(t, path, fmt.Sprintf("it represents %s, which Java cannot put where %s is declared", class, declared))
		}
		return
	}
	element := bridge.Argument(declared, 0)
	if declared.Dims > 0 {
		element = declared
		element.Dims--
	}
	switch t.Kind() {
	case reflect.Slice:
		k.check(t.Elem(), element, level, errpath.Join(path, "[]"))
	case reflect.Map:
		k.check(t.Key(), element, level, errpath.Join(path, "[key]"))
		k.check(t.Elem(), bridge.Argument(declared, 1), level, errpath.Join(path, "[]"))
	default:
	}
}

func (k *fieldChecker) fail(t reflect.Type, path, reason string) {
	k.errs = append(k.errs, &codecs.BindError{Codec: name, Type: t, Path: path, Reason: reason})
}
