package compat

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

const (
	objectClass = "java.lang.Object"
	stringClass = "java.lang.String"
	mostSupers  = 64
)

var anyType = java.TypeExpr{Class: objectClass}

// program is the classes of one version of a service.
type program struct {
	source  *classfile.Source
	classes map[string]*class
	err     error               // of a class file that cannot be read: the verdicts are worth nothing then
	subs    map[string][]string // the subclasses of each class
}

func newProgram(s *classfile.Source) *program {
	return &program{source: s, classes: map[string]*class{}}
}

// class is a class of a program.
type class struct {
	*java.Class
	file *classfile.File
}

// class returns the class of that name; nil where the program has none, as for those of the JDK.
func (p *program) class(name string) *class {
	if c, known := p.classes[name]; known {
		return c
	}
	p.classes[name] = nil
	if !p.source.Has(name) {
		return nil
	}
	c, err := p.load(name)
	if err != nil {
		p.err = errors.Join(p.err, err)
		return nil
	}
	p.classes[name] = c
	return c
}

func (p *program) load(name string) (*class, error) {
	f, err := p.source.File(name)
	if err != nil {
		return nil, err
	}
	c, err := p.source.Class(name)
	if err != nil {
		return nil, err
	}
	return &class{Class: c, file: f}, nil
}

func (c *class) abstract() bool {
	return c.file.Access.Is(classfile.Abstract) && c.Kind != java.KindEnum
}

// isEnum reports whether a class is an enum of a program.
func (c *class) isEnum() bool { return c != nil && c.Kind == java.KindEnum }

// final reports whether the declared type of a field tells the class of its values.
func (p *program) final(t java.TypeExpr) bool {
	if t.Primitive() {
		return true
	}
	if c := p.class(t.Class); c != nil {
		return c.Final || c.Kind == java.KindRecord || c.Kind == java.KindEnum && !slices.ContainsFunc(c.Constants, func(k java.Constant) bool { return k.Body != "" })
	}
	return finals[t.Class] || strings.HasPrefix(t.Class, "java.time.") && t.Class != "java.time.ZoneId"
}

// finals are the final classes of the JDK that messages hold, but for those of java.time.
var finals = setOf("boolean byte char short int long float double",
	"java.lang.Boolean java.lang.Byte java.lang.Character java.lang.Short java.lang.Integer java.lang.Long java.lang.Float java.lang.Double",
	"java.lang.String java.lang.StringBuilder java.lang.StringBuffer java.lang.Class",
	"java.util.UUID java.util.Locale java.util.Currency java.util.Optional java.util.OptionalInt java.util.OptionalLong java.util.OptionalDouble",
	"java.util.regex.Pattern java.net.URI java.net.URL")

func setOf(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, name := range strings.Fields(list) {
			set[name] = true
		}
	}
	return set
}

// field is a field of an object.
type field struct {
	name   string
	level  string // the class that declares it
	typ    java.TypeExpr
	open   bool   // declared as a type variable: Java lets any class into it
	json   string // its name in JSON, "-" where it has none
	member *classfile.Member
}

// fields returns the fields of an object of a type: those of the class, and then those of each
// superclass. Type variables are replaced by the arguments of the type.
func (p *program) fields(t java.TypeExpr) (all []field) {
	args := t.Args
	c := p.class(t.Class)
	for range mostSupers {
		if c == nil {
			break
		}
		for _, f := range c.Fields {
			all = append(all, field{
				f.Name, c.Name, plainType(f.Type.Substitute(c.Class, arguments(c.Class, args)), c.Class, 0), c.Variable(f.Type), cmp.Or(f.Format.Name, f.Name), c.file.Field(f.Name),
			})
		}
		super := c.Super.Substitute(c.Class, arguments(c.Class, args))
		args, c = super.Args, p.class(super.Class)
	}
	return all
}

// arguments returns the type arguments for the parameters of a class: Object or the bound of those
// that are not given.
func arguments(c *java.Class, args []java.TypeExpr) []java.TypeExpr {
	if len(args) == len(c.Params) {
		return args
	}
	args = nil
	for _, p := range c.Params {
		bound := p.Bound
		if bound.IsZero() || bound.Mentions(c) {
			bound = anyType
		}
		args = append(args, bound)
	}
	return args
}

// mostNested bounds types in types: a class may refer to itself with arguments that grow.
const mostNested = 6

// plainType takes the wildcards from a type, and the arguments that are too deep in it.
func plainType(t java.TypeExpr, c *java.Class, depth int) java.TypeExpr {
	t.Dims = min(t.Dims, mostNested)
	if depth == mostNested {
		t.Args = nil
	}
	if t.Variance == java.Unbounded || t.Mentions(c) && len(t.Args) == 0 {
		return java.TypeExpr{Class: objectClass, Dims: t.Dims}
	}
	t.Variance = java.Exact
	args := make([]java.TypeExpr, len(t.Args))
	for i, a := range t.Args {
		args[i] = plainType(a, c, depth+1)
	}
	t.Args = args
	return t
}

// assignable reports whether a value of a class fits into a variable of a type.
func (p *program) assignable(class string, to java.TypeExpr) bool {
	name := erased(to)
	if class == name || name == objectClass {
		return true
	}
	if strings.HasSuffix(class, "[]") && strings.HasSuffix(name, "[]") {
		from, err := java.ParseType(strings.TrimSuffix(class, "[]"))
		if err != nil || from.Primitive() {
			return false
		}
		into := to
		into.Dims--
		return !into.Primitive() && p.assignable(erased(from), into)
	}
	for range mostSupers {
		c := p.class(class)
		if c == nil {
			return classfile.Subtype(class, name)
		}
		if c.Super.Class == name || slices.Contains(c.Interfaces, name) {
			return true
		}
		class = c.Super.Class
	}
	return false
}

// erased is the class of a type without its arguments: "java.util.List", "int[]".
func erased(t java.TypeExpr) string { return t.Class + strings.Repeat("[]", t.Dims) }

// shortType spells a type for people.
func shortType(t java.TypeExpr) string {
	var b strings.Builder
	b.WriteString(t.Class[strings.LastIndexAny(t.Class, ".$")+1:])
	for i, a := range t.Args {
		b.WriteString([]string{", ", "<"}[boolInt(i == 0)])
		b.WriteString(shortType(a))
	}
	if len(t.Args) > 0 {
		b.WriteString(">")
	}
	return b.String() + strings.Repeat("[]", t.Dims)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostSubclasses bounds the classes that are tried in the place of one.
const mostSubclasses = 50

// concrete returns the classes of the objects that a variable of a class of the program may hold.
func (p *program) concrete(name string) (all []string) {
	if p.subs == nil {
		p.index()
	}
	if c := p.class(name); c != nil && !c.abstract() {
		all = append(all, name)
	}
	for _, sub := range p.subs[name] {
		if c := p.class(sub); c != nil && !c.abstract() && !slices.Contains(all, sub) && len(all) < mostSubclasses {
			all = append(all, sub)
		}
	}
	return all
}

// index finds the subclasses of each class. A class file that cannot be read is none: a jar has many
// that no message is of.
func (p *program) index() {
	p.subs = map[string][]string{}
	for _, name := range p.source.Names() {
		c, err := p.load(name)
		if err != nil || c.Kind == java.KindEnum {
			continue
		}
		for _, i := range c.Interfaces {
			p.subs[i] = append(p.subs[i], name)
		}
		at := c
		for range mostSupers {
			if at, err = p.load(at.Super.Class); err != nil {
				break
			}
			p.subs[at.Name] = append(p.subs[at.Name], name)
		}
	}
}

func (p *program) notSerializable(name string) bool {
	c := p.class(name)
	return c != nil && c.NotSerializable
}

// runtime returns the classes that values of a declared type have: those of the program that fit, or
// what programs put into a variable of the JDK's type.
func (p *program) runtime(t java.TypeExpr) []java.TypeExpr {
	if t.Dims > 0 || t.Primitive() {
		return []java.TypeExpr{t}
	}
	if p.class(t.Class) == nil {
		if usual := usualClass[t.Class]; usual != "" {
			t.Class = usual
		}
		return []java.TypeExpr{t}
	}
	if c := p.class(t.Class); len(t.Args) > 0 && !c.abstract() {
		return []java.TypeExpr{t} // a subclass may have other arguments
	}
	var all []java.TypeExpr
	for _, name := range p.concrete(t.Class) {
		one := java.TypeExpr{Class: name}
		if name == t.Class {
			one.Args = t.Args
		}
		all = append(all, one)
	}
	return all
}

// usualClass is what programs make where an interface is declared.
var usualClass = map[string]string{
	"java.util.List": "java.util.ArrayList", "java.util.Collection": "java.util.ArrayList", "java.lang.Iterable": "java.util.ArrayList",
	"java.util.Set": "java.util.LinkedHashSet", "java.util.Map": "java.util.HashMap", "java.util.SortedMap": "java.util.TreeMap",
	"java.util.SortedSet": "java.util.TreeSet", "java.util.Queue": "java.util.LinkedList", "java.util.Deque": "java.util.LinkedList",
	"java.lang.CharSequence": stringClass, "java.lang.Number": "java.lang.Integer", objectClass: stringClass, "java.lang.Comparable": stringClass,
}

// element returns the type of the elements of a list, set or array, and whether t is one.
func element(t java.TypeExpr) (java.TypeExpr, bool) {
	if t.Dims > 0 {
		t.Dims--
		return t, true
	}
	if !classfile.Subtype(t.Class, "java.util.Collection") && t.Class != "java.lang.Iterable" {
		return java.TypeExpr{}, false
	}
	if len(t.Args) == 0 {
		return anyType, true
	}
	return t.Args[0], true
}

// entry returns the types of the keys and values of a map, and whether t is one.
func entry(t java.TypeExpr) (key, value java.TypeExpr, ok bool) {
	switch {
	case t.Dims > 0 || !classfile.Subtype(t.Class, "java.util.Map"):
		return anyType, anyType, false
	case len(t.Args) == 2:
		return t.Args[0], t.Args[1], true
	}
	return anyType, anyType, true
}

// missing says that a class is not in the new program.
func missing(name string) string { return "the new program has no class " + name }
