package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// walk makes of a value of one program that of another one. From a program to itself it only tells
// whether the value is one of that program.
type walk struct {
	*Rewriter
	from, to *program
	mapping  Mapping
	exact    bool            // from a program to itself: numbers are of the declared type
	top      string          // the class of the message where the bytes name none
	seen     map[any]any     // what objects and containers became
	used     map[string]bool // classes of the new value
}

// refusal is a value that cannot be rewritten, and where it is.
type refusal struct{ path, reason string }

func (e *refusal) Error() string {
	if e.path == "" {
		return e.reason
	}
	return e.path + " " + e.reason
}

func refuse(format string, args ...any) error { return &refusal{reason: fmt.Sprintf(format, args...)} }

// at puts a refusal into a field.
func at(err error, field string) error {
	if r, ok := err.(*refusal); ok { //nolint:errorlint // made here, and not wrapped
		return &refusal{strings.TrimSuffix(field+"."+r.path, "."), r.reason}
	}
	return err
}

func (w *walk) message(v any) (any, error) {
	was, is := anyType, anyType
	if w.form.typed {
		was, is = java.TypeExpr{Class: w.top}, java.TypeExpr{Class: w.name(w.top)}
	}
	return w.value(v, was, is)
}

// name is what a class is called in the other program.
func (w *walk) name(class string) string { return cmp.Or(w.mapping.classes[class], class) }

// value makes of a value in a place of one declared type that in a place of another one.
func (w *walk) value(v any, was, is java.TypeExpr) (any, error) {
	switch v := v.(type) {
	case nil:
		if is.Primitive() {
			return nil, refuse("is null, which %s does not hold", shortType(is))
		}
		return nil, nil
	case *java.Object:
		return w.once(v, func(into *any) error { return w.object(v, was, is, into) })
	case *java.Map:
		if v.Class == "" && !w.form.names {
			return nil, refuse("names no class")
		}
		if w.form.typed && w.from.class(was.Class) != nil && was.Dims == 0 {
			return w.properties(v, was, is)
		}
		return w.once(key{v, is.String()}, func(into *any) error { return w.dict(v, was, is, into) })
	case *java.List:
		return w.once(key{v, is.String()}, func(into *any) error { return w.list(v, was, is, into) })
	case java.Enum:
		return w.constant(v, is)
	}
	if c := w.from.class(was.Class); c.isEnum() && was.Dims == 0 && w.form.names {
		return w.constantText(v, c, is)
	}
	return w.scalar(v, was, is)
}

// key is a container in a place of a type.
type key struct {
	container any
	is        string
}

// once rewrites an object once, wherever it stands. do sets the object before it rewrites what is in it.
func (w *walk) once(k any, do func(into *any) error) (any, error) {
	if done, ok := w.seen[k]; ok {
		return done, nil
	}
	var made any
	err := do(&made)
	return made, err
}

// class finds the class of an object in both programs, and what forbids to rewrite it.
func (w *walk) class(name string, is java.TypeExpr) (c, n *class, err error) {
	if c = w.from.class(name); name == "" {
		return nil, nil, refuse("names no class")
	} else if c == nil {
		return nil, nil, refuse("is of %s, a class that the program has not", name)
	}
	to := w.name(name)
	if n = w.to.class(to); n == nil {
		return nil, nil, refuse("%s", missing(to))
	}
	switch {
	case n.isEnum() != c.isEnum():
		return nil, nil, refuse("is of %s, which is an enum in one of the programs", to)
	case !w.to.assignable(to, is):
		return nil, nil, refuse("holds %s, which does not go into %s", to, shortType(is))
	case special(c) || special(n):
		return nil, nil, refuse("is of %s, a collection, map or exception of the program", to)
	}
	w.used[to] = true
	switch root := len(w.seen) == 0; {
	case w.exact || n.isEnum():
	case !root && w.form.names:
		if o := makes(n); o.verdict != Same {
			err = refuse("holds %s: %s", to, o.reason)
		}
	default:
		err = w.reads(to)
	}
	return c, n, err
}

// object rewrites an object of a class that the bytes name.
func (w *walk) object(v *java.Object, was, is java.TypeExpr, into *any) error {
	if classfile.OfJDK(v.Class) { // Optional and the like
		made := &java.Object{Class: v.Class, Serial: v.Serial, Custom: v.Custom}
		*into, w.seen[v] = made, made
		if !w.to.assignable(v.Class, is) {
			return refuse("is %s, and %s is declared", article(java.TypeExpr{Class: v.Class}), shortType(is))
		}
		for _, f := range v.Fields {
			value, err := w.value(f.Value, argument(was, 0), argument(is, 0))
			if err != nil {
				return at(err, f.Name)
			}
			made.Fields = append(made.Fields, java.Field{Name: f.Name, Value: value, Level: f.Level})
		}
		return nil
	}
	c, n, err := w.class(v.Class, is)
	if err != nil {
		return err
	}
	if w.form.stream && (c.Custom || n.Custom) {
		if (&streams{old: w.from, now: w.to}).custom(c, n) != same || c.Name != n.Name {
			return refuse("is of %s, which writes itself (writeObject, writeExternal or writeReplace)", n.Name)
		}
		*into = v
		return nil
	}
	if w.exact && v.Serial != nil {
		if err = w.described(v.Serial, n); err != nil {
			return err
		}
	}
	made := &java.Object{Class: n.Name}
	*into, w.seen[v] = made, made
	made.Fields, err = w.fields(v.Fields, typed(c, was), typed(n, is))
	return err
}

// described refuses an object whose class was another one when it was written.
func (w *walk) described(s *java.Serial, c *class) error {
	for ; s != nil; s = s.Super {
		is := w.to.class(s.Class)
		switch {
		case is == nil && classfile.OfJDK(s.Class):
			continue
		case is == nil || !w.to.assignable(c.Name, java.TypeExpr{Class: s.Class}):
			return refuse("extends %s, which %s does not", s.Class, c.Name)
		case w.codec == "serialization" && is.Kind != java.KindRecord && s.UID != serial(is):
			return refuse("is of %s with the serialVersionUID %d, and the program has %d", s.Class, s.UID, serial(is))
		}
		for _, f := range s.Fields {
			known, ok := is.Field(f.Name)
			if !ok {
				return refuse("has %s, which is no field of %s", f.Name, s.Class)
			}
			t := known.Type
			t.Dims++ // so that a primitive has a letter
			if (len(f.Signature) == 1 || known.Type.Primitive()) && t.Erasure(is.Class) != "["+f.Signature {
				return refuse("has %s, which has another type in %s", f.Name, s.Class)
			}
		}
	}
	return nil
}

// typed is the type of an object of a class in a place of a type.
func typed(c *class, place java.TypeExpr) java.TypeExpr {
	t := java.TypeExpr{Class: c.Name}
	if place.Dims == 0 && len(place.Args) == len(c.Params) {
		t.Args = place.Args
	}
	return t
}

// properties rewrites an object whose class the bytes do not name.
func (w *walk) properties(v *java.Map, was, is java.TypeExpr) (any, error) {
	c, n, err := w.class(was.Class, is)
	if err != nil {
		return nil, err
	}
	if is.Class != n.Name || is.Dims > 0 {
		return nil, refuse("was %s and is %s now, and its bytes name no class", shortType(was), shortType(is))
	}
	var fields []java.Field
	for _, e := range v.Entries {
		name, _ := e.Key.(string)
		fields = append(fields, java.Field{Name: name, Value: e.Value})
	}
	if fields, err = w.fields(fields, typed(c, was), typed(n, is)); err != nil {
		return nil, err
	}
	made := &java.Map{Class: v.Class}
	for _, f := range fields {
		made.Entries = append(made.Entries, java.Entry{Key: f.Name, Value: f.Value})
	}
	return made, nil
}

// known returns the fields of a type that the codec writes, by the names that it gives them.
func (w *walk) known(p *program, t java.TypeExpr) (all []field, err error) {
	names := map[string]bool{}
	for _, f := range p.fields(t) {
		if !w.form.names {
			f.json = f.name
		}
		if f.json == "-" || w.form.stream && p.notSerializable(f.level) {
			continue
		}
		if names[f.json] || names["java "+f.name] {
			return nil, refuse("%s has two fields %s", t.Class, f.name)
		}
		names[f.json], names["java "+f.name] = true, true
		all = append(all, f)
	}
	return all, nil
}

// fields rewrites the fields of an object.
func (w *walk) fields(have []java.Field, was, is java.TypeExpr) (made []java.Field, err error) {
	old, err := w.known(w.from, was)
	if err != nil {
		return nil, err
	}
	now, err := w.known(w.to, is)
	if err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, h := range have {
		f, refused := w.field(h, old, now, was.Class)
		switch {
		case refused != nil:
			return nil, at(refused, h.Name)
		case f.Name == "":
			continue
		case given[f.Name]:
			return nil, refuse("%s would have two values", f.Name)
		}
		given[f.Name] = true
		made = append(made, f)
	}
	for _, n := range now {
		v, mapped := w.mapping.values[n.level+"."+n.name]
		if given[n.json] || w.form.names && !mapped {
			continue // Java leaves out what is null
		}
		f := java.Field{Name: n.json, Level: n.level, Value: zeroValue(n.typ)}
		if mapped {
			if f.Value, err = w.given(v, n.typ); err != nil {
				return nil, at(err, n.name)
			}
		}
		made = append(made, f)
	}
	return w.ordered(made, now), nil
}

// ordered puts fields into the order of the class, in which codecs write them.
func (w *walk) ordered(made []java.Field, now []field) []java.Field {
	if !w.form.typed {
		place := func(f java.Field) int {
			at := slices.IndexFunc(now, func(n field) bool { return n.json == f.Name })
			return (at + len(now) + 1) % (len(now) + 1) // what is no field comes last
		}
		slices.SortStableFunc(made, func(a, b java.Field) int { return cmp.Compare(place(a), place(b)) })
	}
	return made
}

// field rewrites one field; without a name where nothing is left of it.
func (w *walk) field(h java.Field, old, now []field, class string) (made java.Field, err error) {
	at := slices.IndexFunc(old, func(f field) bool { return f.json == h.Name })
	if at < 0 {
		if !w.form.names || !w.from.getter(class, h.Name) || slices.ContainsFunc(now, func(n field) bool { return n.json == h.Name }) && !w.exact {
			return made, refuse("is no field of %s", class)
		}
		return h, nil // what a getter gives is ignored by Jackson
	}
	f := old[at]
	target, mapped := w.mapping.fields[f.level+"."+f.name]
	if !mapped {
		target = f.name
	}
	to := slices.IndexFunc(now, func(n field) bool { return n.name == target })
	switch {
	case to >= 0:
	case mapped && target != "":
		return made, refuse("is %s by the mapping, which the new class has not", target)
	case target != "" && h.Value != nil && !zeroed(h.Value):
		return made, refuse("is gone from the new class: say in the mapping, by field or drop, what becomes of its value")
	default:
		return made, nil
	}
	n := now[to]
	if value, ok := w.mapping.values[n.level+"."+n.name]; ok && h.Value == nil {
		h.Value, err = w.given(value, n.typ)
	} else {
		h.Value, err = w.value(h.Value, f.typ, n.typ)
	}
	if !w.form.names {
		made.Level = n.level
	}
	made.Name, made.Value = n.json, h.Value
	return made, err
}

// getter reports whether a class or a superclass has a getter for a property.
func (p *program) getter(class, property string) bool {
	if property == "" {
		return false
	}
	for range mostSupers {
		c := p.class(class)
		if c == nil {
			return false
		}
		for _, m := range c.file.Methods {
			if rest, ok := strings.CutPrefix(m.Name, "get"); ok && strings.EqualFold(rest, property) {
				return true
			}
			if rest, ok := strings.CutPrefix(m.Name, "is"); ok && strings.EqualFold(rest, property) {
				return true
			}
		}
		class = c.Super.Class
	}
	return false
}

// argument is a type argument, Object where there is none.
func argument(t java.TypeExpr, i int) java.TypeExpr {
	if i < len(t.Args) && t.Dims == 0 {
		return t.Args[i]
	}
	return anyType
}
