package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// jsonRules judges Redisson's codecs of Jackson, in whatever format: by fields, without getters,
// null left out, unknown properties ignored.
type jsonRules struct {
	old, now *program
	typed    bool           // TypedJsonJacksonCodec: no class is named
	ion      bool           // classes are annotations, which stand nowhere in the way
	msgpack  bool           // the parser of MessagePack checks less
	mapper   jackson.Mapper // of the service, which names classes where it has a typing
	memo     memo
}

// jsonCodecs are the codecs that these rules judge, with the mappers that the jars have been seen with.
var jsonCodecs = map[string]jsonRules{
	"jsonjackson": {}, "cborjackson": {}, "smilejackson": {}, "ionjackson": {ion: true}, "msgpackjackson": {msgpack: true}, typedJSON: {typed: true},
	typedJSON + "+typing=NON_FINAL":             {mapper: jackson.Mapper{Typing: jackson.NonFinal}},
	typedJSON + "+typing=NON_FINAL+as=PROPERTY": {mapper: jackson.Mapper{Typing: jackson.NonFinal, As: jackson.Property}},
}

func (j *jsonRules) message(old, now string) outcome {
	j.memo = memo{}
	from := java.TypeExpr{Class: old}
	if j.typed {
		if j.now.class(now) == nil {
			return failsAlways(missing(now))
		}
		return j.plain(from, java.TypeExpr{Class: now})
	}
	if j.old.final(from) {
		return failsAlways(old + " is final, and Jackson writes no class for it at the root: no program can read it")
	}
	if j.now.class(old) == nil {
		return failsAlways(missing(old))
	}
	return j.object(from, from)
}

// own reports whether the mapper of the service names the classes, and not Redisson's.
func (j *jsonRules) own() bool { return j.mapper.Typing != jackson.NoTyping }

// named reports whether the codec writes the class of a value in a place of that type.
func (j *jsonRules) named(p *program, t java.TypeExpr) bool {
	t.Dims = 0
	return !j.typed && (t.Class == "java.lang.Long" && !j.own() || !p.final(t))
}

// value judges what a field of the old class holds, in a field of the new one.
func (j *jsonRules) value(from, to java.TypeExpr) outcome {
	result := same
	for i, held := range j.old.runtime(from) {
		o := j.held(held, from, to).perhaps()
		if i == 0 {
			result = o
		} else {
			result = result.and(o)
		}
	}
	if result.verdict == Unwritten {
		result = same // a message with null there can be written
	}
	if !from.Primitive() && to.Primitive() {
		result = result.and(byDefault("reads as " + zeroOf(to) + " where it is null"))
	}
	return result
}

func zeroOf(t java.TypeExpr) string {
	if t.Class == "boolean" {
		return "false"
	}
	return "0"
}

func (j *jsonRules) held(held, from, to java.TypeExpr) outcome {
	natural := held.Dims == 0 && naturals[held.Class]
	wasNamed := j.named(j.old, from) && !natural
	switch isNamed := j.named(j.now, to); {
	case wasNamed && isNamed:
		return j.byName(held, to)
	case wasNamed && j.ion:
		return j.plain(held, to)
	case wasNamed && to.Dims == 1 && to.Class == stringClass && kindOf(j.old, held) != kindList && kindOf(j.old, held) < kindMap:
		return wrong("is written with its class, which reads as the first of two texts")
	case wasNamed && (j.own() && j.mapper.As == jackson.WrapperArray || kindOf(j.old, held) != kindBean || kindOf(j.now, to) != kindBean):
		return fails(fmt.Sprintf("is written with its class, %s, which %s does not expect", shortType(held), shortType(to)))
	case !wasNamed && isNamed:
		return j.unnamed(held, to)
	}
	return j.plain(held, to)
}

// naturals are the types of JSON itself: Jackson names the class of no value of them.
var naturals = setOf("java.lang.String java.lang.Boolean java.lang.Integer java.lang.Double")

// byName judges a value with its class in a place that looks for one.
func (j *jsonRules) byName(held, to java.TypeExpr) outcome {
	if held.Dims > 0 {
		if _, list := element(to); list && to.Dims == held.Dims || to.Class == objectClass {
			return j.plain(held, to)
		}
		return fails(fmt.Sprintf("is %s now, and the old value is %s", shortType(to), article(held)))
	}
	if j.old.class(held.Class) != nil && j.now.class(held.Class) == nil {
		return fails(missing(held.Class))
	}
	if !j.now.assignable(held.Class, to) {
		return fails(fmt.Sprintf("is %s now, and the class in the message is %s", shortType(to), held.Class))
	}
	is := java.TypeExpr{Class: held.Class}
	if len(to.Args) > 0 {
		is.Args = to.Args
	}
	return j.plain(held, is)
}

// unnamed judges a value without a class in a place that looks for one.
func (j *jsonRules) unnamed(held, to java.TypeExpr) outcome {
	boxed := map[kind]string{
		kindInt: "java.lang.Integer", kindFloat: "java.lang.Double", kindBool: "java.lang.Boolean",
		kindText: stringClass, kindChar: stringClass, kindEnum: stringClass,
	}[kindOf(j.old, held)]
	if boxed != "" && to.Dims == 0 && j.now.assignable(boxed, to) {
		return same
	}
	return fails("is written without its class, which Jackson wants for " + shortType(to))
}

// kind is what JSON makes of a type.
type kind int

const (
	kindOther kind = iota
	kindInt
	kindFloat
	kindBool
	kindChar
	kindText
	kindEnum
	kindBytes
	kindDate
	kindTime // java.time, which Redisson's mapper does not know
	kindList
	kindMap
	kindBean
)

// scalarKinds are those of classes of the JDK.
var scalarKinds = map[string]kind{
	"java.lang.Byte": kindInt, "java.lang.Short": kindInt, "java.lang.Integer": kindInt, "java.lang.Long": kindInt, "java.math.BigInteger": kindInt,
	"java.lang.Float": kindFloat, "java.lang.Double": kindFloat, "java.math.BigDecimal": kindFloat,
	"java.lang.Boolean": kindBool, "java.lang.Character": kindChar, stringClass: kindText,
	"java.util.Date": kindDate, "java.sql.Timestamp": kindDate,
}

func kindOf(p *program, t java.TypeExpr) kind {
	if _, list := element(t); list {
		if t.Dims == 1 && t.Class == "byte" {
			return kindBytes
		}
		return kindList
	}
	if _, _, ok := entry(t); ok {
		return kindMap
	}
	if c := p.class(t.Class); c != nil {
		if c.isEnum() {
			return kindEnum
		}
		return kindBean
	}
	if strings.HasPrefix(t.Class, "java.time.") {
		return kindTime
	}
	return scalarKinds[t.Boxed().Class]
}

// plain judges a value as JSON has it, in a place of a type.
func (j *jsonRules) plain(held, to java.TypeExpr) outcome {
	from, into := kindOf(j.old, held), kindOf(j.now, to)
	switch {
	case from == kindTime:
		return outcome{verdict: Unwritten, reason: "is of java.time, which Redisson's mapper does not write"}
	case to.Class == objectClass && to.Dims == 0 && j.typed && from >= kindList:
		return j.untyped(held, to, from)
	case to.Class == objectClass && to.Dims == 0, to.Class == "java.lang.Number" && (from == kindInt || from == kindFloat):
		return same
	case from == kindBean && into == kindBean:
		return j.object(held, to)
	case from == kindEnum && into == kindEnum:
		return lostConstants(j.old.class(held.Class), j.now.class(to.Class))
	case from == kindList && into == kindList:
		a, _ := element(held)
		b, _ := element(to)
		return j.value(a, b).at("[]")
	case from == kindMap && into == kindMap:
		fromKey, fromValue, _ := entry(held)
		toKey, toValue, _ := entry(to)
		return j.key(fromKey, toKey).at("key").and(j.value(fromValue, toValue).at("[]"))
	case from == kindMap && into == kindBean, from == kindBean && into == kindMap:
		return wrong("was " + shortType(held) + " and is " + shortType(to) + " now, which takes what has the same names")
	}
	if j.msgpack && from == kindInt && into == kindInt && width(held) >= longWidth && width(to) < longWidth {
		return wrong("was " + shortType(held) + " and is " + shortType(to) + " now, which drops the upper bits of a larger number")
	}
	if j.msgpack && from == kindBool && into == kindText {
		return wrong("was " + shortType(held) + " and is " + shortType(to) + " now, which reads as the name of the property")
	}
	return scalars(held, to, from, into)
}

// untyped judges what is in a field of type Object, for which TypedJsonJacksonCodec knows no class.
func (j *jsonRules) untyped(held, to java.TypeExpr, from kind) outcome {
	if from == kindBean {
		return wrong("was " + shortType(held) + " and is Object now, and reads as a LinkedHashMap")
	}
	if elem, ok := element(held); ok {
		return j.value(elem, to).at("[]")
	}
	_, value, _ := entry(held)
	return j.value(value, to).at("[]")
}

// key judges keys of maps, which are texts.
func (j *jsonRules) key(from, to java.TypeExpr) outcome {
	f, t := kindOf(j.old, from), kindOf(j.now, to)
	switch {
	case f == t && f == kindEnum:
		return lostConstants(j.old.class(from.Class), j.now.class(to.Class))
	case f == t, t == kindText, to.Class == objectClass:
		return same
	}
	return fails("was " + shortType(from) + " and is " + shortType(to) + " now")
}

// scalars judges a value that is no container and no object, or that becomes none.
func scalars(held, to java.TypeExpr, from, into kind) outcome {
	change := fmt.Sprintf("was %s and is %s now", shortType(held), shortType(to))
	switch {
	case from == into && from == kindInt:
		if width(held) > width(to) {
			return fails(change + ": a larger number fails")
		}
		return same
	case from == into && from == kindFloat:
		if digits[held.Boxed().Class] > digits[to.Boxed().Class] {
			return wrong(change + ", which drops digits")
		}
		return same
	case from == into && from != kindOther, from == into && held.Class == to.Class:
		return same
	case into == kindText:
		return text(change, from)
	case from == kindInt && into == kindFloat && to.Class != "java.math.BigDecimal" && width(held) >= precise[to.Boxed().Class],
		from == kindDate && to.Boxed().Class == "java.lang.Float":
		return wrong(change + ", which drops digits of large numbers")
	case from == kindInt && into == kindDate, from == kindDate && into == kindInt && width(to) >= longWidth, (from == kindInt || from == kindDate) && into == kindFloat:
		return same
	case from == kindFloat && into == kindInt:
		return wrong(change + ", which drops what is behind the point")
	case (from == kindInt || from == kindDate) && into == kindBool:
		return wrong(change + ": any number but 0 reads as true")
	case from == kindInt && into == kindEnum:
		return wrong(change + ": a number reads as the constant with that place in the enum")
	case from == kindInt && into == kindChar:
		return wrong(change + ": a number reads as the character with that code")
	}
	return fails(change)
}

// digits orders the types of numbers with a point.
var digits = map[string]int{"java.lang.Float": 1, "java.lang.Double": 2, "java.math.BigDecimal": 3}

// precise is how wide a number without a point is of which a type with one drops digits.
var precise = map[string]int{"java.lang.Float": 4, "java.lang.Double": longWidth}

func text(change string, from kind) outcome {
	switch {
	case slices.Contains([]kind{kindInt, kindFloat, kindBool, kindChar, kindEnum}, from):
		return same
	case from == kindDate:
		return wrong(change + ": a date reads as the text of its milliseconds")
	case from == kindBytes:
		return wrong(change + ": bytes read as their base64")
	}
	return fails(change)
}

const longWidth = 8

func width(t java.TypeExpr) int {
	switch t.Boxed().Class {
	case "java.lang.Byte":
		return 1
	case "java.lang.Short":
		return 2
	case "java.lang.Integer":
		return 4
	case "java.lang.Long":
		return longWidth
	}
	return 2 * longWidth
}

// object judges an object of a class of the old program, read as one of the new.
func (j *jsonRules) object(old, now java.TypeExpr) outcome {
	n := j.now.class(now.Class)
	if n == nil {
		return fails(missing(now.Class))
	}
	if bad := makes(n); bad.verdict != Same {
		return bad
	}
	return j.memo.once(old.String()+" "+now.String(), func() outcome { return j.properties(old, now) })
}

func (j *jsonRules) properties(old, now java.TypeExpr) outcome {
	was, is := properties(j.old.fields(old)), properties(j.now.fields(now))
	result := same
	for _, o := range was {
		at := slices.IndexFunc(is, func(n property) bool { return n.reads(o.name) })
		if at < 0 {
			result = result.and(loses("is gone from the new class").at(o.name))
			continue
		}
		result = result.and(j.value(o.typ, is[at].typ).at(o.name))
	}
	for _, n := range is {
		if !slices.ContainsFunc(was, func(o property) bool { return n.reads(o.name) }) {
			result = result.and(byDefault("is not in the old message, and keeps its initial value").at(n.name))
		}
	}
	return result
}

// makes says why Jackson makes no object of a class.
func makes(n *class) outcome {
	switch {
	case n.isEnum():
		return failsAlways(n.Name + " is an enum now")
	case n.abstract():
		return failsAlways(n.Name + " is abstract or an interface, so that no object of it can be made")
	case n.Kind == java.KindRecord:
		return same
	case n.file.Inner:
		return failsAlways(n.Name + " is an inner class that is not static, which Jackson cannot make")
	}
	for _, m := range n.file.Methods {
		if m.Name == "<init>" && m.Descriptor == "()V" || m.Annotations.Jackson("JsonCreator") != nil {
			return same
		}
	}
	return failsAlways(n.Name + " has no constructor without parameters, which Jackson needs")
}

// property is a field under its name in JSON.
type property struct {
	name    string
	aliases []string
	typ     java.TypeExpr
}

func (p property) reads(name string) bool { return p.name == name || slices.Contains(p.aliases, name) }

func properties(fields []field) (all []property) {
	for _, f := range fields {
		if f.json == "-" {
			continue
		}
		p := property{name: f.json, typ: f.typ}
		if f.member != nil {
			if n := f.member.Annotations.Jackson("JsonAlias"); n != nil {
				p.aliases = n.Texts("value")
			}
		}
		all = append(all, p)
	}
	return all
}
