package javadesc

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
)

// Options are what [Generate] lets one choose.
type Options struct {
	Package string // of the Go source; empty means "messages"
	From    string // what the header says of the classes' origin
	// Only leaves out the classes that those asked for refer to, apart from
	// superclasses and enums: fields of such types become any.
	Only bool
	// Nulls makes pointers also of strings and of the elements of lists and maps,
	// so that null is never the zero value.
	Nulls bool
	// Text is the library by which Java makes the JSON text that it offers as a String; empty
	// for types of other codecs. The types have json tags and what encoding/json carries then.
	Text classfile.Library
}

// role is what becomes of a class in Go.
type role int

const (
	roleNone    role = iota // nothing: any where it is a field
	roleStruct              // a struct
	roleEnum                // a string type with constants
	roleSlice               // a slice type: a collection of its own
	roleMap                 // a map type
	roleObject              // *java.Object: an exception
	roleList                // *java.List: a collection that no Go type can stand for
	roleMapping             // *java.Map
)

// class is one class while source is made of it.
type class struct {
	desc     *java.Class
	file     *classfile.File
	goName   string
	role     role
	abstract bool
}

type generator struct {
	source   *classfile.Source
	opts     Options
	classes  map[string]*class
	order    []*class // those that become Go types
	missing  map[string]bool
	asText   bool            // a date of the field being written is a text
	elements bool            // there are lists or maps whose elements cannot be null
	taken    map[string]bool // names of the package: types, and constants written so far
	// typeTags are the fields whose tag must give the type: by Go type and Java field.
	typeTags map[[2]string]bool
}

// Generate returns gofmt-ed Go source with types that describe the named classes,
// and all that they refer to. The error is that of classfile, or says which class
// cannot be described.
func Generate(source *classfile.Source, opts Options, names ...string) ([]byte, error) {
	if opts.Package == "" {
		opts.Package = "messages"
	}
	g := &generator{source: source, opts: opts, classes: map[string]*class{}, missing: map[string]bool{}, typeTags: map[[2]string]bool{}}
	if err := g.load(names); err != nil {
		return nil, err
	}
	// The first draft shows what the Go types imply; the second has tags where
	// that is not what Java declares.
	draft, err := g.write()
	if err != nil {
		return nil, err
	}
	if err := g.compare(draft); err != nil {
		return nil, err
	}
	return g.write()
}

// load reads the classes and decides what becomes of each.
func (g *generator) load(names []string) error {
	var follow func(string) bool
	if g.opts.Only {
		follow = func(name string) bool {
			c, err := g.source.Class(name)
			return err == nil && c.Kind == java.KindEnum
		}
	}
	reach, err := g.source.Reach(follow, names...)
	if err != nil {
		return err
	}
	for _, m := range reach.Missing {
		g.missing[m.Class] = true
	}
	var typed []*java.Class
	for _, desc := range reach.Classes {
		file, err := g.source.File(desc.Name)
		if err != nil {
			return err
		}
		if phantom(desc) {
			plain := *desc
			plain.Params = nil
			desc = &plain
		}
		k := &class{desc: desc, file: file, abstract: file.Access.Is(classfile.Abstract)}
		k.role = g.roleOf(k)
		if k.role == roleNone && slices.Contains(names, desc.Name) {
			return fmt.Errorf("%s is an interface: name the classes that implement it", desc.Name)
		}
		g.classes[desc.Name] = k
		if k.role >= roleStruct && k.role <= roleMap {
			g.order = append(g.order, k)
			typed = append(typed, desc)
		}
	}
	if len(g.order) == 0 {
		return g.nothing(names)
	}
	goNames := typeNames(typed, map[string]bool{})
	for _, k := range g.order {
		k.goName = goNames[k.desc.Name]
	}
	return nil
}

// nothing says why no Go type comes of the classes asked for.
func (g *generator) nothing(names []string) error {
	errs := make([]error, len(names))
	for i, name := range names {
		like := "java.util.ArrayList"
		switch g.classes[name].role {
		case roleMapping:
			like = "java.util.HashMap"
		case roleObject:
			errs[i] = fmt.Errorf("%s is an exception: it comes as a *java.Object, with its stack, and there is nothing to describe", name)
			continue
		default:
		}
		errs[i] = fmt.Errorf("%s is a container, of which a codec needs no fields, and there is nothing to describe: "+
			"tell Kryo which layout it has by kryo5.Container(%q, %q) or another of the JDK's", name, name, like)
	}
	return errors.Join(errs...)
}

// phantom reports whether a class has type parameters and uses none of them: they
// change nothing on the wire, and no Go type could show what they are.
func phantom(c *java.Class) bool {
	return len(c.Params) > 0 && !slices.ContainsFunc(c.Params, func(p java.TypeParam) bool { return mentions(c, p.Name) })
}

// mentions reports whether a field or the superclass of c uses a type parameter.
func mentions(c *java.Class, param string) bool {
	return slices.Contains(references(c), param)
}

func (g *generator) roleOf(k *class) role {
	collection := slices.Contains(k.desc.Interfaces, "java.util.Collection")
	mapping := slices.Contains(k.desc.Interfaces, "java.util.Map")
	switch {
	case k.desc.Kind == java.KindEnum:
		return roleEnum
	case k.file.Access.Is(classfile.Interface):
		return roleNone
	case collection && listTypes[k.desc.Super.Class]:
		return roleSlice
	case mapping && mapTypes[k.desc.Super.Class] && g.comparable(k.desc, argument(k.desc.Super, 0)):
		return roleMap
	case collection:
		return roleList
	case mapping:
		return roleMapping
	case g.throwable(k.desc):
		return roleObject
	}
	return roleStruct
}

// throwable reports whether a class is an exception: they travel in java.io's
// form whatever the codec, with their stack.
func (g *generator) throwable(c *java.Class) bool {
	for range 1000 {
		super := c.Super.Class
		if !g.source.Has(super) {
			return classfile.Subtype(super, "java.lang.Throwable")
		}
		next, err := g.source.Class(super)
		if err != nil {
			return false
		}
		c = next
	}
	return false
}

// compare finds the fields of a draft whose Go type implies another Java type
// than the declared one.
func (g *generator) compare(draft []byte) error {
	p, err := gosource.Parse("draft.go", draft)
	if err != nil {
		return fmt.Errorf("the source does not parse: %w", err)
	}
	byName := map[string]gosource.Type{}
	for _, t := range p.Types() {
		byName[t.Go] = t
	}
	for _, k := range g.order {
		t := byName[k.goName]
		for _, f := range k.desc.Fields {
			var implied java.ClassField
			if t.Class != nil {
				implied, _ = t.Class.Field(f.Name)
			}
			if implied.Type.String() != f.Type.String() {
				g.typeTags[[2]string{k.goName, f.Name}] = true
			}
		}
	}
	return nil
}

// write returns the source with the type tags known so far.
func (g *generator) write() ([]byte, error) {
	var body bytes.Buffer
	g.taken = map[string]bool{}
	for _, k := range g.order {
		g.taken[k.goName] = true
	}
	for _, k := range g.order {
		switch k.role {
		case roleEnum:
			g.writeEnum(&body, k)
		case roleSlice, roleMap:
			g.writeContainer(&body, k)
		default:
			g.writeStruct(&body, k)
		}
	}
	var out bytes.Buffer
	from := ""
	if g.opts.From != "" {
		from = " from " + g.opts.From
	}
	fmt.Fprintf(&out, "// Written%s by duequeue javadesc, and yours to edit: duequeue javadesc -check\n", from)
	fmt.Fprintf(&out, "// tells where it differs from the Java classes.\n")
	if g.elements && g.opts.Text == "" { // encoding/json takes null for zero
		fmt.Fprintf(&out, "// A null in a list, array or map fails here, and its message goes to the dead store: with\n// nulls there, write it with -nulls.\n")
	}
	if need := g.modules(); need != "" {
		fmt.Fprintf(&out, "// %s.\n", need)
	}
	fmt.Fprintf(&out, "\npackage %s\n", g.opts.Package)
	writeImports(&out, codeOf(body.String()))
	out.Write(body.Bytes())
	src, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the source does not parse: %w", err)
	}
	return src, nil
}

// modules says what an ObjectMapper needs for the fields, "" for nothing.
func (g *generator) modules() string {
	times, optionals := false, false
	for _, k := range g.order {
		for _, f := range k.desc.Fields {
			for _, name := range append([]string{f.Type.Class}, arguments(f.Type)...) {
				times = times || strings.HasPrefix(name, "java.time.")
				optionals = optionals || strings.HasPrefix(name, "java.util.Optional")
			}
		}
	}
	switch {
	case g.opts.Text != "":
		return ""
	case times && optionals:
		return "Jackson writes java.time by JavaTimeModule and Optional by Jdk8Module alone: see jackson.Mapper"
	case times:
		return "Jackson writes java.time by JavaTimeModule alone: see jackson.Mapper"
	case optionals:
		return "Jackson writes Optional by Jdk8Module alone: see jackson.Mapper"
	}
	return ""
}

func writeImports(out *bytes.Buffer, body string) {
	var std, own []string
	if strings.Contains(body, "*big.Int") {
		std = append(std, "math/big")
	}
	if strings.Contains(body, "time.Time") {
		std = append(std, "time")
	}
	if strings.Contains(body, "json.Number") {
		std = append([]string{"encoding/json"}, std...)
	}
	for _, name := range []string{"java.Char", "*java.", "]java."} {
		if strings.Contains(body, name) {
			own = []string{"github.com/duequeue/duequeue/codecs/java"}
		}
	}
	if len(std)+len(own) == 0 {
		return
	}
	out.WriteString("\nimport (\n")
	for _, group := range [][]string{std, own} {
		for _, path := range group {
			out.WriteString(strconv.Quote(path) + "\n")
		}
		out.WriteString("\n")
	}
	out.WriteString(")\n")
}

// codeOf returns source without its comments and strings.
func codeOf(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		line, _, _ = strings.Cut(line, "//")
		line, _, _ = strings.Cut(line, "`")
		line, _, _ = strings.Cut(line, `"`)
		b.WriteString(line + "\n")
	}
	return b.String()
}
