package javadesc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// declaration returns what the JavaClass method says. It has the interfaces, which are all or none,
// where one of them says how objects name their class: else no codec needs them of a Go type.
func (g *generator) declaration(c *java.Class) string {
	d := *c
	d.Interfaces = nil
	for _, name := range c.Interfaces {
		if i, err := g.source.Class(name); err == nil && i.JSON.Form != java.TypeUsual {
			d.Interfaces = c.Interfaces
		}
	}
	return d.String()
}

func (g *generator) writeHead(b *bytes.Buffer, k *class) {
	fmt.Fprintf(b, "\n// %s is %s.\n", k.goName, k.desc.Name)
	for _, note := range g.notes(k) {
		fmt.Fprintf(b, "// %s\n", note)
	}
}

func (g *generator) writeMethod(b *bytes.Buffer, k *class) {
	receiver := k.goName
	if n := len(k.desc.Params); n > 0 {
		names := make([]string, n)
		for i, p := range k.desc.Params {
			names[i] = p.Name
		}
		receiver += "[" + strings.Join(names, ", ") + "]"
	}
	fmt.Fprintf(b, "\n// JavaClass declares %s.\n", k.desc.Name)
	fmt.Fprintf(b, "func (%s) JavaClass() string {\n\treturn %s\n}\n", receiver, strconv.Quote(g.declaration(k.desc)))
}

// params returns the type parameters for a Go type declaration.
func params(c *java.Class) string {
	if len(c.Params) == 0 {
		return ""
	}
	names := make([]string, len(c.Params))
	for i, p := range c.Params {
		names[i] = p.Name
	}
	return "[" + strings.Join(names, ", ") + " any]"
}

func (g *generator) writeEnum(b *bytes.Buffer, k *class) {
	g.writeHead(b, k)
	values, kind := g.enumValues(k)
	fmt.Fprintf(b, "type %s %s\n", k.goName, kind)
	fmt.Fprintf(b, "\n// The constants of %s, in order.\nconst (\n", k.desc.Name)
	for i, c := range k.desc.Constants {
		fmt.Fprintf(b, "%s %s = %s\n", unique(k.goName+ConstantName(c.Name), g.taken), k.goName, values[i])
	}
	b.WriteString(")\n")
	g.writeMethod(b, k)
}

func (g *generator) writeContainer(b *bytes.Buffer, k *class) {
	g.writeHead(b, k)
	super := k.desc.Super
	if k.role == roleSlice {
		fmt.Fprintf(b, "type %s%s []%s\n", k.goName, params(k.desc), g.goType(k.desc, argument(super, 0), inElement))
	} else {
		fmt.Fprintf(b, "type %s%s %s\n", k.goName, params(k.desc), g.mapType(k.desc, super))
	}
	g.writeMethod(b, k)
}

func (g *generator) writeStruct(b *bytes.Buffer, k *class) {
	g.writeHead(b, k)
	fmt.Fprintf(b, "type %s%s struct {\n", k.goName, params(k.desc))
	taken := map[string]bool{"JavaClass": true}
	if super := g.classes[k.desc.Super.Class]; super != nil && super.role == roleStruct {
		args, ok := g.arguments(k.desc, super, k.desc.Super)
		if ok {
			fmt.Fprintf(b, "%s%s\n\n", super.goName, args)
			taken[super.goName] = true
		}
	}
	var names map[string]string
	if g.opts.Text != "" {
		names, _ = k.file.TextNames(g.opts.Text)
	}
	for _, f := range g.textOrder(k, k.desc.Fields, names) {
		goName := unique(exported(f.Name), taken)
		g.asText = g.textDates(k, f)
		goType := g.goType(k.desc, f.Type, inField)
		var tags []string
		if tag := g.tag(k, f, goName); tag != "" {
			tags = append(tags, "java:"+strconv.Quote(tag))
		}
		if g.opts.Text != "" {
			tags = append(tags, "json:"+strconv.Quote(g.jsonTag(k, f, names[f.Name], goType)))
		}
		text := goName + " " + goType
		if len(tags) > 0 {
			text += " `" + strings.Join(tags, " ") + "`"
		}
		if note := g.fieldNote(k, f); note != "" {
			fmt.Fprintf(b, "// %s: %s.\n", goName, note)
		}
		b.WriteString(text + "\n")
	}
	b.WriteString("}\n")
	if bytes.HasSuffix(b.Bytes(), []byte("struct {\n}\n")) {
		b.Truncate(b.Len() - len(" {\n}\n"))
		b.WriteString("{}\n")
	}
	g.writeMethod(b, k)
}

// tag returns the struct tag of a field: a name where it is not the default, and
// a type where the Go type implies another.
func (g *generator) tag(k *class, f java.ClassField, goName string) string {
	name := f.Name
	if gotypes.DefaultName(goName) == name {
		name = ""
	}
	format := g.format(f).String()
	if f.Type.Mentions(k.desc) || unusedParam(k.desc) != "" || g.typeTags[[2]string{k.goName, f.Name}] {
		return f.Name + "," + f.Type.String() + format
	}
	return name + format
}

// unusedParam returns a type parameter that neither a field nor the superclass
// names, "" where there is none.
func unusedParam(c *java.Class) string {
	for _, p := range c.Params {
		if !mentions(c, p.Name) {
			return p.Name
		}
	}
	return ""
}

// notes tell what a Go type cannot carry, and why.
func (g *generator) notes(k *class) []string {
	var notes []string
	f := k.file
	if k.abstract && k.desc.Kind == java.KindBean {
		notes = append(notes, "It is abstract: only its subclasses are on the wire.")
	}
	if super := k.desc.Super.Class; super != "" && g.classes[super] == nil && k.role == roleStruct {
		notes = append(notes, fmt.Sprintf("The fields of its superclass %s are not described: encode it by *java.Object.", super))
	}
	if g.opts.Text != "" && k.role == roleStruct {
		if k.desc.JSON.Form != java.TypeUsual {
			notes = append(notes, "Its text names its class (@JsonTypeInfo), which encoding/json neither reads nor writes.")
		}
		if _, more := f.TextNames(g.opts.Text); len(more) > 0 {
			notes = append(notes, fmt.Sprintf("Java also writes %s, which no field here has.", strings.Join(more, ", ")))
		}
	}
	if k.role == roleSlice || k.role == roleMap {
		for _, m := range k.desc.Fields {
			notes = append(notes, fmt.Sprintf("Its field %s is not carried: kryo5 drops it too.", m.Name))
		}
	}
	if name := unusedParam(k.desc); name != "" && k.role == roleStruct {
		notes = append(notes, fmt.Sprintf("No field uses its type parameter %s: therefore the tags give the types of all.", name))
	}
	if k.desc.Kind == java.KindRecord {
		notes = append(notes, "It is a record: River cannot carry it.")
	}
	if f.Inner && k.desc.Kind == java.KindBean {
		notes = append(notes, "It is an inner class: in java.io and River it also has a field this$0, which is not carried.")
	}
	for _, name := range []string{"writeObject", "writeReplace", "writeExternal"} {
		if f.Method(name) != nil && k.role == roleStruct {
			notes = append(notes, fmt.Sprintf("It has a method %s: java.io and River carry what that writes, not only these fields.", name))
			break
		}
	}
	notes = append(notes, g.jacksonNotes(k)...)
	if f.Field("serialPersistentFields") != nil {
		notes = append(notes, "It declares serialPersistentFields: java.io and River carry those, not these fields.")
	}
	if slices.ContainsFunc(k.desc.Interfaces, func(i string) bool { return strings.HasSuffix(i, ".KryoSerializable") }) ||
		slices.ContainsFunc(f.Annotations, func(a classfile.Note) bool { return strings.HasSuffix(a.Class, ".DefaultSerializer") }) {
		notes = append(notes, "It writes itself in Kryo: kryo5 cannot carry it.")
	}
	switch _, ok := f.SerialVersionUID(); {
	case k.desc.Kind == java.KindEnum:
	case k.desc.Serial == nil && ok:
		notes = append(notes, "It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.")
	case !ok:
		notes = append(notes, "Its serialVersionUID is known only to running Java: add \"serial N\" for java.io.")
	}
	return notes
}

// fieldNote says why a field is what it is, where that is no choice of style.
func (g *generator) fieldNote(k *class, f java.ClassField) string {
	if m := k.file.Field(f.Name); m != nil {
		for _, a := range m.Annotations {
			if strings.Contains(a.Class, "kryo.serializers.FieldSerializer$") {
				return "annotated for Kryo: kryo5 does not know that"
			}
		}
	}
	if g.opts.Text != "" {
		return g.textNote(k, f)
	}
	if note := g.jacksonNote(k, f); note != "" {
		return note
	}
	for _, name := range append([]string{f.Type.Class}, arguments(f.Type)...) {
		known := g.classes[name]
		switch {
		case known != nil && known.role == roleNone:
			return name + " is an interface" + g.named(known)
		case known != nil && known.role == roleStruct && known.abstract:
			return name + " is abstract" + g.named(known)
		case known == nil && g.missing[name]:
			return name + " is not among the classes given"
		}
	}
	if what := streamObjects[f.Type.Boxed().Class]; what != "" && k.desc.Serial != nil {
		return what + " comes as an object in java.io and River: for these make it a *java.Object"
	}
	if g.hashed(f.Type) {
		own := "*java.Map"
		if listTypes[f.Type.Class] {
			own = "*java.List"
		}
		return "for reading only, since the order of its hash table comes from hash codes of the JVM; to write it make it a " + own
	}
	return ""
}

// streamObjects are classes that java.io and River write as objects of many fields, which their Go
// types in other codecs do not hold.
var streamObjects = map[string]string{
	"java.util.Calendar": "a Calendar", "java.util.GregorianCalendar": "a Calendar", "java.lang.Class": "a class of the program",
}

// named says which Go types are to be registered for a class that has names for its subclasses.
func (g *generator) named(base *class) string {
	var names []string
	for _, k := range g.order {
		for c := k; c != nil && k.desc.JSON.ID != ""; c = g.classes[c.desc.Super.Class] {
			if c.desc.Super.Class == base.desc.Name || slices.Contains(c.desc.Interfaces, base.desc.Name) {
				names = append(names, k.goName)
				break
			}
		}
	}
	if base.desc.JSON.Form == java.TypeUsual || names == nil {
		return ""
	}
	return ", and its values are of " + strings.Join(names, ", ") + ": name these by registry.JavaClass"
}

func arguments(t java.TypeExpr) []string {
	var names []string
	for _, a := range t.Args {
		names = append(names, a.Class)
		names = append(names, arguments(a)...)
	}
	return names
}

// hashed reports whether t is a hashed set or map of classes whose hash Go does
// not know.
func (g *generator) hashed(t java.TypeExpr) bool {
	switch t.Class {
	case "java.util.Set", "java.util.HashSet", "java.util.Map", "java.util.HashMap":
	default:
		return false
	}
	if len(t.Args) == 0 {
		return false
	}
	known := g.classes[t.Args[0].Class]
	return known != nil && known.role == roleStruct
}
