package classfile

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/naming"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// jacksonPackages are the packages of Jackson's annotations.
var jacksonPackages = []string{
	"com.fasterxml.jackson.annotation.", "com.fasterxml.jackson.databind.annotation.", "tools.jackson.databind.annotation.",
}

// Jackson returns the annotation of Jackson of that name, for example "JsonProperty", or nil.
func (n Notes) Jackson(name string) *Note {
	for i := range n {
		if class, ok := strings.CutSuffix(n[i].Class, name); ok && slices.Contains(jacksonPackages, class) {
			return &n[i]
		}
	}
	return nil
}

var upperCamel = naming.Strategies["UPPER_CAMEL_CASE"]

// properties are the annotations of properties by the name of the field, with those of its
// getter and setter: of all that have a field, or nil where no annotation is one of Jackson's.
func (f *File) properties() map[string]Notes {
	all, jackson := f.allProperties()
	if !jackson {
		return nil
	}
	return all
}

// allProperties are properties, and whether an annotation is one of Jackson's.
func (f *File) allProperties() (all map[string]Notes, jackson bool) {
	jackson = ofJackson(f.Annotations)
	methods := map[string]*Member{}
	for i := range f.Methods {
		m := &f.Methods[i]
		jackson = jackson || ofJackson(m.Annotations)
		if !m.Access.Is(Static) && methods[m.Name] == nil {
			methods[m.Name] = m
		}
	}
	all = map[string]Notes{}
	for i := range f.Fields {
		m := &f.Fields[i]
		jackson = jackson || ofJackson(m.Annotations)
		notes := slices.Clip(m.Annotations)
		upper := upperCamel(m.Name)
		for _, name := range []string{"get" + upper, "is" + upper, "set" + upper, m.Name} {
			if method := methods[name]; method != nil && (name != m.Name || f.isRecord()) {
				notes = append(notes, method.Annotations...)
			}
		}
		all[m.Name] = notes
	}
	return all, jackson
}

func ofJackson(notes Notes) bool {
	return slices.ContainsFunc(notes, func(n Note) bool {
		return slices.ContainsFunc(jacksonPackages, func(p string) bool { return strings.HasPrefix(n.Class, p) })
	})
}

// Property returns the annotations of a field, its getter and its setter.
func (f *File) Property(field string) Notes {
	all, _ := f.allProperties()
	return all[field]
}

// setFormats sets the formats of the fields of c, the class of f, by the annotations of Jackson.
// More are those of its superclasses.
func (f *File) setFormats(c *java.Class, more Notes) {
	properties := f.properties()
	class := append(slices.Clip(f.Annotations), more...)
	if properties == nil && ofJackson(more) {
		properties = map[string]Notes{}
	}
	if properties == nil {
		return
	}
	detect := class.Jackson("JsonAutoDetect")
	for i := range c.Fields {
		field := &c.Fields[i]
		field.Format = fieldFormat(c, field, properties[field.Name], class)
		if detect != nil && field.Format.Name != "-" && !detected(detect, "fieldVisibility", "ANY", f.Field(field.Name).Access) && !included(properties[field.Name]) {
			field.Format.Name = f.byGetter(field.Name, detect, properties[field.Name], class)
		}
	}
}

// detected reports whether Jackson sees a field or method by @JsonAutoDetect; otherwise is what
// Redisson's mapper says.
func detected(detect *Note, element, otherwise string, access Access) bool {
	level := ""
	if detect != nil {
		level = detect.Constant(element)
	}
	if level == "" || level == "DEFAULT" {
		level = otherwise
	}
	switch level {
	case "ANY":
		return true
	case "NON_PRIVATE":
		return !access.Is(Private)
	case "PROTECTED_AND_PUBLIC":
		return access&(Public|Protected) != 0
	case "PUBLIC_ONLY":
		return access.Is(Public)
	}
	return false
}

// included reports whether annotations make a property of a field that @JsonAutoDetect hides.
func included(notes Notes) bool {
	return slices.ContainsFunc([]string{
		"JsonProperty", "JsonGetter", "JsonSerialize", "JsonView", "JsonFormat", "JsonTypeInfo", "JsonRawValue", "JsonUnwrapped",
		"JsonBackReference", "JsonManagedReference",
	}, func(name string) bool { return notes.Jackson(name) != nil })
}

// getters yields the properties of the getters that Jackson sees, with the fields that these are for.
func (f *File) getters(detect *Note) iter.Seq2[string, string] {
	return func(yield func(name, field string) bool) {
		for _, g := range [...]struct{ prefix, element, otherwise string }{{"get", "getterVisibility", "NONE"}, {"is", "isGetterVisibility", "PUBLIC_ONLY"}} {
			for i := range f.Methods {
				m := &f.Methods[i]
				if rest, ok := accessor(m, g.prefix); ok && detected(detect, g.element, g.otherwise, m.Access) && !ignored(m.Annotations) && !yield(Jackson.mangle(rest), f.accessed(m, rest, g.prefix)) {
					return
				}
			}
		}
	}
}

// byGetter returns the name in JSON of a hidden field: that of its getter, "-" where Jackson sees
// none, and "" for the name of the field.
func (f *File) byGetter(field string, detect *Note, notes, class Notes) string {
	for name, of := range f.getters(detect) {
		if of == field {
			if renamed := jsonName(name, notes, class); renamed != "" {
				name = renamed
			}
			if name == field {
				return ""
			}
			return name
		}
	}
	return "-"
}

// Computed returns the properties without a field that Redisson's codecs of Jackson write of
// objects of f, the file of c: those of getters that they see.
func (f *File) Computed(c *java.Class) (names []string) {
	for name := range f.getters(f.Annotations.Jackson("JsonAutoDetect")) {
		has := func(field java.ClassField) bool { return cmp.Or(field.Format.Name, field.Name) == name }
		if c.Kind == java.KindBean && !slices.ContainsFunc(c.Fields, has) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// propertyOrder returns the properties that @JsonPropertyOrder and @JsonProperty(index) put first.
func (f *File) propertyOrder(class Notes) (names []string) {
	if a := class.Jackson("JsonPropertyOrder"); a != nil {
		names = slices.Clone(a.Texts("value"))
	}
	index := map[string]int32{}
	for field, notes := range f.properties() {
		if a := notes.Jackson("JsonProperty"); a != nil {
			if n, ok := a.Values["index"].(int32); ok && n >= 0 {
				index[field] = n
			}
		}
	}
	for _, field := range slices.SortedFunc(maps.Keys(index), func(a, b string) int { return cmp.Or(cmp.Compare(index[a], index[b]), strings.Compare(a, b)) }) {
		if !slices.Contains(names, field) {
			names = append(names, field)
		}
	}
	// What no declaration says is left out.
	if parsed, err := java.ParseClass((&java.Class{Name: "x", Order: names}).String()); err != nil || !slices.Equal(parsed.Order, names) {
		return nil
	}
	return names
}

// typeFormat returns how objects of f name their class. The annotations of its supertypes count too.
func (f *File) typeFormat(notes Notes) (t java.TypeFormat) {
	info := notes.Jackson("JsonTypeInfo")
	if info == nil {
		return t
	}
	switch info.Constant("include") {
	case "", "PROPERTY":
		t.Form = java.TypeProperty
	case "EXISTING_PROPERTY":
		t.Form = java.TypeExisting
	case "WRAPPER_OBJECT":
		t.Form = java.TypeObject
	case "WRAPPER_ARRAY":
		t.Form = java.TypeArray
	default:
		return java.TypeFormat{}
	}
	var property string
	switch info.Constant("use") {
	case "NAME":
		property, t.ID = "@type", f.typeName(notes)
	case "CLASS":
		property, t.ID = "@class", f.Name
	case "MINIMAL_CLASS": // below the package of the declared class
		property, t.ID = "@c", f.Name[max(0, strings.LastIndexByte(f.Name, '.')):]
	default:
		return java.TypeFormat{}
	}
	if t.Form == java.TypeProperty || t.Form == java.TypeExisting {
		t.Property = cmp.Or(info.Text("property"), property)
	}
	if f.Access&(Abstract|Interface) != 0 {
		t.ID = ""
	}
	// What no declaration says is left out.
	if c, err := java.ParseClass("x json " + t.String()); err != nil || c.JSON != t {
		return java.TypeFormat{}
	}
	return t
}

// typeName returns the name of f by @JsonSubTypes or @JsonTypeName.
func (f *File) typeName(notes Notes) string {
	for i := range notes {
		if only := notes[i : i+1].Jackson("JsonSubTypes"); only != nil {
			for _, sub := range only.Notes("value") {
				if sub.OfClass("value") == f.Name && sub.Text("name") != "" {
					return sub.Text("name")
				}
			}
		}
	}
	if own := f.Annotations.Jackson("JsonTypeName"); own != nil && own.Text("value") != "" {
		return own.Text("value")
	}
	return f.Name[strings.LastIndexByte(f.Name, '.')+1:]
}

// subtypes returns the classes that @JsonSubTypes of f names.
func (f *File) subtypes() []string {
	var names []string
	if a := f.Annotations.Jackson("JsonSubTypes"); a != nil {
		for _, sub := range a.Notes("value") {
			names = append(names, sub.OfClass("value"))
		}
	}
	return names
}

func fieldFormat(c *java.Class, field *java.ClassField, notes, class Notes) (f java.FieldFormat) {
	f.Name = jsonName(field.Name, notes, class)
	if a := notes.Jackson("JsonAlias"); a != nil && f.Name != "-" {
		f.Aliases = strings.Join(a.Texts("value"), "|")
	}
	if !field.Type.Primitive() {
		include := notes.Jackson("JsonInclude")
		if include == nil {
			include = class.Jackson("JsonInclude")
		}
		f.Include = inclusion(include)
	}
	valueFormat(&f, c, field.Type, notes)
	// What a tag cannot say is left out.
	if tag, err := gotypes.ParseTag("x" + f.String()); err != nil || tag.Format != f {
		return java.FieldFormat{Include: f.Include}
	}
	return f
}

// jsonName returns the name of a property in JSON, "-" for one that is left out, and "" for the
// name of the field.
func jsonName(field string, notes, class Notes) string {
	name := field
	if strategy := class.Jackson("JsonNaming"); strategy != nil {
		of := strategy.OfClass("value")
		if rename := naming.Strategies[naming.Classes[of[strings.LastIndexAny(of, ".$")+1:]]]; rename != nil {
			name = rename(field)
		}
	}
	for _, annotation := range []string{"JsonGetter", "JsonProperty"} {
		if a := notes.Jackson(annotation); a != nil && a.Text("value") != "" {
			name = a.Text("value")
		}
	}
	ignored := notes.Jackson("JsonIgnore")
	others := class.Jackson("JsonIgnoreProperties")
	switch {
	case ignored != nil && ignored.Bool("value", true), others != nil && slices.Contains(others.Texts("value"), name):
		return "-"
	case name == field:
		return ""
	}
	return name
}

func inclusion(a *Note) java.FieldInclude {
	if a == nil {
		return java.IncludeUsual
	}
	switch a.Constant("value") {
	case "", "ALWAYS":
		return java.IncludeAlways
	case "NON_NULL", "NON_ABSENT":
		return java.IncludeNonNull
	case "NON_EMPTY":
		return java.IncludeNonEmpty
	}
	return java.IncludeUsual
}

// valueFormat sets what annotations say of the values of a field.
func valueFormat(f *java.FieldFormat, c *java.Class, t java.TypeExpr, notes Notes) {
	values := java.FieldFormat{}
	leaf := values.Class(t)
	if a := notes.Jackson("JsonFormat"); a != nil {
		values.Pattern, values.Zone = a.Text("pattern"), javaZone(a.Text("timezone"))
		switch shape := a.Constant("shape"); {
		case values.Pattern != "":
		case shape == "STRING":
			values.Shape = java.ShapeText
		case shape == "NUMBER", shape == "NUMBER_INT" && !strings.HasPrefix(leaf.Class, "java.time."):
			values.Shape = java.ShapeNumber
		case values.Zone != "" && !strings.HasPrefix(leaf.Class, "java.time."):
			values.Shape = java.ShapeText
		}
	}
	if a := notes.Jackson("JsonSerialize"); a != nil {
		using := "using"
		if leaf.String() != t.String() {
			using = "contentUsing"
		}
		if strings.HasSuffix(a.OfClass(using), ".ToStringSerializer") {
			values.Shape = java.ShapeText
		}
	}
	if strings.HasPrefix(leaf.Class, "java.time.Local") || strings.HasPrefix(leaf.Class, "java.time.") && values.Pattern == "" {
		values.Zone = "" // Java looks at none there
	}
	if !c.Variable(leaf) && values.Check(t, nil) == nil {
		f.Shape, f.Pattern, f.Zone = values.Shape, values.Pattern, values.Zone
	}
}

// javaZone returns a time zone as TimeZone.getTimeZone takes it: an offset without GMT is
// none to it, which is GMT.
func javaZone(name string) string {
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return "GMT"
	}
	return name
}
