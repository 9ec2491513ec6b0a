package compat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
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
		f, err := w.field(h, old, now, was.Class)
		switch {
		case err != nil:
			return nil, at(err, h.Name)
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

func zeroed(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case java.Char:
		return v == 0
	case float32:
		return v == 0
	case float64:
		return v == 0
	}
	n, ok := integer(v)
	return ok && n.Sign() == 0
}

// argument is a type argument, Object where there is none.
func argument(t java.TypeExpr, i int) java.TypeExpr {
	if i < len(t.Args) && t.Dims == 0 {
		return t.Args[i]
	}
	return anyType
}

// list rewrites a list, set or array of objects.
func (w *walk) list(v *java.List, was, is java.TypeExpr, into *any) error {
	class := erased(java.TypeOf(v.Class))
	bare := v.Class == bareArray
	if bare && was.Dims > 0 {
		class = erased(was)
	}
	to, err := w.container(class, is, listClasses)
	if err != nil {
		return err
	}
	made := &java.List{Class: v.Class, Comparator: v.Comparator, Form: v.Form, Of: w.name(v.Of)}
	if to != class || bare {
		t, _ := java.ParseType(to)
		made.Class, made.Form, made.Comparator = t.Erasure(nil), nil, nil
	}
	if v.Of == "" {
		made.Of = ""
	}
	switch unnamed := is.Dims > 0 && w.form.names && !(&jsonRules{typed: w.form.typed}).named(w.to, is); {
	case unnamed:
		made.Class = bareArray
	case bare && w.exact:
		return refuse("names no class, which %s needs", shortType(is))
	}
	*into, w.seen[key{v, is.String()}] = made, made
	from, _ := element(was)
	elem, ok := element(is)
	if t, _ := java.ParseType(to); t.Dims > 0 && !ok {
		elem, ok = element(t)
	}
	if !ok {
		elem = anyType
	}
	if from.IsZero() {
		from = anyType
	}
	for _, e := range v.Elements {
		value, err := w.element(e, from, elem, bare)
		if err != nil {
			return at(err, "[]")
		}
		made.Elements = append(made.Elements, value)
	}
	if to != class && strings.HasSuffix(to, "Set") {
		return w.distinct(made.Elements)
	}
	return nil
}

// bareArray is the class of an array in JSON, which names none.
const bareArray = "[]"

// element rewrites an element; bare says that its class is that of its place.
func (w *walk) element(e any, was, is java.TypeExpr, bare bool) (any, error) {
	if made := w.literal(e, was, is); bare && made != nil {
		return made, nil
	}
	return w.value(e, was, is)
}

// distinct refuses what a set would hold once.
func (w *walk) distinct(all []any) error {
	seen := map[string]bool{}
	for _, e := range all {
		text := string(view.Typed(e))
		if seen[text] {
			return refuse("has a value twice, which a set does not")
		}
		seen[text] = true
	}
	return nil
}

// What becomes a container of another class, by the class that is declared.
var (
	listClasses = setOf("java.util.ArrayList java.util.LinkedList java.util.HashSet java.util.LinkedHashSet java.util.ArrayDeque java.util.Vector")
	mapClasses  = setOf("java.util.HashMap java.util.LinkedHashMap")
)

// container returns the class of a container in a place of a type.
func (w *walk) container(class string, is java.TypeExpr, kinds map[string]bool) (string, error) {
	t, err := java.ParseType(class)
	if err != nil || class == "" {
		t = java.TypeExpr{Class: cmp.Or(class, objectClass)}
	}
	t.Class = w.name(t.Class)
	if c := w.from.class(t.Class); c != nil && t.Dims == 0 {
		return "", refuse("is of %s, a collection or map of the program", t.Class)
	}
	if t.Dims > 0 && w.to.class(t.Class) != nil {
		w.used[t.Class] = true
	}
	usual := cmp.Or(usualClass[is.Class], is.Class)
	switch {
	case w.form.typed && (is.Class == objectClass || is.Dims > 0 || kinds[usual] || kindOf(w.to, is) == kindList || kindOf(w.to, is) == kindMap):
		if _, list := element(is); list != (kinds["java.util.ArrayList"]) && is.Class != objectClass {
			return "", refuse("is %s, and %s is declared", article(java.TypeExpr{Class: class}), shortType(is))
		}
		return class, nil // the bytes name no class
	case w.to.assignable(erased(t), is):
		return erased(t), nil
	case is.Dims > 0 && !is.Primitive() && kinds["java.util.ArrayList"] && !w.exact && !(is.Dims == 1 && primitive(is.Class)):
		return erased(is), nil
	case kinds[usual] && is.Dims == 0 && !w.exact:
		return usual, nil
	}
	return "", refuse("is %s, and %s is declared", article(java.TypeExpr{Class: class}), shortType(is))
}

func primitive(class string) bool { return java.TypeExpr{Class: class}.Primitive() }

// dict rewrites a map.
func (w *walk) dict(v *java.Map, was, is java.TypeExpr, into *any) error {
	to, err := w.container(v.Class, is, mapClasses)
	if err != nil {
		return err
	}
	made := &java.Map{Class: to, Comparator: v.Comparator, Form: v.Form}
	if to != v.Class {
		made.Form, made.Comparator = nil, nil
	}
	if v.Of != "" {
		made.Of = w.name(v.Of)
	}
	*into, w.seen[key{v, is.String()}] = made, made
	fromKey, fromValue, _ := entry(was)
	toKey, toValue, _ := entry(is)
	for _, e := range v.Entries {
		k, err := w.mapKey(e.Key, fromKey, toKey)
		if err != nil {
			return at(err, "key")
		}
		value, err := w.value(e.Value, fromValue, toValue)
		if err != nil {
			return at(err, "[]")
		}
		made.Entries = append(made.Entries, java.Entry{Key: k, Value: value})
	}
	return nil
}

// mapKey rewrites a key, which is a text in JSON.
func (w *walk) mapKey(v any, was, is java.TypeExpr) (any, error) {
	text, ok := v.(string)
	if !ok || !w.form.names || was.Class == stringClass && is.Class == stringClass {
		return w.value(v, was, is)
	}
	if c := w.from.class(was.Class); c.isEnum() {
		return w.constantText(text, c, is)
	}
	if was.Class != is.Class && is.Class != stringClass && is.Class != objectClass && !(kindOf(w.from, was) == kindInt && kindOf(w.to, is) == kindInt) {
		return nil, refuse("was %s and is %s now", shortType(was), shortType(is))
	}
	return v, nil
}

// constant rewrites a constant of an enum.
func (w *walk) constant(v java.Enum, is java.TypeExpr) (any, error) {
	c := w.from.class(v.Class)
	if c == nil && classfile.OfJDK(v.Class) && w.to.assignable(v.Class, is) {
		return v, nil
	}
	if c == nil {
		return nil, refuse("is of %s, an enum that the program has not", v.Class)
	}
	if v.Name == "" {
		known, ok := c.Enum(v.Ordinal)
		if !ok {
			return nil, refuse("is constant %d of %s, which has %d", v.Ordinal, v.Class, len(c.Constants))
		}
		v = known
	}
	if c.Ordinal(v.Name) < 0 {
		return nil, refuse("is %s, a constant that %s has not", v.Name, v.Class)
	}
	return w.constantOf(c, v.Name, is)
}

// constantOf returns a constant in a place of a type: the text of its name where that is a String.
func (w *walk) constantOf(c *class, name string, is java.TypeExpr) (any, error) {
	name = cmp.Or(w.mapping.constants[c.Name+"."+name], name)
	if is.Class == stringClass && is.Dims == 0 {
		return name, nil
	}
	_, n, err := w.class(c.Name, is)
	if err != nil {
		return nil, err
	}
	i := n.Ordinal(name)
	if i < 0 {
		return nil, refuse("is %s, a constant that %s has not", name, n.Name)
	}
	made, _ := n.Enum(i)
	return made, nil
}

// constantText rewrites a constant whose class the bytes do not name.
func (w *walk) constantText(v any, c *class, is java.TypeExpr) (any, error) {
	name, ok := v.(string)
	if !ok || c.Ordinal(name) < 0 {
		return nil, refuse("is no constant of %s", c.Name)
	}
	made, err := w.constantOf(c, name, is)
	if e, ok := made.(java.Enum); ok {
		return e.Name, nil
	}
	return made, err
}

// scalar rewrites a value that is no container and no object.
func (w *walk) scalar(v any, was, is java.TypeExpr) (any, error) {
	class, boxed := erased(java.TypeOf(java.ClassOf(v))), is
	if is.Dims == 0 {
		boxed = is.Boxed()
	}
	if w.form.typed {
		if made := w.literal(v, was, is); made != nil {
			return made, nil
		}
	} else if w.to.assignable(class, boxed) {
		return v, nil
	} else if made := w.other(v, boxed); made != nil {
		return made, nil
	}
	return nil, refuse("is %s of %s, which does not go into %s", shownJSON(v), class, shortType(is))
}

// other returns what says the same as a value in a place of another type, nil where nothing does.
func (w *walk) other(v any, is java.TypeExpr) any {
	if w.exact || is.Dims > 0 {
		return nil
	}
	n, text := w.to.class(is.Class), ""
	if s, ok := v.(string); ok {
		text = s
	}
	if !n.isEnum() || n.Ordinal(text) < 0 {
		return converted(v, is.Class)
	}
	w.used[n.Name] = true
	if w.form.names {
		return text
	}
	made, _ := n.Enum(n.Ordinal(text))
	return made
}

// literal returns what becomes of a value whose class is that of its place alone, nil where nothing does.
func (w *walk) literal(v any, was, is java.TypeExpr) any {
	from, to := kindOf(w.from, was), kindOf(w.to, is)
	texts := []kind{kindInt, kindBool, kindChar, kindText}
	n, whole := integer(v)
	switch {
	case erased(was) == erased(is), was.Class == objectClass && was.Dims == 0, is.Class == objectClass && is.Dims == 0 && slices.Contains(texts, from), is.Class == "java.lang.Number" && from == kindInt:
	case from == to && from == kindFloat && digits[was.Boxed().Class] <= digits[is.Boxed().Class]:
	case from == to && slices.Contains(texts, from), from == kindText && to == kindEnum && !w.exact:
	case from == kindInt && to == kindFloat && whole && n.IsInt64() && number64(n.Int64(), is.Boxed().Class) != nil:
	case to == kindText && !w.exact && slices.Contains(texts, from):
		if text, ok := v.(string); ok {
			return text
		}
		return converted(v, stringClass)
	default:
		return nil
	}
	if !loose(v, w.to, is) {
		return nil
	}
	return v
}

func shownJSON(v any) string { return codecs.Printable(string(view.Of(v)), 60) }

// loose reports whether a value of JSON may be one of a type, whose class the bytes do not name.
func loose(v any, p *program, is java.TypeExpr) bool {
	n, whole := integer(v)
	_, text := v.(string)
	switch kindOf(p, is) {
	case kindInt:
		return whole && n.IsInt64() && number64(n.Int64(), is.Boxed().Class) != nil
	case kindFloat:
		_, f := v.(float64)
		_, d := v.(java.BigDecimal)
		return whole || f || d
	case kindBool:
		_, ok := v.(bool)
		return ok
	case kindText:
		return text
	case kindEnum:
		return text && p.class(is.Class).Ordinal(v.(string)) >= 0 //nolint:forcetypeassert // text
	case kindChar:
		return text && len([]rune(v.(string))) == 1 //nolint:forcetypeassert // text
	case kindDate:
		return whole
	case kindBytes, kindOther, kindTime:
		return text || whole
	case kindList, kindMap, kindBean:
	}
	return is.Class == objectClass || is.Class == "java.lang.Number" && whole
}

// integer returns a number without a point.
func integer(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case int8:
		return big.NewInt(int64(v)), true
	case int16:
		return big.NewInt(int64(v)), true
	case int32:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// converted returns a value of a class that says the same as another one, nil where there is none.
func converted(v any, class string) any {
	if n, ok := integer(v); ok {
		switch {
		case class == stringClass:
			return n.String()
		case class == "java.math.BigInteger":
			return n
		case class == "java.math.BigDecimal":
			d, _ := java.ParseBigDecimal(n.String())
			return d
		case n.IsInt64():
			return number64(n.Int64(), class)
		}
		return nil
	}
	switch v := v.(type) {
	case bool:
		if class == stringClass {
			return strconv.FormatBool(v)
		}
	case java.Char:
		if class == stringClass && v < 0xd800 {
			return string(rune(v))
		}
	case float32:
		if class == "java.lang.Double" && strconv.FormatFloat(float64(v), 'g', -1, 64) == strconv.FormatFloat(float64(v), 'g', -1, 32) {
			return float64(v)
		}
	case float64:
		if f := float32(v); class == "java.lang.Float" && float64(f) == v && strconv.FormatFloat(v, 'g', -1, 64) == strconv.FormatFloat(v, 'g', -1, 32) {
			return f
		}
	}
	return nil
}

// number64 returns a number of a class, nil where that does not hold it.
func number64(n int64, class string) any {
	switch {
	case class == "java.lang.Byte" && n == int64(int8(n)):
		return int8(n)
	case class == "java.lang.Short" && n == int64(int16(n)):
		return int16(n)
	case class == "java.lang.Integer" && n == int64(int32(n)):
		return int32(n)
	case class == "java.lang.Long":
		return n
	case class == "java.lang.Float" && n == int64(float32(n)) && max(n, -n) < 1<<24:
		return float32(n)
	case class == "java.lang.Double" && max(n, -n) < 1<<53:
		return float64(n)
	}
	return nil
}

// zeroValue is what Java has in a field before anything is put there.
func zeroValue(t java.TypeExpr) any {
	if !t.Primitive() {
		return nil
	}
	switch t.Class {
	case "boolean":
		return false
	case "char":
		return java.Char(0)
	}
	return number64(0, t.Boxed().Class)
}

// given returns a value of the mapping as one of a declared type.
func (w *walk) given(v any, is java.TypeExpr) (any, error) {
	class := is.Boxed().Class
	n := w.to.class(class)
	switch v := v.(type) {
	case nil:
		return w.value(nil, anyType, is)
	case bool:
		if class == "java.lang.Boolean" || class == objectClass {
			return v, nil
		}
	case string:
		switch {
		case is.Dims > 0:
		case n.isEnum() && n.Ordinal(v) >= 0:
			return w.scalar(v, anyType, is)
		case class == stringClass || class == objectClass || class == "java.lang.CharSequence":
			return v, nil
		case class == "java.lang.Character" && len([]rune(v)) == 1 && []rune(v)[0] < 0xd800:
			return java.Char([]rune(v)[0]), nil
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			if made := number64(i, class); made != nil {
				return made, nil
			}
		}
		f, err := v.Float64()
		switch d, bad := java.ParseBigDecimal(v.String()); {
		case class == "java.math.BigDecimal" && bad == nil:
			return d, nil
		case class == "java.lang.Double" && err == nil:
			return f, nil
		case class == "java.lang.Float" && err == nil && math.Abs(f) <= math.MaxFloat32:
			return float32(f), nil
		}
	}
	return nil, refuse("has the value %v in the mapping, which is none of %s", v, shortType(is))
}
