package compat

import (
	"math"
	"slices"
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
)

// Values of messages: nil, bool, string, and these.
type (
	// number is one of the wrappers of numbers, or java.util.Date by its milliseconds.
	number struct {
		class string
		n     int64
	}
	// float is a Float or Double.
	float struct {
		class string
		f     float64
	}
	// scalar is any other value that is no container, by its text.
	scalar struct{ class, text string }
	// constant is one of an enum.
	constant struct {
		class, name string
		ordinal     int
	}
	// list is a list, set or array.
	list struct {
		class    string
		elements []any
	}
	// dict is a map.
	dict struct {
		class        string
		keys, values []any
	}
	// object is an object of a class of the program.
	object struct {
		class  string
		fields []objectField
	}
	objectField struct {
		field
		value any
	}
)

// classOf returns the class of a value, "" for null.
func classOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "java.lang.Boolean"
	case string:
		return stringClass
	case number:
		return v.class
	case float:
		return v.class
	case scalar:
		return v.class
	case constant:
		return v.class
	case *list:
		return v.class
	case *dict:
		return v.class
	case *object:
		return v.class
	}
	return ""
}

const (
	charClass = "java.lang.Character"
	dateClass = "java.util.Date"
)

// sampler fills messages with values: small ones, large ones, negative ones, and with each constant
// of an enum.
type sampler struct {
	p *program
	// n is which of the samples it makes.
	n int
	// hollow says that there is nothing in the objects inside.
	hollow bool
	// made is how many objects there are in the message.
	made *int
}

// mostDeep bounds objects in objects, for classes that hold themselves, and mostMade those of a message.
const (
	mostDeep    = 4
	mostMade    = 500
	mostSamples = 200
)

// samples returns how many messages show all that a class may hold.
func samples(p *program, class string) int {
	n := 3
	seen := map[string]bool{}
	var reach func(t java.TypeExpr)
	reach = func(t java.TypeExpr) {
		for _, a := range t.Args {
			reach(a)
		}
		if seen[t.Class] || len(seen) >= mostObjects {
			return
		}
		seen[t.Class] = true
		c := p.class(t.Class)
		if c == nil {
			return
		}
		n = max(n, len(c.Constants))
		for _, sub := range p.concrete(t.Class) {
			for _, f := range p.fields(java.TypeExpr{Class: sub}) {
				reach(f.typ)
			}
		}
		n = max(n, len(p.concrete(t.Class)))
	}
	reach(java.TypeExpr{Class: class})
	return min(n, mostSamples)
}

// object returns an object of a class; empty says that nothing is in it.
func (s sampler) object(t java.TypeExpr, depth int, empty bool) *object {
	o := &object{class: t.Class}
	*s.made++
	empty = empty || s.hollow && depth > 0
	for _, f := range s.p.fields(t) {
		v := zero(f.typ)
		if !empty {
			v = s.value(f.typ, depth)
		}
		o.fields = append(o.fields, objectField{f, v})
	}
	return o
}

// zero is what a field holds before anything is put there.
func zero(t java.TypeExpr) any {
	if !t.Primitive() {
		return nil
	}
	switch t.Class {
	case "boolean":
		return false
	case "float", "double":
		return float{t.Boxed().Class, 0}
	}
	return number{t.Boxed().Class, 0}
}

var numbers = map[string][3]int64{
	"java.lang.Byte": {7, 70, -3}, "java.lang.Short": {7, 700, -3}, "java.lang.Integer": {7, 1<<24 + 1, -3}, "java.lang.Long": {7, 1<<53 + 1, -3},
	charClass: {'a', '7', 'ß'}, dateClass: {1700000000000, 7, -1},
}

var texts = map[string][3]string{
	"java.math.BigDecimal": {"12.50", "123456789012345678.901", "-1"}, "java.math.BigInteger": {"7", "100000000000000000000", "-3"},
	"java.time.Instant":       {"2023-11-14T22:13:20Z", "1970-01-01T00:00:00.007Z", "1969-12-31T23:59:59.999Z"},
	"java.time.LocalDateTime": {"2024-01-02T03:04:05", "1999-12-31T00:00:00", "2000-02-29T23:59:59.000000001"},
	"java.time.LocalDate":     {"2024-01-02", "1999-12-31", "2000-02-29"},
}

func (s sampler) value(t java.TypeExpr, depth int) any {
	if elem, ok := element(t); ok {
		return s.list(t, elem, depth)
	}
	if key, value, ok := entry(t); ok {
		d := &dict{class: s.p.runtime(t)[0].Class}
		for i := range s.n%3 + 1 {
			one := sampler{s.p, i, s.hollow, s.made}
			d.keys, d.values = append(d.keys, one.value(key, depth)), append(d.values, one.value(value, depth))
		}
		return d
	}
	if c := s.p.class(t.Class); c.isEnum() {
		if len(c.Constants) == 0 {
			return nil
		}
		i := s.n % len(c.Constants)
		return constant{c.Name, c.Constants[i].Name, i}
	}
	held := s.p.runtime(t)
	if len(held) == 0 {
		return nil
	}
	one := held[s.n%len(held)]
	if s.p.class(one.Class) != nil {
		if depth == mostDeep || *s.made >= mostMade {
			return nil
		}
		return s.object(one, depth+1, false)
	}
	return s.basic(one.Boxed().Class)
}

func (s sampler) list(t, elem java.TypeExpr, depth int) any {
	l := &list{class: erased(s.p.runtime(t)[0])}
	for i := range s.n%3 + 1 {
		l.elements = append(l.elements, sampler{s.p, i, s.hollow, s.made}.value(elem, depth))
	}
	return l
}

func (s sampler) basic(class string) any {
	i := s.n % 3
	switch class {
	case "java.lang.Boolean":
		return i != 1
	case stringClass:
		return [...]string{"seven", "42", "größer"}[i]
	case "java.lang.Float":
		return float{class, [...]float64{1.5, 1e10, -0.25}[i]}
	case "java.lang.Double":
		return float{class, [...]float64{1.5, 1234567.890123, -0.25}[i]}
	}
	if n, ok := numbers[class]; ok {
		return number{class, n[i]}
	}
	if t, ok := texts[class]; ok {
		return scalar{class, t[i]}
	}
	return scalar{class, [...]string{"one", "the second", "3"}[i]}
}

// textOf spells a value that is no container.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case number:
		if v.class == charClass {
			return string(rune(v.n))
		}
		return strconv.FormatInt(v.n, 10)
	case float:
		if v.f == math.Trunc(v.f) && math.Abs(v.f) < 1e15 {
			return strconv.FormatInt(int64(v.f), 10)
		}
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	case scalar:
		return v.text
	case constant:
		return v.name
	}
	return classOf(v)
}

// isZero reports whether a value is what a primitive field holds before anything is put there.
func isZero(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case number:
		return v.n == 0 && v.class != dateClass
	case float:
		return v.f == 0
	}
	return false
}

// alike reports whether two values say the same, whatever their types are.
func alike(a, b any) bool { return textOf(a) == textOf(b) }

// shown is a value for people.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.QuoteToASCII(cut(v))
	case *list, *dict, *object:
		return article(java.TypeExpr{Class: classOf(v)})
	}
	return cut(textOf(v))
}

func cut(s string) string {
	const most = 24
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func (o *object) field(name string) (objectField, bool) {
	at := slices.IndexFunc(o.fields, func(f objectField) bool { return f.name == name })
	if at < 0 {
		return objectField{}, false
	}
	return o.fields[at], true
}
