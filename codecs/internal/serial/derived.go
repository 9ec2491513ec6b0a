package serial

import (
	"fmt"
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

// shapeOf returns the shape of a class, or of the JDK's container that it extends or holds.
func shapeOf(d *Desc) *shape {
	if s := shapes[d.Class]; s != nil {
		return s
	}
	if field := holders[d.Class]; field != "" {
		return holderShape(field)
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
	form := in.derived(*formOf(value))
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

// derived returns the form of a container that is written as an instance: one of a class that is
// declared, and adds no fields, where no stream has told.
func (in *Instance) derived(form any) derivedForm {
	if f, ok := form.(derivedForm); ok {
		return f
	}
	base := in.Desc.Super
	for !derivable[base.Class] {
		base = base.Super
	}
	return derivedForm{desc: in.Desc, rest: slices.Clone(in.Levels[base.Chain:]), form: form}
}

// fieldless returns why instances of a class cannot be written from their fields: they are lists or
// maps.
func (d *Desc) fieldless() error {
	if d.shape == nil || d.Canonical() {
		return nil
	}
	return fmt.Errorf("it extends %s, whose own data cannot be written from fields", d.Super.Class)
}

// holders are the classes of libraries that keep their contents in a field, by its name. Guava's are
// what its lists and sets write in their place.
var holders = map[string]string{
	"com.alibaba.fastjson.JSONObject":                              "map",
	"com.alibaba.fastjson.JSONArray":                               "list",
	"cn.hutool.json.JSONObject":                                    "raw",
	"cn.hutool.json.JSONArray":                                     "rawList",
	"org.springframework.util.LinkedMultiValueMap":                 "targetMap",
	"com.google.common.collect.ImmutableList$SerializedForm":       "elements",
	"com.google.common.collect.ImmutableSet$SerializedForm":        "elements",
	"com.google.common.collect.ImmutableCollection$SerializedForm": "elements",
}

// heldForm is the Form of a list or map of such a class.
type heldForm struct {
	desc   *Desc
	levels []Level
	inner  any // the list or map in the field
}

func holderShape(field string) *shape {
	return &shape{
		end:   func(in *Instance, _ any) (any, error) { return in.holding(field), nil },
		write: func(in *Instance, value any) error { return in.hold(field, value) },
	}
}

// holding returns what an instance holds in a field, as a list or map of its own class; where that is
// neither, the object.
func (in *Instance) holding(field string) any {
	form := heldForm{desc: in.Desc, levels: slices.Clone(in.Levels)}
	for i := range in.Levels {
		if v := in.Levels[i].field(field); v != nil {
			form.inner = v
		}
	}
	switch v := form.inner.(type) {
	case *java.List:
		return &java.List{Class: in.Desc.Class, Elements: v.Elements, Form: form}
	case *java.Map:
		return &java.Map{Class: in.Desc.Class, Entries: v.Entries, Form: form}
	}
	return in.object(&java.Object{Class: in.Desc.Class, Serial: in.Desc.Serial})
}

// hold writes what holding returned, with what it holds now.
func (in *Instance) hold(field string, value any) error {
	var form heldForm
	switch v := value.(type) {
	case *java.List:
		form = v.Form.(heldForm)
		if l := form.inner.(*java.List); !sameSlice(l.Elements, v.Elements) {
			form.inner = &java.List{Class: l.Class, Elements: v.Elements}
		}
	case *java.Map:
		form = v.Form.(heldForm)
		if m := form.inner.(*java.Map); !sameSlice(m.Entries, v.Entries) {
			form.inner = &java.Map{Class: m.Class, Entries: v.Entries, Comparator: m.Comparator, Of: m.Of}
		}
	}
	copy(in.Levels, form.levels)
	for i := range in.Levels {
		l := &in.Levels[i]
		l.Fields = slices.Clone(l.Fields)
		for j := range l.Fields {
			if l.Desc.Fields[j].Name == field {
				l.Fields[j] = form.inner
			}
		}
	}
	return nil
}
