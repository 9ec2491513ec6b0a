package javadesc

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// place is where a type stands: what Go type is pleasant depends on whether null
// is likely there.
type place int

const (
	inField   place = iota // null is usual
	inElement              // of a list or array, value of a map: null is rare
	inKey
)

var primitiveTypes = map[string]string{
	"boolean": "bool", "byte": "int8", "short": "int16", "int": "int32", "long": "int64",
	"float": "float32", "double": "float64", "char": "java.Char",
}

// timeTypes are times that time.Time holds; its zero value stands for null.
var timeTypes = map[string]bool{
	"java.util.Date": true, "java.sql.Date": true, "java.sql.Time": true, "java.sql.Timestamp": true, "java.time.Instant": true,
}

// listTypes are declared types that Go slices can be written as.
var listTypes = map[string]bool{
	"java.lang.Iterable": true, "java.util.Collection": true, "java.util.List": true, "java.util.ArrayList": true,
	"java.util.LinkedList": true, "java.util.Vector": true, "java.util.Queue": true, "java.util.Deque": true,
	"java.util.ArrayDeque": true, "java.util.concurrent.CopyOnWriteArrayList": true, "java.util.Set": true,
	"java.util.HashSet": true, "java.util.LinkedHashSet": true, "java.util.SortedSet": true, "java.util.TreeSet": true,
}

// mapTypes are those of Go maps.
var mapTypes = map[string]bool{
	"java.util.Map": true, "java.util.HashMap": true, "java.util.LinkedHashMap": true, "java.util.SortedMap": true,
	"java.util.NavigableMap": true, "java.util.TreeMap": true,
}

// holderTypes are classes that hold one value: its Go type stands for them, nil
// for an empty one. The value is the type that they hold, "" for that of their
// type argument.
var holderTypes = map[string]string{
	"java.util.Optional": "", "java.util.concurrent.atomic.AtomicReference": "",
	"java.util.OptionalInt": "int", "java.util.OptionalLong": "long", "java.util.OptionalDouble": "double",
	"java.util.concurrent.atomic.AtomicBoolean": "boolean", "java.util.concurrent.atomic.AtomicInteger": "int",
	"java.util.concurrent.atomic.AtomicLong": "long",
}

// holderType returns the Go type for a holder.
func (g *generator) holderType(c *java.Class, t java.TypeExpr) string {
	held := argument(t, 0)
	if primitive := holderTypes[t.Class]; primitive != "" {
		held = java.TypeExpr{Class: primitive}
	}
	if _, nested := holderTypes[held.Class]; nested {
		return "*java.Object"
	}
	if c.Variable(held) {
		return "any"
	}
	goType := g.goType(c, held, inField)
	if goType == "any" || strings.HasPrefix(goType, "*") || strings.HasPrefix(goType, "[]") || strings.HasPrefix(goType, "map[") {
		return goType
	}
	if k := g.classes[held.Class]; k != nil && k.role != roleEnum {
		return goType // a slice or map type
	}
	return "*" + goType
}

// goType returns the Go type for a declared type inside class c.
func (g *generator) goType(c *java.Class, t java.TypeExpr, at place) string {
	switch {
	case t.Variance == java.Unbounded || t.Variance == java.Super:
		return "any"
	case t.Dims > 0:
		return g.arrayType(c, t)
	case c.Variable(t):
		return t.Class
	case t.Primitive() && t.Class == "char" && g.opts.Text != "":
		return "string"
	case t.Primitive():
		return primitiveTypes[t.Class]
	}
	if textType := g.textType(t, at); textType != "" {
		return textType
	}
	if p := t.Unboxed(); p.Primitive() {
		return g.nullable(primitiveTypes[p.Class], at)
	}
	if _, holder := holderTypes[t.Class]; holder {
		return g.holderType(c, t)
	}
	switch {
	case t.Class == "java.lang.String":
		if g.opts.Nulls && at != inKey {
			return "*string"
		}
		g.elements = g.elements || at == inElement
		return "string"
	case timeTypes[t.Class]:
		return "time.Time"
	case listTypes[t.Class]:
		return "[]" + g.goType(c, argument(t, 0), inElement)
	case mapTypes[t.Class]:
		return g.mapType(c, t)
	}
	// In fields other values are pointers, since null is no value of theirs.
	switch value := gotypes.ValueTypeFor(t.Class); {
	case value == nil:
	case value.Kind() == reflect.Pointer:
		return value.String()
	default:
		return g.nullable(value.String(), at)
	}
	return g.classType(c, t, at)
}

// nullable returns a pointer where null is to be told from the zero value.
func (g *generator) nullable(goType string, at place) string {
	if at == inField || at == inElement && g.opts.Nulls {
		return "*" + goType
	}
	g.elements = g.elements || at == inElement
	return goType
}

// argument returns type argument i, Object where there is none.
func argument(t java.TypeExpr, i int) java.TypeExpr {
	if i < len(t.Args) {
		return t.Args[i]
	}
	return java.TypeExpr{Class: "java.lang.Object"}
}

func (g *generator) arrayType(c *java.Class, t java.TypeExpr) string {
	elem, _ := t.Elem()
	if elem.Primitive() && elem.Class == "byte" && g.opts.Text != classfile.FastJSON2 {
		return "[]byte"
	}
	return "[]" + g.goType(c, elem, inElement)
}

// mapType returns a Go map where its keys are ones that Go compares as Java does.
func (g *generator) mapType(c *java.Class, t java.TypeExpr) string {
	key := argument(t, 0)
	if g.opts.Text != "" && (!g.comparable(c, key) || key.Class == "java.lang.Object") {
		key = java.TypeExpr{Class: "java.lang.String"}
	}
	if !g.comparable(c, key) {
		return "*java.Map"
	}
	return "map[" + g.goType(c, key, inKey) + "]" + g.goType(c, argument(t, 1), inElement)
}

func (g *generator) comparable(c *java.Class, t java.TypeExpr) bool {
	if t.Variance == java.Extends {
		t.Variance = java.Exact
	}
	switch {
	case t.Variance != java.Exact || t.Dims > 0 || c.Variable(t):
		return false
	case t.Class == "java.lang.String" || t.Class == "java.util.UUID" || t.Class == "java.time.LocalDate" || t.Class == "java.lang.Object":
		return true
	case t.Unboxed().Primitive():
		return t.Class != "java.lang.Float" && t.Class != "java.lang.Double"
	}
	known := g.classes[t.Class]
	return known != nil && known.role == roleEnum
}

// classType returns the Go type for a class that is no value of the JDK.
func (g *generator) classType(c *java.Class, t java.TypeExpr, at place) string {
	known := g.classes[t.Class]
	if known == nil {
		switch {
		case classfile.Subtype(t.Class, "java.util.Map"):
			return "*java.Map"
		case classfile.Subtype(t.Class, "java.util.Collection"):
			return "*java.List"
		case classfile.Subtype(t.Class, "java.lang.Throwable"):
			return "*java.Object"
		}
		return "any"
	}
	switch known.role {
	case roleEnum:
		if g.opts.Text != "" { // no text is null
			return g.nullable(known.goName, at)
		}
		return known.goName
	case roleStruct:
		if known.abstract {
			return "any"
		}
		args, ok := g.arguments(c, known, t)
		if !ok {
			return "any"
		}
		return "*" + known.goName + args
	case roleSlice, roleMap:
		args, ok := g.arguments(c, known, t)
		if !ok {
			return "any"
		}
		return known.goName + args
	case roleObject:
		return "*java.Object"
	case roleList:
		return "*java.List"
	case roleMapping:
		return "*java.Map"
	case roleNone:
	}
	return "any"
}

// arguments returns the Go type arguments for a generic class, [any] for a raw
// one. It is not ok where Go would need infinitely many types.
func (g *generator) arguments(c *java.Class, known *class, t java.TypeExpr) (string, bool) {
	n := len(known.desc.Params)
	if n == 0 {
		return "", true
	}
	args := make([]string, n)
	for i := range args {
		a := argument(t, i)
		if a.Mentions(c) && !c.Variable(a) && g.reaches(known.desc.Name, c.Name) {
			return "", false
		}
		args[i] = g.argumentType(c, a)
	}
	return "[" + strings.Join(args, ", ") + "]", true
}

// reaches reports whether class from refers to class to, over any number of others.
func (g *generator) reaches(from, to string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(name string) bool {
		if name == to {
			return true
		}
		k := g.classes[name]
		if k == nil || seen[name] {
			return false
		}
		seen[name] = true
		for _, next := range references(k.desc) {
			if visit(next) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// references returns the names of all classes in the types of c.
func references(c *java.Class) []string {
	var names []string
	var add func(t java.TypeExpr)
	add = func(t java.TypeExpr) {
		names = append(names, t.Class)
		for _, a := range t.Args {
			add(a)
		}
	}
	add(c.Super)
	for _, f := range c.Fields {
		add(f.Type)
	}
	return names
}
