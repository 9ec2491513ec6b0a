package databind

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// bean is how Jackson writes and reads one described class; an enum is one too. It is
// the same for all formats, fixed when it is made and shared by both ways.
type bean struct {
	class  string
	final  bool            // it is not named where it is declared
	record bool            // its fields keep their order
	enum   *java.Class     // of an enum, which has no fields
	fields []beanField     // in the order of the bytes
	byName map[string]int  // by the names in the payload
	names  map[string]bool // of the fields in Java, also of those that are left out
	first  []string        // properties that stand before the others
}

// beanField is one property and what its declaration makes of values.
type beanField struct {
	name     string // in Java
	wire     string // in the payload
	level    string // the class that declares it
	declared *place
	format   java.FieldFormat
}

// of returns the value of a field: of those of its name in an inheritance the one that
// hides the others, and whether o has it.
func (f *beanField) of(o *java.Object) (any, bool) {
	first := -1
	for i := range o.Fields {
		field := &o.Fields[i]
		switch {
		case field.Name != f.name:
		case field.Level == "" || field.Level == f.level:
			return field.Value, true
		case first < 0:
			first = i
		}
	}
	if first < 0 {
		return nil, false
	}
	return o.Fields[first].Value, true
}

// described reports whether a description says which fields objects of the class have.
func (b *bean) described() bool { return b != nil && b.byName != nil }

func (b *bean) find(name []byte) *beanField {
	if i, ok := b.byName[string(name)]; ok {
		return &b.fields[i]
	}
	return nil
}

// place is where a value stands: a declared type as far as it decides how the value is
// written, or the slot alone.
type place struct {
	implied bool // nothing is declared: one of places
	slot    slot
	class   string // the class of a bare scalar, for reading; empty where the text says it
	object  bool   // java.lang.Object: what it holds keeps its class
	bean    *bean  // a final class: its objects do not name it
	enum    *bean  // an enum
	// throwable says that a number may refer to an object that was there before.
	throwable bool
	primitive bool   // there is no null, and Jackson 3 refuses to read one
	component bool   // of an array, whose class names it
	element   *place // of lists and arrays, and the values of maps; nil: java.lang.Object
	key       string // the enum that the keys of a map are, where its texts are not the names
	of        *bean  // a class with type arguments: its objects name it
	rules     *Rules // of a field with annotations; nil: those of the codec
	poly      *poly  // how @JsonTypeInfo names the classes of values
	holder    string // the Optional class, or AtomicReference, around a value of this type
}

// describe returns the beans of a set, and what is wrong with the annotations of their fields.
func describe(set *java.Classes, rules *Rules) (map[string]*bean, error) {
	if set.Len() == 0 {
		return nil, nil
	}
	k := &describer{set: set, rules: rules, beans: map[string]*bean{}}
	for c := range set.All() {
		k.bean(c)
	}
	return k.beans, k.err
}

type describer struct {
	set   *java.Classes
	rules *Rules
	beans map[string]*bean
	err   error

	generics map[string]*bean // by the type with its arguments
	polys    polys
}

// bean describes one class with the fields of its superclasses. A field that
// hides one of a superclass is the only one of its name.
func (k *describer) bean(c *java.Class) *bean {
	if b, ok := k.beans[c.Name]; ok {
		return b
	}
	b := k.newBean(c)
	k.beans[c.Name] = b
	if c.Kind == java.KindEnum {
		b.enum = c
		return b
	}
	k.fill(b, c, nil)
	return b
}

func (k *describer) newBean(c *java.Class) *bean {
	b := &bean{class: c.Name, byName: map[string]int{}, names: map[string]bool{}, final: c.Final || c.Kind == java.KindRecord, first: firstOf(c, k.set)}
	if c.Kind == java.KindEnum {
		b.final = !hasBodies(c)
	}
	switch {
	case k.rules.everything():
		b.final = false
	case k.rules.concrete():
		b.final = b.final || k.rules.mapper.Typing == JavaLangObject || !k.isInterface(c.Name)
	}
	return b
}

// fill adds the fields of a class, with what args, where there are some, say of its
// variables.
func (k *describer) fill(b *bean, c *java.Class, args []java.TypeExpr) {
	generic := len(args) > 0
	for level := c; level != nil; level = k.set.Find(level.Super.Class) {
		if generic {
			args = known(level, args)
		}
		for _, f := range level.Fields {
			b.names[f.Name] = true
			wire := k.rules.wire(f.Name, f.Format)
			if wire == "" || b.has(wire) {
				continue
			}
			t := f.Type
			if generic {
				t = t.Substitute(level, args)
			}
			own, err := k.rules.ofField(f.Format, t)
			if err != nil {
				k.err = errors.Join(k.err, fmt.Errorf("field %s of %s: %w", f.Name, level.Name, err))
			}
			b.add(beanField{name: f.Name, wire: wire, level: level.Name, declared: k.declare(t, level).within(own), format: f.Format})
		}
		if level.Super.IsZero() {
			break
		}
		if generic {
			args = level.Super.Substitute(level, args).Args
		}
	}
	b.order(c.Kind == java.KindRecord && k.rules.keepsOrder())
}

// add adds a field, which has its place when all are there: see order.
func (b *bean) add(f beanField) {
	b.byName[f.wire] = len(b.fields)
	b.fields = append(b.fields, f)
}

func (b *bean) order(record bool) {
	if b.record = record; !record {
		slices.SortFunc(b.fields, compareFields)
	}
	if len(b.first) > 0 {
		b.putFirst()
	}
	for i, f := range b.fields {
		b.byName[f.wire] = i
	}
	for i, f := range b.fields {
		for _, alias := range f.format.AliasNames() {
			if !b.has(alias) {
				b.byName[alias] = i
			}
		}
	}
}

// with returns the bean with the fields of o that its description does not have, such as
// those that Java gets from methods; itself where there are none.
func (b *bean) with(o *java.Object) *bean {
	all := &bean{class: b.class, final: b.final, byName: maps.Clone(b.byName), names: b.names, first: b.first, fields: slices.Clone(b.fields)}
	for i := range o.Fields {
		if f := &o.Fields[i]; !b.names[f.Name] && !all.has(f.Name) {
			all.add(beanField{name: f.Name, wire: f.Name, level: f.Level, declared: undescribed})
		}
	}
	if len(all.fields) == len(b.fields) {
		return b
	}
	slices.SortFunc(all.fields[len(b.fields):], compareFields)
	all.order(b.record)
	return all
}

// undescribed is what is known of a field that no description has.
var undescribed = &place{slot: slotOpen}

func (b *bean) has(wire string) bool {
	_, ok := b.byName[wire]
	return ok
}

func compareFields(x, y beanField) int { return javatext.Compare(x.wire, y.wire) }

func hasBodies(c *java.Class) bool {
	return slices.ContainsFunc(c.Constants, func(k java.Constant) bool { return k.Body != "" })
}

// declare returns what a field's type, declared in class c, makes of values.
func (k *describer) declare(t java.TypeExpr, c *java.Class) *place {
	d := k.declared(t, c)
	if t = t.Bounds(c); t.Dims == 0 && d.holder == "" {
		d.poly = k.polys.of(t.Class, k.set)
	}
	return d
}

func (k *describer) declared(t java.TypeExpr, c *java.Class) *place {
	variable := c.Variable(t)
	t = t.Bounds(c)
	if t.Dims > 0 {
		return k.array(t, c)
	}
	if t.Primitive() {
		return &place{slot: slotTree, class: t.Boxed().Class}
	}
	if len(t.Args) == 1 && (t.Class == classAtomicReference || t.Class == classOptional && k.rules.optionals()) {
		d := k.declare(t.Args[0], c)
		d.holder = t.Class
		return d
	}
	contains := listClass(t.Class) || mapClass(t.Class)
	if k.rules.final(t.Class) && (!contains || !k.rules.concrete()) {
		return &place{slot: slotTree, class: t.Class}
	}
	if k.unknown(t.Class) {
		k.err = errors.Join(k.err, fmt.Errorf("with %s values that are declared as %s name their class if it is an interface or abstract, which nothing says: "+
			"declare a class that implements it (%q), or the class itself", k.rules.mapper.Text(), t.Class, "demo.Circle implements "+t.Class))
	}
	if found := k.set.Find(t.Class); found != nil {
		b := k.bean(found)
		switch {
		case b.enum != nil && b.final:
			return &place{slot: slotTree, class: t.Class, enum: b}
		case b.enum != nil:
			return &place{slot: slotObject, enum: b}
		case b.final:
			if g := k.generic(found, t); g != nil {
				b = g
			}
			return &place{slot: slotTree, bean: b}
		}
		return &place{slot: slotObject, throwable: throwableLike(t.Class), of: k.generic(found, t)}
	}
	d := &place{slot: slotObject, object: t.Class == "java.lang.Object", throwable: throwableLike(t.Class)}
	if k.rules.mapper.Typing == JavaLangObject && !d.object || k.rules.final(t.Class) {
		d.slot = slotTree
		if calendarClass(t.Class) || jdk.OfClass(t.Class) != nil {
			d.class = t.Class
		}
	}
	// Variables may be bounded by themselves: T extends Comparable<T>.
	// What the arguments of other classes stand for, only these say.
	if n := len(t.Args); n > 0 && !bridge.Foreign(t) && (!variable || !t.Args[n-1].Mentions(c)) {
		// Of maps the values, of lists the elements; a class of the user's is
		// described above.
		d.element = k.declare(t.Args[n-1], c)
		if n == 2 && k.rules.hasTexts(t.Args[0].Class) {
			d.key = t.Args[0].Class
		}
	}
	if k.rules.everything() && t.Class == "java.util.EnumSet" && len(t.Args) == 1 {
		d.element = enumOf(t.Args[0].Class, k.beans)
	}
	if contains && d.slot == slotTree && d.element == nil {
		d.element = objectPlace
	}
	return d
}

// array returns what an array type makes of values: those whose innermost
// elements are primitive or final are bare.
func (k *describer) array(t java.TypeExpr, c *java.Class) *place {
	inner := t
	inner.Dims--
	in := slotTree
	if k.rules.everything() {
		in = slotObject
	}
	if inner.Dims == 0 && inner.Class == "byte" {
		return &place{slot: in, class: "[B"}
	}
	if inner.Dims == 0 && inner.Class == "char" {
		return &place{slot: in, class: "[C"}
	}
	d := &place{slot: in, element: k.declare(inner, c)}
	if inner.Primitive() { // numbers, whatever serializer the mapper has for Long
		d.element.component = true
	}
	if d.element.slot == slotObject && t.Class != classUUID && (!k.rules.concrete() || k.rules.mapper.Typing == NonConcreteAndArrays) {
		d.slot = slotObject
	}
	return d
}

// maxGeneric bounds a type with its arguments: a class may contain itself with more
// of them each time.
const maxGeneric = 1024

// generic describes a class with type arguments as its declaration gives them, nil
// where they say nothing: a final class, such as that of an enum, is not named where it
// is an argument.
func (k *describer) generic(c *java.Class, t java.TypeExpr) *bean {
	if len(t.Args) != len(c.Params) || len(c.Params) == 0 {
		return nil
	}
	name := t.String()
	if b, ok := k.generics[name]; ok || len(name) > maxGeneric {
		return b
	}
	b := k.newBean(c)
	if k.generics == nil {
		k.generics = map[string]*bean{}
	}
	k.generics[name] = b
	k.fill(b, c, t.Args)
	return b
}

// known returns args with the variables of c themselves for those that say nothing.
func known(c *java.Class, args []java.TypeExpr) []java.TypeExpr {
	out := make([]java.TypeExpr, len(c.Params))
	for i, p := range c.Params {
		out[i] = java.TypeExpr{Class: p.Name}
		if i < len(args) && args[i].Class != "" {
			out[i] = args[i]
			out[i].Variance = java.Exact
		}
	}
	return out
}

// typeless describes Go types for the codecs that name no classes. What is declared
// is all they have to go by, for Java as for Go: a struct needs no class, a type
// argument is what the Go type has there.
type typeless struct {
	rules *Rules
	opts  codecs.BindOptions
	set   *java.Classes
	beans map[reflect.Type]*bean // types may contain themselves
	polys polys
	err   error
}

func (c *Codec) declareType(t reflect.Type, set *java.Classes, opts codecs.BindOptions) (*place, error) {
	k := &typeless{rules: &c.rules, opts: opts, set: set, beans: map[reflect.Type]*bean{}}
	d := k.declare(t, java.TypeExpr{})
	if d.object && d.poly == nil {
		d.poly = k.polys.of("", set)
	}
	return d, k.err
}

func (k *typeless) declare(t reflect.Type, tag java.TypeExpr) *place {
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
	if t.Kind() == reflect.Pointer && !gotypes.IsValue(t.Elem()) {
		return k.declare(t.Elem(), tag)
	}
	declaration := gotypes.DescribeType(t, tag, k.opts)
	switch {
	case t.Kind() == reflect.Interface:
		d := &place{slot: slotTree, object: true}
		if tag.Class != "" && tag.Dims == 0 {
			d.poly = k.polys.of(tag.Class, k.set)
		}
		return d
	case t == reflect.TypeFor[*java.Map](), t == reflect.TypeFor[*java.List](), t == reflect.TypeFor[*java.Object]():
		return &place{slot: slotTree, object: true}
	case t.Kind() == reflect.Struct && !gotypes.IsValue(t) && declaration.Class != classBigDecimal:
		b := k.bean(t)
		d := &place{slot: slotTree, bean: b}
		if b.class != "" {
			d.poly = k.polys.of(b.class, k.set)
		}
		return d
	case t == reflect.TypeFor[[]java.Char]() && tag.Dims == 1 && tag.Class == "char":
		return &place{slot: slotTree, class: "[C"}
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		d := &place{slot: slotTree, element: k.declare(t.Elem(), elementTag(tag))}
		d.element.component = tag.Dims == 1 && elementTag(tag).Primitive()
		return d
	case t.Kind() == reflect.Map:
		d := &place{slot: slotTree, element: k.declare(t.Elem(), elementTag(tag))}
		if key := gotypes.DescribeType(t.Key(), java.TypeExpr{}, k.opts).Class; k.rules.hasTexts(key) {
			d.key = key
		}
		return d
	}
	described := declaration.Boxed()
	if described.Dims > 0 {
		return &place{slot: slotTree, class: "[B"}
	}
	if described.Class == classUUID && k.rules.leaksUUID() {
		return &place{slot: slotOpen, class: classUUID}
	}
	return &place{slot: slotTree, class: described.Class, primitive: tag.Primitive()}
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
	b := &bean{class: gotypes.ClassName(t, k.opts.Classes), byName: map[string]int{}, names: map[string]bool{}}
	k.beans[t] = b
	fields, _ := gotypes.FieldsOf(t, k.opts)
	for _, own := range [...]bool{true, false} {
		for _, f := range fields {
			b.names[f.Name] = true
			wire := k.rules.wire(f.Name, f.Format)
			if wire == "" || b.has(wire) || own != (f.Level == b.class) {
				continue
			}
			rules, err := k.rules.ofField(f.Format, f.Declared)
			if err != nil {
				k.err = errors.Join(k.err, fmt.Errorf("field %s of %s: %w", f.GoName, t, err))
			}
			b.add(beanField{name: f.Name, wire: wire, level: f.Level, declared: k.declare(f.GoType, f.Type).within(rules), format: f.Format})
		}
	}
	found := k.set.Find(b.class)
	b.first = firstOf(found, k.set)
	b.order(found != nil && found.Kind == java.KindRecord && k.rules.keepsOrder())
	return b
}
