package databind

import (
	"strings"

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
func (r *reader) emptyHolder(d *declared) any {
	switch {
	case r.bare || !r.codec.rules.Types || d == nil:
	case d.holder != "":
		return &java.Object{Class: d.holder}
	case r.codec.rules.Jackson == 2: // which does not write Optional
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
		return w.value(v, orObject(s))
	}
	if strings.HasPrefix(o.Class, classOptional) && w.codec.rules.Jackson == 2 {
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
	if w.codec.rules.Jackson == 2 {
		return w.noOptional(o)
	}
	v, _ := o.Get("value")
	return write(v)
}

func (w *writer) noOptional(o *java.Object) error {
	return w.fail(o, "Java's codec %s cannot carry %s: its mapper has no Jdk8Module", w.codec.Name(), o.Class)
}
