package databind

import (
	"slices"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/java"
)

// bean is how Jackson writes and reads one described class; an enum is one too. It is
// the same for all formats, fixed when it is made and shared by both ways.
type bean struct {
	class  string
	final  bool        // it is not named where it is declared
	record bool        // its fields keep their order
	enum   *java.Class // of an enum, which has no fields
	fields []beanField // in the order of the bytes
	byName map[string]int
}

// beanField is one property and what its declaration makes of values.
type beanField struct {
	name     string
	level    string // the class that declares it
	declared *declared
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

// find returns the field of that name, nil where there is none.
func (b *bean) find(name []byte) *beanField {
	if i, ok := b.byName[string(name)]; ok {
		return &b.fields[i]
	}
	return nil
}

// declared is a declared type as far as it decides how a value is written.
type declared struct {
	slot   slot
	class  string // the class of a bare scalar, for reading; empty where the text says it
	object bool   // java.lang.Object: what it holds keeps its class
	bean   *bean  // a final class: its objects do not name it
	enum   *bean  // an enum
	// throwable says that a number may refer to an object that was there before.
	throwable bool
	primitive bool      // there is no null, and Jackson 3 refuses to read one
	component bool      // of an array, whose class names it
	element   *declared // of lists and arrays, and the values of maps; nil: java.lang.Object
	key       string    // the enum that the keys of a map are, where its texts are not the names
	of        *bean     // a class with type arguments: its objects name it
	holder    string    // the Optional class, or AtomicReference, around a value of this type
}

// describe returns the beans of a set of classes by name.
func describe(set *java.Classes, rules *Rules) map[string]*bean {
	if set.Len() == 0 {
		return nil
	}
	k := &describer{set: set, rules: rules, beans: map[string]*bean{}}
	for c := range set.All() {
		k.bean(c)
	}
	return k.beans
}

type describer struct {
	set   *java.Classes
	rules *Rules
	beans map[string]*bean

	generics map[string]*bean // by the type with its arguments
}

// bean describes one class with the fields of its superclasses. A field that
// hides one of a superclass is the only one of its name.
func (k *describer) bean(c *java.Class) *bean {
	if b, ok := k.beans[c.Name]; ok {
		return b
	}
	b := &bean{class: c.Name, byName: map[string]int{}, final: c.Final || c.Kind == java.KindRecord}
	k.beans[c.Name] = b
	if c.Kind == java.KindEnum {
		b.enum, b.final = c, !hasBodies(c)
		return b
	}
	seen := map[string]bool{}
	for level := c; level != nil; level = k.set.Find(level.Super.Class) {
		for _, f := range level.Fields {
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			b.fields = append(b.fields, beanField{name: f.Name, level: level.Name, declared: k.declare(f.Type, level)})
		}
		if level.Super.IsZero() {
			break
		}
	}
	b.order(c.Kind == java.KindRecord && k.rules.keepsOrder())
	return b
}

// order puts the fields into the order of the bytes.
func (b *bean) order(record bool) {
	if b.record = record; !record {
		slices.SortFunc(b.fields, compareFields)
	}
	for i, f := range b.fields {
		b.byName[f.name] = i
	}
}

// with returns the bean with the fields of o that its description does not have, such as
// those that Java gets from methods; itself where there are none.
func (b *bean) with(o *java.Object) *bean {
	var more []beanField
	for i := range o.Fields {
		name := o.Fields[i].Name
		if !b.has(name) && !slices.ContainsFunc(more, func(f beanField) bool { return f.name == name }) {
			more = append(more, beanField{name: name, level: o.Fields[i].Level, declared: undescribed})
		}
	}
	if more == nil {
		return b
	}
	slices.SortFunc(more, compareFields)
	all := &bean{class: b.class, final: b.final, byName: map[string]int{}, fields: append(slices.Clone(b.fields), more...)}
	all.order(b.record)
	return all
}

// withNames returns the bean with those of the names that its description does not have.
func withNames[V any](b *bean, names map[string]V) *bean {
	o := &java.Object{}
	for name := range names {
		o.Fields = append(o.Fields, java.Field{Name: name})
	}
	return b.with(o)
}

// undescribed is what is known of a field that no description has.
var undescribed = &declared{slot: slotOpen}

func (b *bean) has(name string) bool {
	_, ok := b.byName[name]
	return ok
}

func compareFields(x, y beanField) int { return compareUnits(x.name, y.name) }

// hasBodies reports whether a constant of an enum has a body, so that it is not final.
func hasBodies(c *java.Class) bool {
	return slices.ContainsFunc(c.Constants, func(k java.Constant) bool { return k.Body != "" })
}

// compareUnits orders texts as Java's String.compareTo does, by UTF-16 units.
func compareUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// declare returns what a field's type, declared in class c, makes of values.
func (k *describer) declare(t java.TypeExpr, c *java.Class) *declared {
	variable := c.Variable(t)
	t = t.Bounds(c)
	if t.Dims > 0 {
		return k.array(t, c)
	}
	if t.Primitive() {
		return &declared{slot: slotTree, class: t.Boxed().Class}
	}
	if len(t.Args) == 1 && (t.Class == classAtomicReference || t.Class == classOptional && k.rules.Jackson == 3) {
		d := k.declare(t.Args[0], c)
		d.holder = t.Class
		return d
	}
	if k.rules.final(t.Class) {
		return &declared{slot: slotTree, class: t.Class}
	}
	if found := k.set.Find(t.Class); found != nil {
		b := k.bean(found)
		switch {
		case b.enum != nil && b.final:
			return &declared{slot: slotTree, class: t.Class, enum: b}
		case b.enum != nil:
			return &declared{slot: slotObject, enum: b}
		case b.final:
			if g := k.generic(found, t); g != nil {
				b = g
			}
			return &declared{slot: slotTree, bean: b}
		}
		return &declared{slot: slotObject, throwable: throwableLike(t.Class), of: k.generic(found, t)}
	}
	d := &declared{slot: slotObject, object: t.Class == "java.lang.Object", throwable: throwableLike(t.Class)}
	// Variables may be bounded by themselves: T extends Comparable<T>.
	if n := len(t.Args); n > 0 && (!variable || !t.Args[n-1].Mentions(c)) {
		// Of maps the values, of lists the elements; a class of the user's is
		// described above.
		d.element = k.declare(t.Args[n-1], c)
		if n == 2 && k.rules.hasTexts(t.Args[0].Class) {
			d.key = t.Args[0].Class
		}
	}
	return d
}

// array returns what an array type makes of values: those whose innermost
// elements are primitive or final are bare.
func (k *describer) array(t java.TypeExpr, c *java.Class) *declared {
	inner := t
	inner.Dims--
	if inner.Dims == 0 && inner.Class == "byte" {
		return &declared{slot: slotTree, class: "[B"}
	}
	if inner.Dims == 0 && inner.Class == "char" {
		return &declared{slot: slotTree, class: "[C"}
	}
	d := &declared{slot: slotTree, element: k.declare(inner, c)}
	if d.element.slot == slotObject && t.Class != classUUID {
		d.slot = slotObject
	}
	return d
}
