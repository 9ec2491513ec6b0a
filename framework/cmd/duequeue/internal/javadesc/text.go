package javadesc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// textDates reports whether dates of a field are texts in JSON that a library makes.
func (g *generator) textDates(k *class, f java.ClassField) bool {
	switch g.opts.Text {
	case classfile.FastJSON, classfile.FastJSON2:
		a := k.file.Property(f.Name).FastJSON()
		return g.opts.Text == classfile.FastJSON2 || a != nil && a.Text("format") != ""
	default:
		a := k.file.Property(f.Name).Jackson("JsonFormat")
		return a != nil && (a.Text("pattern") != "" || f.Format.Shape == java.ShapeText)
	}
}

// textType returns the Go type of a class of the JDK that is a text or a number in JSON; "" where it
// is that of other codecs too.
func (g *generator) textType(t java.TypeExpr, at place) string {
	name := t.Class
	switch {
	case g.opts.Text == "" || t.Dims > 0 || name == "java.lang.String" || t.Unboxed().Primitive() && name != "java.lang.Character":
		return ""
	case (timeTypes[name] && name != "java.time.Instant" && name != "java.sql.Time" || name == "java.util.Calendar") && !g.asText:
		return g.nullable("int64", at)
	case name == "java.math.BigDecimal":
		return g.nullable("json.Number", at)
	case name == "java.math.BigInteger":
		return "*big.Int"
	case listTypes[name] || mapTypes[name] || holderTypes[name] != "" || name == "java.util.concurrent.atomic.AtomicReference":
		return ""
	case classfile.Subtype(name, "java.util.Map"):
		return "map[string]any"
	case classfile.Subtype(name, "java.util.Collection"):
		return "[]any"
	case classfile.Subtype(name, "java.lang.Throwable"), name == "java.util.Optional", name == "java.util.BitSet":
		return "any"
	case timeTypes[name] || gotypes.ValueTypeFor(name) != nil:
		return g.nullable("string", at)
	}
	if k := g.classes[name]; k != nil {
		if k.desc.JSON.Form != java.TypeUsual {
			return "any"
		}
		switch k.role {
		case roleList:
			return "[]any"
		case roleMapping:
			return "map[string]any"
		case roleObject:
			return "any"
		default:
		}
	}
	return ""
}

// jsonTag returns the json tag of a field.
func (g *generator) jsonTag(k *class, f java.ClassField, name, goType string) string {
	if name == "-" {
		return "-"
	}
	tag := cmp.Or(name, f.Name)
	kind := strings.TrimPrefix(goType, "*")
	if f.Format.Include == java.IncludeNonNull || f.Format.Include == java.IncludeNonEmpty || g.opts.Text != classfile.Jackson && kind != goType {
		tag += ",omitempty"
	}
	text := f.Format.Shape == java.ShapeText && g.opts.Text != classfile.FastJSON
	if a := k.file.Property(f.Name).FastJSON(); a != nil && g.opts.Text != classfile.Jackson {
		text = text || strings.HasSuffix(a.OfClass("serializeUsing"), ".ToStringSerializer")
	}
	if text && (strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "float")) {
		tag += ",string"
	}
	return tag
}

// textNote says what encoding/json does not do as Java does, "" for nothing.
func (g *generator) textNote(k *class, f java.ClassField) string {
	notes := k.file.Property(f.Name)
	for _, name := range fieldAnnotations {
		if notes.Jackson(name) != nil {
			return "it has @" + name + ", which encoding/json does not follow"
		}
	}
	if serializer := ownSerializer(notes, f.Format); serializer != "" {
		return "Java writes it by " + serializer + ", and the Go type must fit that"
	}
	for _, name := range append([]string{f.Type.Class}, arguments(f.Type)...) {
		if base := g.classes[name]; base != nil && base.desc.JSON.Form != java.TypeUsual {
			return "the text names the class of " + name + " (@JsonTypeInfo), which encoding/json does not: any takes it as a map"
		}
	}
	if f.Format.Aliases != "" {
		return "Java also reads it as " + strings.Join(f.Format.AliasNames(), " and ") + ", and encoding/json does not"
	}
	return ""
}

// textOrder puts fields in the order in which a library writes those of a class: fastjson by ordinal
// and name, Jackson those of @JsonPropertyOrder first, then those whose field has the name, and those last that an annotation names.
func (g *generator) textOrder(k *class, fields []java.ClassField, names map[string]string) []java.ClassField {
	if g.opts.Text == "" {
		return fields
	}
	rank := func(f java.ClassField) int {
		switch a := k.file.Property(f.Name).Jackson("JsonProperty"); {
		case names[f.Name] == f.Name:
			return 0
		case a == nil || a.Text("value") == "":
			return 1
		}
		return 2
	}
	first := func(f java.ClassField) int {
		for _, name := range []string{names[f.Name], f.Name} {
			if at := slices.Index(k.desc.Order, name); at >= 0 {
				return at
			}
		}
		return len(k.desc.Order)
	}
	ordinal := func(f java.ClassField) (n int32) {
		if a := k.file.Property(f.Name).FastJSON(); a != nil {
			n, _ = a.Values["ordinal"].(int32)
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(fields), func(a, b java.ClassField) int {
		if g.opts.Text == classfile.Jackson {
			return cmp.Or(first(a)-first(b), rank(a)-rank(b))
		}
		return cmp.Or(cmp.Compare(ordinal(a), ordinal(b)), strings.Compare(names[a.Name], names[b.Name]))
	})
}

// enumValues returns the values of an enum's constants in Go and their type: those of JSON where they
// are for its text.
func (g *generator) enumValues(k *class) (values []string, kind string) {
	kind = "string"
	json := g.opts.Text != "" && g.opts.Text != classfile.FastJSON // which writes names
	if json && len(k.desc.Constants) > 0 {
		if _, err := strconv.Atoi(k.desc.Constants[0].JSON); err == nil {
			kind = "int64"
		}
	}
	for _, c := range k.desc.Constants {
		value := strconv.Quote(c.Name)
		if json && c.JSON != "" {
			value = c.JSON
		}
		values = append(values, value)
	}
	return values, kind
}
