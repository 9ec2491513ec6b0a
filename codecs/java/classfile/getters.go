package classfile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Library makes text of objects by their getters, as Java services do that offer JSON as a String.
type Library string

// The libraries.
const (
	Jackson   Library = "jackson" // a plain ObjectMapper, also that of Spring Boot
	FastJSON  Library = "fastjson"
	FastJSON2 Library = "fastjson2"
)

// Libraries are the names of all.
var Libraries = []string{string(Jackson), string(FastJSON), string(FastJSON2)}

// TextNames returns the names of properties in the text of a library by the fields of f: of all fields,
// "-" where no property has the field. More are properties without a field of the class, such as
// computed ones, which the library writes too.
func (f *File) TextNames(lib Library) (names map[string]string, more []string) {
	names = map[string]string{}
	properties, _ := f.allProperties()
	for i := range f.Fields {
		if m := &f.Fields[i]; !m.Access.Is(Static) && m.Access&Transient == 0 {
			names[m.Name] = "-"
			if m.Access.Is(Public) {
				names[m.Name] = m.Name
			}
		}
	}
	for _, prefix := range []string{"set", "is", "get"} { // the last one counts
		for i := range f.Methods {
			m := &f.Methods[i]
			rest, ok := accessor(m, prefix)
			if !ok && (prefix != "get" || !f.isRecord() || names[m.Name] == "" || !strings.HasPrefix(m.Descriptor, "()")) {
				continue
			}
			name, field := lib.mangle(rest), m.Name
			if ok {
				field = f.accessed(m, rest, prefix)
			} else {
				name = m.Name
			}
			if prefix == "is" && f.Annotations.Find("kotlin.Metadata") != nil && lib == Jackson {
				name = field
			}
			if _, has := names[field]; has {
				names[field] = name
			} else if prefix != "set" && (lib == Jackson || f.Field(field) == nil) && !ignored(m.Annotations) {
				more = append(more, name)
			}
		}
	}
	for field, name := range names {
		names[field] = lib.renamed(field, name, properties[field], f)
	}
	return names, more
}

// accessor returns what follows the prefix of a getter or setter, and whether m is one.
func accessor(m *Member, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(m.Name, prefix)
	if !ok || rest == "" || m.Access.Is(Static) || !m.Access.Is(Public) || m.Access&Synthetic != 0 || m.Name == "getClass" {
		return "", false
	}
	switch returns := m.Descriptor[strings.IndexByte(m.Descriptor, ')')+1:]; prefix {
	case "set":
		return rest, len(parameters(m.Descriptor)) == 1
	case "is":
		return rest, m.Descriptor == "()Z" || m.Descriptor == "()Ljava/lang/Boolean;"
	default:
		return rest, strings.HasPrefix(m.Descriptor, "()") && returns != "V"
	}
}

// accessed returns the field that a getter or setter is for: the one that its code names, or else
// one of a like name.
func (f *File) accessed(m *Member, rest, prefix string) string {
	if field := f.returned(m); field != "" {
		return field
	}
	for i := range f.Fields {
		name := f.Fields[i].Name
		if strings.EqualFold(name, rest) || prefix != "get" && strings.EqualFold(name, "is"+rest) {
			return name
		}
	}
	return ""
}

// returned returns the field that a method returns and does nothing else, "" for none.
func (f *File) returned(m *Member) string {
	const loadThis, getField = 42, 180
	c := m.code
	if len(c.data) != 5 || c.u1() != loadThis || c.u1() != getField {
		return ""
	}
	class, name, _ := f.pool.member(&c, c.u2(), tagField)
	if c.err != nil || class != f.Name {
		return ""
	}
	return name
}

func ignored(notes Notes) bool {
	a := notes.Jackson("JsonIgnore")
	return a != nil && a.Bool("value", true)
}

// mangle returns the name of a property by what follows get, set or is.
func (lib Library) mangle(rest string) string {
	first, n := utf8.DecodeRuneInString(rest)
	lower := string(unicode.ToLower(first)) + rest[n:]
	switch second, _ := utf8.DecodeRuneInString(rest[n:]); {
	case lib == Jackson:
		end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsUpper(r) })
		if end < 0 {
			end = len(rest)
		}
		return strings.ToLower(rest[:end]) + rest[end:]
	case lib == FastJSON2 && unicode.IsUpper(first) && unicode.IsUpper(second):
		return rest
	}
	return lower
}

// renamed returns the name that annotations give a property.
func (lib Library) renamed(field, name string, notes Notes, f *File) string {
	if lib != Jackson {
		if a := notes.FastJSON(); a != nil {
			switch {
			case !a.Bool("serialize", true):
				return "-"
			case a.Text("name") != "":
				return a.Text("name")
			}
		}
		if lib == FastJSON2 && (ignored(notes) || notes.Jackson("JsonProperty") != nil) { // which it follows too
			if renamed := jsonName(name, notes, nil); renamed != "" {
				return renamed
			}
		}
		return name
	}
	if name == "-" {
		return jsonNameOr(field, "-", notes, f.Annotations)
	}
	if renamed := jsonName(name, notes, f.Annotations); renamed != "" {
		return renamed
	}
	return name
}

// jsonNameOr returns the name that annotations of a field give it, or else otherwise.
func jsonNameOr(field, otherwise string, notes, class Notes) string {
	for _, a := range []string{"JsonProperty", "JsonGetter", "JsonSetter"} {
		if notes.Jackson(a) != nil {
			if name := jsonName(field, notes, class); name != "" {
				return name
			}
			return field
		}
	}
	return otherwise
}

// FastJSON returns the annotation JSONField of fastjson or fastjson2, or nil.
func (n Notes) FastJSON() *Note {
	for _, class := range []string{"com.alibaba.fastjson.annotation.JSONField", "com.alibaba.fastjson2.annotation.JSONField"} {
		if a := n.Find(class); a != nil {
			return a
		}
	}
	return nil
}
