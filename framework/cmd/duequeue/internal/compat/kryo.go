package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// kryo judges Kryo5Codec by messages that it writes as the old program does and reads as the new one
// does. Kryo writes the fields of an object one after the other, by their names and without them.
type kryo struct {
	old, now *program
}

func (k *kryo) message(class string) outcome {
	t := java.TypeExpr{Class: class}
	if name := k.special(t, map[string]bool{}); name != "" {
		return outcome{verdict: Unknown, reason: "holds " + name + ", a collection, map or exception, which Kryo does not write by its fields: only Java can tell"}
	}
	var messages []any
	if c := k.old.class(class); c.isEnum() {
		for i, constantOf := range c.Constants {
			messages = append(messages, constant{class, constantOf.Name, i})
		}
	} else {
		messages = k.objects(t)
	}
	result, seen := same, map[Verdict]int{}
	for _, m := range messages {
		if k.judge(m, k.old).verdict != Same {
			return outcome{verdict: Unknown, reason: "holds values whose bytes are not known here: only Java can tell"}
		}
		o := k.judge(m, k.now)
		seen[o.verdict]++
		if o.verdict > result.verdict {
			result = o
		}
	}
	if seen[Wrong] > 0 && seen[Fails] > 0 {
		result.reason += fmt.Sprintf(" (of %d messages that were tried %d read wrongly, and %d fail)", len(messages), seen[Wrong], seen[Fails])
	}
	return k.explain(class, result)
}

// objects returns objects to try: one without values, one with nothing in the objects inside, and full
// ones.
func (k *kryo) objects(t java.TypeExpr) []any {
	all := []any{sampler{p: k.old, made: new(int)}.object(t, 0, true), sampler{p: k.old, hollow: true, made: new(int)}.object(t, 0, false)}
	for i := range samples(k.old, t.Class) {
		all = append(all, sampler{p: k.old, n: i, made: new(int)}.object(t, 0, false))
	}
	return all
}

// judge tells what becomes of one message in a program.
func (k *kryo) judge(message any, in *program) outcome {
	w := &kryoWriter{p: k.old}
	w.withClass(message, java.TypeExpr{})
	r := &kryoReader{p: in, rest: w.out}
	got := r.withClass(java.TypeExpr{})
	if r.err != nil {
		return fails(r.err.Error())
	}
	return comparison{in}.values(message, got, anyType)
}

// special returns a class that messages of a type hold and that Kryo writes in a way of its own, "" for
// none.
func (k *kryo) special(t java.TypeExpr, seen map[string]bool) string {
	for _, a := range t.Args {
		if found := k.special(a, seen); found != "" {
			return found
		}
	}
	if seen[t.Class] || k.old.class(t.Class) == nil || len(seen) >= mostObjects {
		return ""
	}
	seen[t.Class] = true
	for _, name := range k.old.concrete(t.Class) {
		if special(k.old.class(name)) {
			return name
		}
		for _, f := range k.old.fields(java.TypeExpr{Class: name}) {
			if found := k.special(f.typ, seen); found != "" {
				return found
			}
		}
	}
	return ""
}

// explain adds what has changed, since what happens there only follows from it.
func (k *kryo) explain(class string, o outcome) outcome {
	if o.verdict == Same || o.verdict == Unwritten {
		return o
	}
	if changes := k.changes(class); len(changes) > 0 && o.verdict > Default {
		o.reason += "; Kryo 5 writes no names of fields, and " + strings.Join(changes, ", ")
	}
	return o
}

// mostChanges bounds what a reason names.
const mostChanges = 3

// changes says what is another in the new classes, as far as Kryo's bytes show it.
func (k *kryo) changes(class string) (all []string) {
	seen := map[string]bool{}
	queue := []string{class}
	for ; len(queue) > 0 && len(all) < mostChanges; queue = queue[1:] {
		name := queue[0]
		c := k.old.class(name)
		if seen[name] || c == nil {
			continue
		}
		seen[name] = true
		n := k.now.class(name)
		if n == nil {
			all = append(all, name+" is gone")
			continue
		}
		was, is := k.old.fields(java.TypeExpr{Class: name}), k.now.fields(java.TypeExpr{Class: name})
		all = append(all, fieldChanges(c, n, was, is)...)
		for _, f := range was {
			queue = append(queue, mentioned(f.typ)...)
		}
	}
	return all[:min(len(all), mostChanges)]
}

func fieldChanges(c, n *class, was, is []field) (all []string) {
	simple := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
	for _, f := range was {
		at := slices.IndexFunc(is, func(g field) bool { return g.name == f.name })
		switch {
		case at < 0:
			all = append(all, fmt.Sprintf("%s.%s is gone", simple, f.name))
		case is[at].typ.String() != f.typ.String():
			all = append(all, fmt.Sprintf("%s.%s was %s and is %s now", simple, f.name, shortType(f.typ), shortType(is[at].typ)))
		}
	}
	for _, f := range is {
		if !slices.ContainsFunc(was, func(g field) bool { return g.name == f.name }) {
			all = append(all, fmt.Sprintf("%s.%s is new", simple, f.name))
		}
	}
	if c.isEnum() && !slices.Equal(c.Constants, n.Constants) {
		all = append(all, "the constants of "+simple+" have changed, which are written by their number")
	}
	if c.Kind != n.Kind || c.Final != n.Final {
		all = append(all, simple+" became another kind of class (final, record or enum)")
	}
	return all
}

// wireField is a field with the type that Kryo looks at: of a component of a record the class alone.
type wireField struct {
	field
	wire java.TypeExpr
}

// wireFields returns the fields of an object in Kryo's order.
func wireFields(p *program, t java.TypeExpr) (all []wireField) {
	c := p.class(t.Class)
	for _, f := range p.fields(t) {
		one := wireField{f, f.typ}
		if c.Kind == java.KindRecord {
			one.wire.Args = nil
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b wireField) int { return strings.Compare(a.name, b.name) })
	return all
}

// registered are the classes that Kryo knows by a number.
var registered = []string{
	"java.lang.Integer", stringClass, "java.lang.Float", "java.lang.Boolean", "java.lang.Byte", charClass, "java.lang.Short", "java.lang.Long", "java.lang.Double",
}

// acceptsNull reports whether the bytes of a class have a null of their own.
func acceptsNull(p *program, t java.TypeExpr) bool {
	return t.Dims > 0 || t.Class == stringClass || p.class(t.Class).isEnum() ||
		t.Class == "java.lang.StringBuilder" || t.Class == "java.lang.StringBuffer" || t.Class == "java.util.Currency"
}

// sorted reports whether a comparator stands before the elements of a container.
func sorted(class string) bool {
	return class == "java.util.TreeSet" || class == "java.util.TreeMap" || class == "java.util.PriorityQueue" || class == "java.util.concurrent.ConcurrentSkipListMap"
}

// known is what the declared type of a field says of what is inside: that of the elements, or of the
// keys and values, where they are final and written without their class.
func (p *program) known(t java.TypeExpr, i int) (java.TypeExpr, bool) {
	if i >= len(t.Args) || t.Dims > 0 {
		return java.TypeExpr{}, false
	}
	return t.Args[i], p.final(t.Args[i])
}

// lastArg is the context of what is inside.
func lastArg(t java.TypeExpr) java.TypeExpr {
	if len(t.Args) == 0 || t.Dims > 0 {
		return java.TypeExpr{}
	}
	return t.Args[len(t.Args)-1]
}

// objectType is the type of an object of a class in a place with that context.
func (p *program) objectType(class string, ctx java.TypeExpr) java.TypeExpr {
	t := java.TypeExpr{Class: class}
	if c := p.class(class); c != nil && ctx.Dims == 0 && len(ctx.Args) == len(c.Params) {
		t.Args = ctx.Args
	}
	return t
}
