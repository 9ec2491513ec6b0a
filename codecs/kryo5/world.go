package kryo5

import (
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// universe is what a codec or a binding knows of classes: the catalog and the
// descriptions of the user, of which a class may have several. It is safe for
// concurrent use.
type universe struct {
	known   *catalog
	classes *java.Classes
	several []string // classes with several descriptions, in the order given
	first   *world   // the first description of every class

	mu     sync.Mutex
	others map[string]*world
}

// world is a universe with one description per class. It is immutable.
type world struct {
	known   *catalog
	classes *java.Classes
	choice  map[string]int
	byName  map[string]*class
	finder  layout.Finder // the method describe
}

func newUniverse(known *catalog, classes *java.Classes) *universe {
	u := &universe{known: known, classes: classes, others: map[string]*world{}}
	for c := range classes.All() {
		if len(classes.Variants(c.Name)) > 1 && !slices.Contains(u.several, c.Name) {
			u.several = append(u.several, c.Name)
		}
	}
	u.first = newWorld(known, classes, nil)
	return u
}

// with returns the world of that choice: the index of the description per class,
// 0 for all that it does not name.
func (u *universe) with(choice map[string]int) *world {
	var key strings.Builder
	for _, name := range u.several {
		key.WriteByte(byte('0' + choice[name]))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	w := u.others[key.String()]
	if w == nil {
		w = newWorld(u.known, u.classes, choice)
		u.others[key.String()] = w
	}
	return w
}

// maxAttempts bounds the worlds that are tried for one payload.
const maxAttempts = 8

// choices returns the worlds to try after the first one, for a payload in which
// the classes in met occur: all classes of one deployment first, then single ones.
func (u *universe) choices(met []string) []map[string]int {
	var out []map[string]int
	add := func(choice map[string]int) {
		same := func(other map[string]int) bool {
			return !slices.ContainsFunc(met, func(name string) bool { return other[name] != choice[name] })
		}
		if len(out) < maxAttempts-1 && !same(nil) && !slices.ContainsFunc(out, same) {
			out = append(out, choice)
		}
	}
	most := 0
	for _, name := range met {
		most = max(most, len(u.classes.Variants(name)))
	}
	for k := 1; k < most; k++ {
		choice := map[string]int{}
		for _, name := range u.several {
			choice[name] = min(k, len(u.classes.Variants(name))-1)
		}
		add(choice)
	}
	for _, name := range met {
		for k := 1; k < len(u.classes.Variants(name)); k++ {
			add(map[string]int{name: k})
		}
	}
	for _, name := range met {
		choice := map[string]int{name: 0}
		for _, other := range u.several {
			if other != name {
				choice[other] = 1
			}
		}
		add(choice)
	}
	return out
}

func newWorld(known *catalog, classes *java.Classes, choice map[string]int) *world {
	w := &world{known: known, classes: classes, choice: choice, byName: map[string]*class{}}
	w.finder = w.describe
	for c := range classes.All() {
		if w.byName[c.Name] == nil && known.byName[c.Name] == nil {
			w.add(w.describe(c.Name))
		}
	}
	return w
}

// describe returns the description of a class in w, nil for an unknown one. It is
// a [layout.Finder].
func (w *world) describe(name string) *java.Class {
	variants := w.classes.Variants(name)
	if len(variants) == 0 {
		return fieldless[name]
	}
	return variants[min(w.choice[variants[0].Name], len(variants)-1)]
}

// fieldless are superclasses in the JDK that bring no fields.
var fieldless = map[string]*java.Class{
	"java.lang.Number": {Name: "java.lang.Number"}, "java.util.EventObject": {Name: "java.util.EventObject"},
	"java.util.Dictionary": {Name: "java.util.Dictionary"},
}

// add makes the class of a description and those of the constants of an enum.
func (w *world) add(desc *java.Class) {
	c := w.classOf(desc)
	c.variants = len(w.classes.Variants(desc.Name)) > 1
	c.wire, c.id = appendClassName(nil, c.name), w.known.idOf(c.name)
	w.byName[c.name] = c
	if desc.Kind != java.KindEnum {
		return
	}
	for _, k := range desc.Constants {
		if k.Body != "" {
			w.byName[k.Body] = w.constant(c, k.Body)
		}
	}
}

// classOf finds out how Kryo writes a class: by the first serializer that its
// superclasses and interfaces have, as a bean if there is none.
func (w *world) classOf(desc *java.Class) *class {
	if desc.Kind == java.KindEnum {
		return newEnum(desc)
	}
	c := &class{name: desc.Name, super: desc.Super.Class}
	if desc.Kind == java.KindBean {
		if base := w.inherited(desc); base != nil {
			own := *base
			own.name, own.super, own.id = desc.Name, desc.Super.Class, 0
			own.bean, own.fixed = nil, base.fixed
			return &own
		}
		if slices.Contains(desc.Interfaces, "com.esotericsoftware.kryo.KryoSerializable") {
			c.reason = "it writes itself (KryoSerializable), so its bytes are not known"
			c.described = true
			return c
		}
	}
	c.bean = &beanClass{desc: desc, world: w}
	c.read, c.write, c.partial = readBean, writeBean, true
	c.zeroWidth = !w.hasFields(desc)
	return c
}

// inherited returns the class of the catalog whose layout desc has, nil for beans.
func (w *world) inherited(desc *java.Class) *class {
	at := desc
	for range maxSupers {
		super := at.Super.Class
		if super == "" || super == "java.lang.Object" {
			break
		}
		if c := w.known.byName[super]; c != nil && c.bean == nil {
			return c
		}
		if next := w.describe(super); next != nil {
			at = next
			continue
		}
		if throwableName(super) {
			return w.known.byName[throwable]
		}
		break
	}
	for _, kind := range [...]struct{ interfaces, like string }{
		{"java.util.Collection java.util.List java.util.Set java.util.Queue java.util.Deque java.util.SortedSet java.util.NavigableSet", "java.util.ArrayList"},
		{"java.util.Map java.util.SortedMap java.util.NavigableMap java.util.concurrent.ConcurrentMap", "java.util.HashMap"},
	} {
		for name := range strings.FieldsSeq(kind.interfaces) {
			if slices.Contains(desc.Interfaces, name) {
				return w.known.byName[kind.like]
			}
		}
	}
	return nil
}

// inheriting returns what a class that is not described is in a place that is declared as base: of
// the classes below, Kryo writes subclasses as it writes themselves. Nil where base does not tell.
func (w *world) inheriting(name, base string) *class {
	switch declaredKinds[base].kind {
	case 'C':
		base = java.ClassArrayList
	case 'M':
		base = java.ClassHashMap
	}
	k := w.known.byName[base]
	if k == nil || javaName(name) || !strings.Contains(name, ".") || name[0] == '[' || !k.mapping && !k.list && !subclassed[base] {
		return nil
	}
	own := *k
	own.name, own.super, own.id, own.wire = name, base, w.known.idOf(name), appendClassName(nil, name)
	own.readOnly = own.readOnly || strings.HasPrefix(name, "com.google.common.collect.") // which Kryo makes without contents, and cannot fill
	return &own
}

// subclassed are the values of the JDK that classes of libraries extend.
var subclassed = map[string]bool{java.ClassDate: true, "java.math.BigDecimal": true, "java.math.BigInteger": true, "java.util.Calendar": true}

// baseOf returns what a value of a class that is not described inherits.
func baseOf(v any) string {
	switch v.(type) {
	case *java.Map:
		return "java.util.Map"
	case *java.List:
		return "java.util.List"
	case java.Date:
		return java.ClassDate
	}
	return ""
}

// maxSupers bounds a chain of superclasses.
const maxSupers = 64

// hasFields reports whether a bean takes bytes; true where a superclass is unknown.
func (w *world) hasFields(desc *java.Class) bool {
	for range maxSupers {
		switch {
		case len(desc.Fields) > 0:
			return true
		case desc.Super.Class == "" || desc.Super.Class == "java.lang.Object":
			return false
		}
		if desc = w.describe(desc.Super.Class); desc == nil {
			return true
		}
	}
	return true
}

// class returns the class of that name, nil for one that is not known.
func (w *world) class(name string) *class {
	if c := w.known.find(name); c != nil {
		return c
	}
	if c := w.byName[name]; c != nil {
		return c
	}
	if component, ok := jdk.Component(name); ok {
		return w.array(name, component)
	}
	return w.anonymous(name)
}

// must returns the class of that name; one that cannot be read if it is not known.
func (w *world) must(name string) *class {
	if c := w.class(name); c != nil {
		return c
	}
	return &class{name: name, wire: appendClassName(nil, name), id: w.known.idOf(name), reason: unknownReason(name, nil)}
}

// anonymousName reports whether a class has the name of an anonymous one: demo.Orders$2.
func anonymousName(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return base != name && strings.HasSuffix(base, "$")
}

// anonymous finds the enum of a constant's own class that its description does not
// name: demo.Op$1 of demo.Op.
func (w *world) anonymous(name string) *class {
	base := strings.TrimRight(name, "0123456789")
	if base == name || !strings.HasSuffix(base, "$") {
		return nil
	}
	c := w.class(strings.TrimSuffix(base, "$"))
	if c == nil || c.enum == nil || c.name != c.enum.name {
		return nil
	}
	return w.constant(c, name)
}

// constant returns the class that a constant of enum class c has for itself.
func (w *world) constant(c *class, name string) *class {
	body := *c
	body.name, body.wire, body.id = name, appendClassName(nil, name), w.known.idOf(name)
	return &body
}
