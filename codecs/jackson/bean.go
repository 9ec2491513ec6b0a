package jackson

import (
	"cmp"
	"slices"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/java"
)

// bean is how Jackson writes and reads one described class.
type bean struct {
	class  string
	fields []beanField // in the order of the bytes
	byName map[string]int
}

// beanField is one property and what its declaration makes of values.
type beanField struct {
	name     string
	declared *declared
}

// declared is a declared type as far as it decides how a value is written.
type declared struct {
	slot    slot
	class   string    // the class of a bare scalar, for reading; empty where the text says it
	object  bool      // java.lang.Object: what it holds keeps its class
	bean    *bean     // a final class: its objects do not name it
	element *declared // of lists and arrays, and the values of maps; nil: java.lang.Object
}

// describe returns the beans of a set of classes by name.
func describe(set *java.Classes, d Dialect) map[string]*bean {
	k := &describer{set: set, dialect: d, beans: map[string]*bean{}}
	for c := range set.All() {
		if c.Kind != java.KindEnum {
			k.bean(c)
		}
	}
	return k.beans
}

type describer struct {
	set     *java.Classes
	dialect Dialect
	beans   map[string]*bean
}

// bean describes one class with the fields of its superclasses. A field that
// hides one of a superclass is the only one of its name.
func (k *describer) bean(c *java.Class) *bean {
	if b, ok := k.beans[c.Name]; ok {
		return b
	}
	b := &bean{class: c.Name, byName: map[string]int{}}
	k.beans[c.Name] = b
	seen := map[string]bool{}
	for level := c; level != nil; level = k.set.Find(level.Super.Class) {
		for _, f := range level.Fields {
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			b.fields = append(b.fields, beanField{name: f.Name, declared: k.declare(f.Type, level)})
		}
		if level.Super.IsZero() {
			break
		}
	}
	if c.Kind != java.KindRecord {
		// The components of a record keep their order: they are its constructor's.
		slices.SortFunc(b.fields, func(x, y beanField) int { return compareUnits(x.name, y.name) })
	}
	for i, f := range b.fields {
		b.byName[f.name] = i
	}
	return b
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
	switch t.Class {
	case "java.util.UUID":
		if k.dialect == Redisson4_2 {
			return &declared{slot: slotObject}
		}
		return &declared{slot: slotTree, class: t.Class}
	case "java.net.URI", "java.net.URL", "java.util.Locale", "java.util.Currency", "java.util.regex.Pattern", "java.lang.Class":
		return &declared{slot: slotTree, class: t.Class}
	}
	if finalScalar(t.Class) {
		return &declared{slot: slotTree, class: t.Class}
	}
	if found := k.set.Find(t.Class); found != nil {
		switch {
		case found.Kind == java.KindEnum:
			return &declared{slot: slotTree, class: t.Class}
		case found.Final || found.Kind == java.KindRecord:
			return &declared{slot: slotTree, bean: k.bean(found)}
		}
		return &declared{slot: slotObject}
	}
	d := &declared{slot: slotObject, object: t.Class == "java.lang.Object"}
	// Variables may be bounded by themselves: T extends Comparable<T>.
	if n := len(t.Args); n > 0 && (!variable || !t.Args[n-1].Mentions(c)) {
		// Of maps the values, of lists the elements; a class of the user's is
		// described above.
		d.element = k.declare(t.Args[n-1], c)
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
	d := &declared{slot: slotTree, element: k.declare(inner, c)}
	if d.element.slot == slotObject {
		d.slot = slotObject
	}
	return d
}

// beanOf writes an object of a described class. named says that its class
// stands first.
func (w *writer) beanOf(b *bean, o *java.Object, named bool) error {
	class := b.class
	if !named {
		class = ""
	}
	comma, err := w.open(class)
	if err != nil {
		return err
	}
	for _, f := range b.fields {
		v, ok := o.Get(f.name)
		if !ok || v == nil {
			continue
		}
		if comma {
			w.raw(",")
		}
		comma = true
		if err := w.declaredMember(f, v); err != nil {
			return java.UnderEncode(java.Key(f.name), err)
		}
	}
	w.raw("}")
	return nil
}

func (w *writer) declaredMember(f beanField, v any) error {
	if err := w.text(f.name); err != nil {
		return err
	}
	w.raw(":")
	return w.declared(v, f.declared)
}

// declared writes a value in a slot of a declared type.
func (w *writer) declared(v any, d *declared) error {
	if d == nil {
		return w.value(v, slotObject)
	}
	if o, ok := v.(*java.Object); ok && o != nil && d.bean != nil && o.Class == d.bean.class {
		return w.nested(v, func() error { return w.beanOf(d.bean, o, false) })
	}
	if d.element == nil {
		return w.value(v, d.slot)
	}
	switch v := v.(type) {
	case *java.List:
		if v != nil {
			return w.nested(v, func() error { return w.declaredList(v, d) })
		}
	case *java.Map:
		if v != nil {
			return w.nested(v, func() error { return w.declaredMap(v, d.element) })
		}
	}
	return w.value(v, d.slot)
}

func (w *writer) declaredList(l *java.List, d *declared) error {
	elements := func() error {
		return w.each(l.Elements, func(e any) error { return w.declared(e, d.element) })
	}
	if d.slot == slotTree {
		return elements()
	}
	return w.wrap(cmp.Or(l.Class, java.ClassArrayList), elements)
}

func (w *writer) declaredMap(m *java.Map, d *declared) error {
	return w.entries(m, cmp.Or(m.Class, java.ClassHashMap), func(v any) error { return w.declared(v, d) })
}
