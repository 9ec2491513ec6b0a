package databind

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// typeless describes Go types for the codecs that name no classes. What is declared
// is all they have to go by, for Java as for Go: a struct needs no class, a type
// argument is what the Go type has there.
type typeless struct {
	rules *Rules
	opts  codecs.BindOptions
	set   *java.Classes
	beans map[reflect.Type]*bean // types may contain themselves
}

// declareType returns what Go type t makes of values of a codec without classes.
func (c *Codec) declareType(t reflect.Type, set *java.Classes, opts codecs.BindOptions) *declared {
	k := &typeless{rules: &c.rules, opts: opts, set: set, beans: map[reflect.Type]*bean{}}
	return k.declare(t, java.TypeExpr{})
}

func (k *typeless) declare(t reflect.Type, tag java.TypeExpr) *declared {
	if tag.Dims == 0 && tag.Class != "" && !strings.Contains(tag.Class, ".") && !tag.Primitive() {
		tag = java.TypeExpr{} // a type variable
	}
	switch tag.Class {
	case "", "java.lang.Object", "java.lang.Number", "java.lang.Comparable", "java.io.Serializable":
		tag = java.TypeExpr{} // of all Go types that go there
	}
	if (tag.Class == classOptional || tag.Class == classAtomicReference) && tag.Dims == 0 && len(tag.Args) == 1 {
		return k.declare(t, tag.Args[0])
	}
	if t.Kind() == reflect.Pointer && !java.IsValue(t.Elem()) {
		return k.declare(t.Elem(), tag)
	}
	declaration := java.DescribeType(t, tag, k.opts)
	switch {
	case t.Kind() == reflect.Interface:
		return &declared{slot: slotTree, object: true}
	case t == reflect.TypeFor[*java.Map](), t == reflect.TypeFor[*java.List](), t == reflect.TypeFor[*java.Object]():
		return &declared{slot: slotTree, object: true}
	case t.Kind() == reflect.Struct && !java.IsValue(t) && declaration.Class != classBigDecimal:
		return &declared{slot: slotTree, bean: k.bean(t)}
	case t == reflect.TypeFor[[]java.Char]() && tag.Dims == 1 && tag.Class == "char":
		return &declared{slot: slotTree, class: "[C"}
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return &declared{slot: slotTree, element: k.declare(t.Elem(), elementTag(tag))}
	case t.Kind() == reflect.Map:
		d := &declared{slot: slotTree, element: k.declare(t.Elem(), elementTag(tag))}
		if key := java.DescribeType(t.Key(), java.TypeExpr{}, k.opts).Class; k.rules.hasTexts(key) {
			d.key = key
		}
		return d
	}
	described := declaration.Boxed()
	if described.Dims > 0 {
		return &declared{slot: slotTree, class: "[B"}
	}
	if described.Class == classUUID && k.rules.leaksUUID() {
		return &declared{slot: slotOpen, class: classUUID}
	}
	return &declared{slot: slotTree, class: described.Class, primitive: tag.Primitive()}
}

// elementTag returns the declared type of elements, or of the values of a map.
func elementTag(tag java.TypeExpr) java.TypeExpr {
	if tag.Dims > 0 {
		tag.Dims--
		return tag
	}
	if n := len(tag.Args); n > 0 {
		return tag.Args[n-1]
	}
	return java.TypeExpr{}
}

// bean describes a struct. Mistakes in its fields were reported when its plan was made.
func (k *typeless) bean(t reflect.Type) *bean {
	if b, ok := k.beans[t]; ok {
		return b
	}
	b := &bean{class: java.ClassName(t, k.opts.Classes), byName: map[string]int{}}
	k.beans[t] = b
	fields, _ := java.BoundFieldsOf(t, k.opts)
	for _, own := range [...]bool{true, false} {
		for _, f := range fields {
			if _, taken := b.byName[f.Name]; taken || own != (f.Level == b.class) {
				continue
			}
			b.byName[f.Name] = 0
			b.fields = append(b.fields, beanField{name: f.Name, level: f.Level, declared: k.declare(f.GoType, f.Type)})
		}
	}
	found := k.set.Find(b.class)
	b.order(found != nil && found.Kind == java.KindRecord && k.rules.keepsOrder())
	return b
}
