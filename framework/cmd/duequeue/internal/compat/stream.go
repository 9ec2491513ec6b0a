package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// streams judges River and java.io: class descriptors with the names of fields, one group for each
// class of the hierarchy.
type streams struct {
	old, now *program
	river    bool // JBoss River: no serialVersionUID, and no check of primitive types
	memo     memo
	last     bool // nothing follows the object that is judged
}

func (s *streams) message(old string) outcome {
	s.memo, s.last = memo{}, true
	return s.object(java.TypeExpr{Class: old}, anyType).perhaps()
}

// object judges objects of a class of the old program in a variable of a type of the new one.
func (s *streams) object(old, into java.TypeExpr) outcome {
	o := s.old.class(old.Class)
	switch {
	case o.NotSerializable, s.river && o.Kind == java.KindRecord:
		return outcome{verdict: Unwritten, reason: "is not Serializable, so that the old program cannot write it"}
	case o.isEnum():
		return s.constants(o, into)
	}
	n := s.now.class(old.Class)
	if n == nil {
		return failsAlways(missing(old.Class))
	}
	if o.Custom || n.Custom {
		return s.custom(o, n)
	}
	if bad := s.class(o, n); bad.verdict != Same {
		return bad
	}
	if !s.now.assignable(n.Name, into) {
		return failsAlways(fmt.Sprintf("holds %s, which does not go into %s", n.Name, shortType(into)))
	}
	is := java.TypeExpr{Class: n.Name}
	if into.Class == n.Name {
		is.Args = into.Args
	}
	key := fmt.Sprint(old, " ", is, " ", s.last)
	return s.memo.once(key, func() outcome { return s.fields(s.old.fields(old), s.now.fields(is)) })
}

// class judges what Java checks before it reads a field.
func (s *streams) class(o, n *class) outcome {
	switch {
	case n.isEnum():
		if s.river {
			return outcome{verdict: Wrong, always: true, reason: n.Name + " is an enum now, and River makes a constant without a name"}
		}
		return failsAlways(n.Name + " is an enum now")
	case n.NotSerializable:
		return failsAlways(n.Name + " is not Serializable any more")
	case n.abstract():
		return failsAlways(n.Name + " is abstract now, so that no object of it can be made")
	case s.river && n.Kind == java.KindRecord:
		return failsAlways(n.Name + " is a record now, which River cannot make")
	}
	if s.river {
		return s.hierarchy(o, n)
	}
	if n.Kind == java.KindRecord {
		return same
	}
	for range mostSupers {
		if o == nil {
			break
		}
		m := s.now.class(o.Name)
		if m != nil && !m.NotSerializable && !o.NotSerializable && serial(o) != serial(m) {
			return failsAlways(serialReason(o, m))
		}
		o = s.old.class(o.Super.Class)
	}
	return same
}

// hierarchy says which superclass the new program still has, and not above the class any more: River
// reads none of its fields then.
func (s *streams) hierarchy(o, n *class) outcome {
	for range mostSupers {
		if o = s.old.class(o.Super.Class); o == nil || o.NotSerializable {
			break
		}
		if s.now.class(o.Name) != nil && !s.now.assignable(n.Name, java.TypeExpr{Class: o.Name}) {
			return failsAlways(fmt.Sprintf("%s extends %s no more, which the new program still has", n.Name, o.Name))
		}
	}
	return same
}

func serial(c *class) int64 {
	if c.Serial == nil {
		return 0
	}
	return *c.Serial
}

func serialReason(o, m *class) string {
	if o.file.Field("serialVersionUID") == nil {
		return fmt.Sprintf("%s declares no serialVersionUID, and the one that Java computes from its members has changed: %d, not %d", o.Name, serial(m), serial(o))
	}
	return fmt.Sprintf("the serialVersionUID of %s is %d now, not %d", o.Name, serial(m), serial(o))
}

// custom judges classes that write themselves.
func (s *streams) custom(o, n *class) outcome {
	switch {
	case o.Custom && n.Custom && o.String() == n.String() && slices.EqualFunc(o.Fields, n.Fields, sameField):
		return same
	case o.Custom == n.Custom || s.river:
		return s.writesItself(o, n)
	}
	if slices.Contains(o.Interfaces, "java.io.Externalizable") != slices.Contains(n.Interfaces, "java.io.Externalizable") {
		return failsAlways(n.Name + " is Externalizable in one of the two programs only")
	}
	return s.writesItself(o, n)
}

func (s *streams) writesItself(o, n *class) outcome {
	if s.river && !o.Custom && slices.EqualFunc(o.Fields, n.Fields, sameField) {
		return same
	}
	return outcome{verdict: Unknown, reason: n.Name + " writes itself (writeObject, writeExternal or writeReplace): only Java can tell"}
}

func sameField(a, b java.ClassField) bool {
	return a.Name == b.Name && a.Type.String() == b.Type.String()
}

// fields judges the fields of an object. One that moved to a superclass is another field.
func (s *streams) fields(old, now []field) outcome {
	result, last := same, s.last
	defer func() { s.last = last }()
	for i, o := range old {
		if c := s.old.class(o.level); c != nil && c.NotSerializable {
			continue // not written
		}
		s.last = last && !followed(old, i)
		at := slices.IndexFunc(now, func(n field) bool { return n.name == o.name && n.level == o.level && !s.now.notSerializable(n.level) })
		if at >= 0 && now[at].open {
			result = result.and(s.part(o.typ, now[at].typ).at(o.name))
			continue
		}
		if at >= 0 {
			result = result.and(s.value(o.typ, now[at].typ).at(o.name))
			continue
		}
		elsewhere := slices.IndexFunc(now, func(n field) bool { return n.name == o.name })
		gone := loses("is gone from the new class")
		if elsewhere >= 0 {
			gone = loses(fmt.Sprintf("stood in %s and stands in %s now, where Java does not look for it", o.level, now[elsewhere].level))
		}
		result = result.and(gone.at(o.name))
	}
	for _, n := range now {
		if !slices.ContainsFunc(old, func(o field) bool { return o.name == n.name }) {
			result = result.and(byDefault("is not in the old message, and is null or zero").at(n.name))
		}
	}
	return result
}

// followed reports whether the value of an object stands behind that of a field: superclasses come
// first, then primitive values, each by their names.
func followed(all []field, i int) bool {
	for j, f := range all {
		if j == i || f.typ.Primitive() {
			continue
		}
		below := slices.IndexFunc(all, func(g field) bool { return g.level == f.level }) < slices.IndexFunc(all, func(g field) bool { return g.level == all[i].level })
		if below || f.level == all[i].level && (all[i].typ.Primitive() || f.name > all[i].name) {
			return true
		}
	}
	return false
}

// value judges what a field of the old class holds, in a field of the new one.
func (s *streams) value(old, now java.TypeExpr) outcome {
	if old.Primitive() || now.Primitive() {
		return s.primitive(old, now)
	}
	result := same
	for i, held := range s.old.runtime(old) {
		var o outcome
		switch {
		case s.old.class(held.Class) != nil && held.Dims == 0:
			o = s.object(held, now)
		case !s.now.assignable(erased(held), now):
			o = fails(fmt.Sprintf("is %s now, and the old value is %s", shortType(now), article(held)))
		default:
			o = s.parts(held, now)
		}
		if o = o.perhaps(); i == 0 {
			result = o
		} else {
			result = result.and(o)
		}
	}
	if result.verdict == Unwritten {
		return same // a message with null there can be written
	}
	return result
}

func (s *streams) primitive(old, now java.TypeExpr) outcome {
	if old.String() == now.String() {
		return same
	}
	change := fmt.Sprintf("was %s and is %s now", shortType(old), shortType(now))
	switch {
	case !s.river:
		return failsAlways(change + ": \"incompatible types for field\"")
	case old.Primitive() && !now.Primitive():
		return fails(change + ", and River reads an object where there is none")
	}
	if !s.last && (!old.Primitive() || size(old) != size(now)) {
		return failsAlways(change + ", and River reads what follows at the wrong place")
	}
	return wrong(change + ", and River reads the bytes of the one as the other")
}

// size is how many bytes a primitive value has.
func size(t java.TypeExpr) int {
	return map[string]int{"byte": 1, "boolean": 1, "short": 2, "char": 2, "int": 4, "float": 4, "long": 8, "double": 8}[t.Class]
}

// parts judges the elements of a container: Java does not check them.
func (s *streams) parts(old, now java.TypeExpr) outcome {
	if from, ok := element(old); ok {
		to, ok := element(now)
		if !ok {
			to = anyType
		}
		return s.part(from, to).at("[]")
	}
	if k, v, ok := entry(old); ok {
		toKey, toValue, _ := entry(now)
		return s.part(k, toKey).at("key").and(s.part(v, toValue).at("[]"))
	}
	return same
}

func (s *streams) part(from, to java.TypeExpr) outcome {
	last := s.last
	s.last = false // what follows is the next element, or the end of the container
	defer func() { s.last = last }()
	if from.Primitive() || to.Primitive() {
		return same // arrays of other types do not fit
	}
	for _, held := range s.old.runtime(from) {
		if s.old.class(held.Class) == nil && !s.now.assignable(erased(held), to) {
			return wrong(fmt.Sprintf("holds %s where %s is declared: the first use throws ClassCastException", article(held), shortType(to)))
		}
	}
	return s.value(from, to)
}

// constants judges the constants of an enum, which are written by name.
func (s *streams) constants(o *class, into java.TypeExpr) outcome {
	n := s.now.class(o.Name)
	switch {
	case n == nil:
		return failsAlways(missing(o.Name))
	case !n.isEnum():
		return failsAlways(n.Name + " is no enum any more")
	case !s.now.assignable(n.Name, into):
		return failsAlways(fmt.Sprintf("is %s now, and the old value is %s", shortType(into), n.Name))
	}
	return lostConstants(o, n)
}

// lostConstants says which constants of an enum the new program lacks.
func lostConstants(o, n *class) outcome {
	var lost []string
	for _, k := range o.Constants {
		if n.Ordinal(k.Name) < 0 {
			lost = append(lost, k.Name)
		}
	}
	if len(lost) == 0 {
		return same
	}
	return fails(fmt.Sprintf("fails where it is %s, which %s has no more", strings.Join(lost, " or "), n.Name))
}

// article puts an article before a type.
func article(t java.TypeExpr) string {
	name := shortType(t)
	if strings.ContainsRune("AEIOUaeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
