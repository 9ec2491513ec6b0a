package compat

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// comparison compares a message as it was written with what the new program reads, by the names
// of the fields.
type comparison struct{ now *program }

// values compares a value with what was read into a place of a declared type.
func (c comparison) values(old, now any, declared java.TypeExpr) outcome {
	if now != nil && !declared.Primitive() && !c.now.assignable(classOf(now), declared) {
		return wrong(fmt.Sprintf("holds %s where %s is declared: the first use throws ClassCastException", article(java.TypeExpr{Class: classOf(now)}), shortType(declared)))
	}
	if old == nil || now == nil {
		return nulls(old, now)
	}
	switch n := now.(type) {
	case *object:
		if o, ok := old.(*object); ok {
			return c.objects(o, n)
		}
		return misread(old, now)
	case *list:
		if o, ok := old.(*list); ok {
			return c.lists(o, n, declared)
		}
		return misread(old, now)
	case *dict:
		if o, ok := old.(*dict); ok {
			return c.maps(o, n, declared)
		}
		return misread(old, now)
	}
	if !alike(old, now) {
		return misread(old, now)
	}
	return same
}

func misread(old, now any) outcome {
	return wrong(fmt.Sprintf("reads as %s where the message has %s", shown(now), shown(old)))
}

func nulls(old, now any) outcome {
	switch {
	case old == nil && now == nil:
		return same
	case old == nil && isZero(now):
		return byDefault("reads as zero where it is null")
	case old == nil:
		return misread(old, now)
	}
	return loses("reads as null")
}

func (c comparison) objects(old, now *object) outcome {
	result := same
	worse := func(o outcome) {
		if o.verdict > result.verdict {
			result = o
		}
	}
	for _, o := range old.fields {
		n, ok := now.field(o.name)
		switch {
		case ok:
			retyped := erased(o.typ) != erased(n.typ) && c.now.class(n.typ.Class) == nil
			worse(c.field(o.value, n.value, retyped, n.typ).at(o.name))
		case o.value != nil && !isZero(o.value):
			worse(loses("is gone from the new class").at(o.name))
		}
	}
	for _, n := range now.fields {
		if _, ok := old.field(n.name); ok {
			continue
		}
		if n.value == nil || isZero(n.value) {
			worse(byDefault("is not in the old message").at(n.name))
		} else {
			worse(wrong(fmt.Sprintf("is not in the old message and reads as %s, from the bytes of another field", shown(n.value))).at(n.name))
		}
	}
	return result
}

// field compares the values of a field that both classes have.
func (c comparison) field(old, now any, retyped bool, declared java.TypeExpr) outcome {
	untouched := now == nil || isZero(now)
	empty := old == nil || isZero(old)
	kept := old != nil && now != nil && alike(old, now)
	if untouched && !kept && (empty || now == nil || !retyped) {
		switch {
		case !empty:
			return loses("reads as null or zero")
		case old == nil && now == nil:
			return same
		}
		return byDefault("reads as " + textOf(now) + " where the message has " + textOf(old))
	}
	return c.values(old, now, declared)
}

func (c comparison) lists(old, now *list, declared java.TypeExpr) outcome {
	if len(old.elements) != len(now.elements) {
		return wrong(fmt.Sprintf("reads %d elements where the message has %d", len(now.elements), len(old.elements)))
	}
	elem, ok := element(declared)
	if !ok {
		elem = anyType
	}
	result := same
	for i := range old.elements {
		if o := c.values(old.elements[i], now.elements[i], elem); o.verdict > result.verdict {
			result = o.at("[]")
		}
	}
	return result
}

func (c comparison) maps(old, now *dict, declared java.TypeExpr) outcome {
	if len(old.keys) != len(now.keys) {
		return wrong(fmt.Sprintf("reads %d entries where the message has %d", len(now.keys), len(old.keys)))
	}
	key, value, _ := entry(declared)
	result := same
	for i := range old.keys {
		for _, o := range []outcome{c.values(old.keys[i], now.keys[i], key).at("key"), c.values(old.values[i], now.values[i], value).at("[]")} {
			if o.verdict > result.verdict {
				result = o
			}
		}
	}
	return result
}
