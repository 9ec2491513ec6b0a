package databind

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
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

// bindTypeless completes a binding of a codec without classes.
func (c *Codec) bindTypeless(b *binding, t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	set, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(c.Name(), t, err)
	}
	b.beans, b.top = describe(set, &c.rules), c.declareType(t, set, opts)
	b.typed = b.compile(t, opts)
	return b, nil
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
		return &declared{slot: slotTree, object: true, exact: true}
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

// typelessValue reads the value at i where no class is named.
func (r *reader) typelessValue(i int, d *declared) (any, error) {
	if d.exact && r.bare {
		r.bare = false
		v, err := r.untyped(i)
		r.bare = true
		return v, err
	}
	k := &r.tape.Tokens[i]
	if d.bean != nil {
		if o, ok := r.again(i); ok {
			return o, nil
		}
	}
	switch {
	case d.object || k.Kind == token.Null:
		return r.untyped(i)
	case d.bean != nil && k.Kind == token.Object:
		return r.beanMembers(i, d.bean)
	case d.element != nil && k.Kind == token.Object:
		return r.declaredMap(i, java.ClassHashMap, -1, d)
	case d.element != nil && k.Kind == token.Array:
		return r.listBy(i, ClassNone, func(e int) (any, error) { return r.declaredValue(e, d.element) })
	case d.class == classUUID && k.Kind == token.Array && k.N == 2 && r.tape.Tokens[i+1].Kind == token.String:
		return r.uuid(i + 2) // Redisson 4.2.0 to 4.4.x named it
	case d.class == classUUID && k.Kind != token.Array:
		return r.uuid(i)
	case timeClass(d.class):
		return r.time(d.class, i)
	case d.class == "[B" && k.Kind == token.Array:
		return r.byteArray(i)
	case d.class == "" || k.Kind == token.Array || k.Kind == token.Object:
		return r.untyped(i)
	}
	return r.declaredScalar(i, d.class)
}

// beanMembers reads the members of an object that the bean has.
func (r *reader) beanMembers(i int, b *bean) (any, error) {
	o := &java.Object{Class: b.class, Fields: make([]java.Field, 0, min(int(r.tape.Tokens[i].N), len(b.fields)))}
	at := make([]int, len(b.fields)) // 1 + the index in o.Fields
	err := r.members(i, -1, func(key, value int) error {
		f, known := b.byName[string(r.tape.Text(&r.tape.Tokens[key]))]
		if !known {
			return nil
		}
		v, err := r.declaredValue(value, b.fields[f].declared)
		if err != nil {
			return err
		}
		if at[f] > 0 {
			o.Fields[at[f]-1].Value = v
			return nil
		}
		o.Fields = append(o.Fields, java.Field{Name: b.fields[f].name, Value: v})
		at[f] = len(o.Fields)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.remember(o)
	return o, nil
}

// declaredMap reads a map whose values are declared, and the texts of its keys.
func (r *reader) declaredMap(i int, class string, skip int, d *declared) (any, error) {
	v, err := r.entries(i, class, skip, func(e int) (any, error) { return r.declaredValue(e, d.element) })
	if m, ok := v.(*java.Map); ok && d.key != "" {
		for e := range m.Entries {
			if text, isText := m.Entries[e].Key.(string); isText {
				m.Entries[e].Key = r.codec.rules.enumName(d.key, text)
			}
		}
	}
	return v, err
}

// asObject returns a struct without a class, which package java lowers to a map, as
// the object it is here.
func asObject(v any) any {
	m, ok := v.(*java.Map)
	if !ok || m == nil {
		return v
	}
	o := &java.Object{Fields: make([]java.Field, 0, len(m.Entries))}
	for _, e := range m.Entries {
		name, _ := e.Key.(string)
		o.Fields = append(o.Fields, java.Field{Name: name, Value: e.Value})
	}
	return o
}

// wrapped reports whether the value at i is a wrapper array.
func (r *reader) wrapped(i int) bool {
	if r.tape.Tokens[i].Kind != token.Array {
		return false
	}
	_, ok := r.wrapper(i, false)
	return ok
}
