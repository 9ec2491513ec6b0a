package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

const classOptional = "java.util.Optional"

// holds reports whether a class is an Optional or Atomic one.
func holds(class string) bool {
	return strings.HasPrefix(class, classOptional) || strings.HasPrefix(class, "java.util.concurrent.atomic.Atomic")
}

// holder reports whether an object is a class that holds one value, as package java
// has it: with the field "value", or none. Jackson before 2.12 wrote other fields too.
func holder(o *java.Object) bool {
	if !holds(o.Class) {
		return false
	}
	return len(o.Fields) == 0 || len(o.Fields) == 1 && o.Fields[0].Name == "value"
}

// emptyHolder returns what null is in a property of a described class: Java leaves out
// properties that are null, so that it was an empty Optional or a reference to null. It
// returns nil where the property can be neither.
func (r *reader) emptyHolder(d *place) any {
	switch {
	case r.bare || !r.codec.rules.Types || d == nil:
	case d.holder != "":
		return &java.Object{Class: d.holder}
	case !r.codec.rules.optionals():
	case strings.HasPrefix(d.class, classOptional):
		return &java.Object{Class: d.class}
	case d.object, d == undescribed:
		return &java.Object{Class: classOptional}
	}
	return nil
}

// held writes an Optional or an Atomic class, of which Jackson writes what it holds.
func (w *writer) held(o *java.Object, s slot) error {
	v, _ := o.Get("value")
	switch o.Class {
	case classOptional:
		return w.optional(o, func(v any) error { return w.value(v, orObject(s)) })
	case "java.util.concurrent.atomic.AtomicReference":
		return w.at(v, places[orObject(s)])
	}
	if strings.HasPrefix(o.Class, classOptional) && !w.codec.rules.optionals() {
		return w.noOptional(o)
	}
	return w.wrapErr(o.Class, s == slotTree || s == slotRoot && strings.HasPrefix(o.Class, classOptional), func() error {
		return w.value(v, slotTree)
	})
}

// orObject returns the slot of what a holder in slot s holds. At the root nothing is
// declared.
func orObject(s slot) slot {
	if s == slotRoot {
		return slotObject
	}
	return s
}

// optional writes what an Optional holds, null where it is empty.
func (w *writer) optional(o *java.Object, write func(v any) error) error {
	if !w.codec.rules.optionals() {
		return w.noOptional(o)
	}
	v, _ := o.Get("value")
	return write(v)
}

func (w *writer) noOptional(o *java.Object) error {
	return w.fail(o, "Java's codec %s cannot carry %s: its mapper has no Jdk8Module (jackson.Mapper{Optionals: true} is one that has)", w.codec.Name(), o.Class)
}

// Jackson names the enum within the type id of an EnumSet or EnumMap; in the values
// of package java it is beside the class.
const (
	enumSetID    = "java.util.EnumSet<"
	enumMapID    = "java.util.EnumMap<"
	enumMapValue = ",java.lang.Object>"

	classEnumSet = "java.util.RegularEnumSet"
	classEnumMap = "java.util.EnumMap"
)

func listID(l *java.List) string {
	switch l.Class {
	case "":
		return java.ClassArrayList
	case classEnumSet, "java.util.JumboEnumSet", "java.util.EnumSet":
		if l.Of != "" {
			return enumSetID + l.Of + ">"
		}
	}
	return l.Class
}

func mapID(m *java.Map) string {
	switch {
	case m.Class == "":
		return java.ClassHashMap
	case m.Class == classEnumMap && m.Of != "":
		return enumMapID + m.Of + enumMapValue
	}
	return m.Class
}

// enumOfID returns the enum in the type id of an EnumSet or EnumMap, which stands between
// these texts.
func enumOfID(id, before, behind string) string {
	of, begins := strings.CutPrefix(id, before)
	of, ends := strings.CutSuffix(of, behind)
	if !begins || !ends || strings.ContainsAny(of, "<>,") {
		return ""
	}
	return of
}

// constant reads a constant of an enum where its class is not named: by its name or,
// as Java accepts too, its ordinal.
func (r *reader) constant(class string, i int) (any, error) {
	k := &r.toks[i]
	described := r.beans[class]
	switch {
	case k.Kind == token.String && (r.bare || k.Len == 0):
		return r.codec.rules.enumName(class, r.text(k)), nil
	case k.Kind == token.String:
		e := java.Enum{Class: class, Name: r.codec.rules.enumName(class, r.text(k)), Ordinal: -1}
		if described != nil {
			e.Ordinal = described.enum.Ordinal(e.Name)
		}
		return e, nil
	case k.Kind == token.Int && r.codec.rules.hasTexts(class):
		if name, numbers := r.codec.rules.enumNumber(class, k.Int()); name != "" {
			return r.enum(class, name), nil
		} else if numbers {
			return nil, r.failClass(i, class, "it has no constant that is this number in JSON")
		}
		return r.ordinal(class, i)
	case k.Kind == token.Int && described != nil:
		return r.ordinal(class, i)
	}
	return r.at(i, openPlace)
}

// ordinal reads a constant by its ordinal, as Java accepts it too.
func (r *reader) ordinal(class string, i int) (any, error) {
	k, described := &r.toks[i], r.beans[class]
	if described == nil {
		return r.at(i, openPlace)
	}
	e, ok := described.enum.Enum(int(k.Int()))
	if !ok || k.Int() != int64(e.Ordinal) {
		return nil, r.failClass(i, class, "it has no constant with that ordinal")
	}
	return e, nil
}

func constantKeys(m *java.Map, of string) {
	m.Class, m.Of = classEnumMap, of
	for i := range m.Entries {
		if name, ok := m.Entries[i].Key.(string); ok {
			m.Entries[i].Key = java.Enum{Class: of, Name: name, Ordinal: -1}
		}
	}
}

// months are the names of java.time.Month, which Jackson 3 writes as numbers from 1.
var months = [...]string{
	"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER",
}

const classMonth = "java.time.Month"
