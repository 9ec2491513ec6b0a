package serial

import (
	"slices"

	"github.com/duequeue/duequeue/codecs/java"
)

// derivedForm is the Form of a list or map whose class extends one of the JDK's,
// as class Tags extends ArrayList does.
type derivedForm struct {
	desc *Desc
	// rest is what the classes below the JDK's wrote.
	rest []Level
	form any
}

// derivable are the classes whose descendants are lists and maps too.
var derivable = map[string]bool{
	java.ClassArrayList: true, "java.util.LinkedList": true, "java.util.ArrayDeque": true, classVector: true, "java.util.Stack": true,
	classHashSet: true, "java.util.LinkedHashSet": true, "java.util.TreeSet": true, "java.util.PriorityQueue": true,
	classHashMap: true, "java.util.LinkedHashMap": true, "java.util.TreeMap": true, classHashtable: true, "java.util.Properties": true,
	classConcurrent: true, classCopyOnWrite: true,
}

// shapeOf returns the shape of a class, or of the JDK's container it extends.
func shapeOf(d *Desc) *shape {
	if s := shapes[d.Class]; s != nil {
		return s
	}
	if d.Flags&FlagExternalizable != 0 {
		return nil // it writes nothing of what it extends
	}
	for base := d.Super; base != nil; base = base.Super {
		if derivable[base.Class] && base.Canonical() { // its fields are written by their places
			return &shape{begin: shapes[base.Class].begin, end: endDerived(base), write: writeDerived}
		}
	}
	return nil
}

func endDerived(base *Desc) func(in *Instance, value any) (any, error) {
	return func(in *Instance, value any) (any, error) {
		part := *in
		part.Desc, part.Levels = base, in.Levels[:base.Chain]
		value, err := base.shape.end(&part, value)
		form := derivedForm{desc: in.Desc, rest: slices.Clone(in.Levels[base.Chain:])}
		if at := formOf(value); at != nil {
			form.form, *at = *at, form
		}
		return value, err
	}
}

// writeDerived writes a container that endDerived read.
func writeDerived(in *Instance, value any) error {
	form := (*formOf(value)).(derivedForm)
	switch v := value.(type) {
	case *java.List:
		value = &java.List{Class: v.Class, Elements: v.Elements, Comparator: v.Comparator, Of: v.Of, Form: form.form}
	case *java.Map:
		value = &java.Map{Class: v.Class, Entries: v.Entries, Comparator: v.Comparator, Of: v.Of, Form: form.form}
	}
	base := len(in.Levels) - len(form.rest)
	part := *in
	part.Desc, part.Levels = in.Levels[base-1].Desc, in.Levels[:base]
	copy(in.Levels[base:], form.rest)
	return part.Desc.shape.write(&part, value)
}
