package compat

import (
	"cmp"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

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
	list := kinds["java.util.ArrayList"]
	_, lists := element(is)
	_, _, maps := entry(is)
	switch {
	case w.form.typed:
		if list && lists || !list && maps || erased(is) == objectClass {
			return class, nil // the bytes name no class
		}
	case w.to.assignable(erased(t), is):
		return erased(t), nil
	case w.exact:
	case list && is.Dims > 0:
		if is.Dims > 1 || !primitive(is.Class) {
			return erased(is), nil
		}
	case kinds[usual]:
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
	numbers := kindOf(w.from, was) == kindInt && kindOf(w.to, is) == kindInt
	if was.Class == is.Class || is.Class == stringClass || is.Class == objectClass || numbers {
		return v, nil
	}
	return nil, refuse("was %s and is %s now", shortType(was), shortType(is))
}
