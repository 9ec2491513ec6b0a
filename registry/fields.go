package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// maxFieldPath bounds a path, in bytes.
const maxFieldPath = 256

// AllFields is the path of [Visible] that stands for everything in a payload.
const AllFields = "*"

// SearchField names fields by whose values the console and the command line find messages,
// Java's too: an order by its number, where neither ID nor key is known. A path is a name as
// Java has it, or several with dots: "orderId", "customer.id", "items.sku", where items may
// be a list. A payload type that is a struct must have the field. Values of search fields are
// not shown for that: see [Visible]. May be given several times. Defaults to none.
func SearchField(paths ...string) Option {
	return &fieldPaths{name: "SearchField", paths: paths, to: func(p *Policy) *[]string { return &p.searchFields }}
}

// Visible names fields whose values the console and the command line may show to everyone who may
// see the queue. Other fields are hidden until a person asks for them, which is audited. Paths are
// those of [SearchField]. A visible field shows everything in it; [AllFields] alone means all
// fields. May be given several times. Defaults to none.
func Visible(paths ...string) Option {
	return &fieldPaths{name: "Visible", paths: paths, all: true, to: func(p *Policy) *[]string { return &p.visibleFields }}
}

// fieldPaths is an option that names fields.
type fieldPaths struct {
	name  string
	paths []string
	all   bool // [AllFields] is one
	to    func(p *Policy) *[]string
}

func (o *fieldPaths) String() string { return o.text(o.paths...) }

func (o *fieldPaths) text(paths ...string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = fmt.Sprintf("%q", p)
	}
	return o.name + "(" + strings.Join(quoted, ", ") + ")"
}

func (o *fieldPaths) apply(d *declaration) {
	if len(o.paths) == 0 {
		d.add(&OptionError{Code: d.code, Option: o.String(), Reason: "name at least one field"})
	}
	for _, path := range o.paths {
		if !d.once(o.name, path, o.text(path)) {
			continue
		}
		if fault := o.fault(path); fault != "" {
			d.add(&OptionError{Code: d.code, Option: o.text(path), Reason: fault})
			continue
		}
		*o.to(&d.policy) = append(*o.to(&d.policy), path)
		d.paths = append(d.paths, fieldPaths{name: o.name, paths: []string{path}})
	}
}

func (o *fieldPaths) fault(path string) string {
	switch {
	case path == AllFields && o.all:
		return ""
	case path == AllFields:
		return "name the fields: nothing finds a message by all that is in it"
	case len(path) > maxFieldPath:
		return fmt.Sprintf("has %d bytes, at most %d", len(path), maxFieldPath)
	case slices.Contains(strings.Split(path, "."), ""):
		return "a name in it is empty: names are joined by single dots"
	case strings.ContainsFunc(path, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("[]*", r) }):
		return "is no path: names joined by dots, without blanks and brackets; elements of a list have the path of the list"
	}
	return ""
}

// fields looks for the paths in the payload's type.
func (d *declaration) fields(t reflect.Type) {
	if d.policy.Codec != nil && strings.Contains(d.policy.Codec.Name(), "protobuf") {
		return // whose types say nothing of Java
	}
	for _, o := range d.paths {
		path := o.paths[0]
		if path == AllFields {
			continue
		}
		if fault := missingField(t, strings.Split(path, ".")); fault != "" {
			d.add(&OptionError{Code: d.code, Option: o.String(), Reason: fault})
		}
	}
}

// missingField says why a value of type t has no such field, or "" where it may have.
func missingField(t reflect.Type, names []string) string {
	for i := 0; i < len(names); {
		switch {
		case t.Kind() == reflect.Interface || openType(t):
			return ""
		case gotypes.IsValue(t):
			return fmt.Sprintf("type %s has no fields", t)
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			t = t.Elem()
			continue
		case reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			fields, err := gotypes.FieldsOf(t, codecs.BindOptions{})
			if err != nil {
				return "" // reported as a mistake of the type
			}
			at := slices.IndexFunc(fields, func(f gotypes.FieldDesc) bool { return f.Name == names[i] })
			if at < 0 {
				return fmt.Sprintf("type %s has no field %q for Java: there are %s", t, names[i], fieldNames(fields))
			}
			t = fields[at].GoType
		default:
			return fmt.Sprintf("type %s has no fields", t)
		}
		i++
	}
	return ""
}

// openType reports whether t holds what no Go type tells.
func openType(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[*java.Object](), reflect.TypeFor[*java.Map](), reflect.TypeFor[*java.List]():
		return true
	}
	return false
}

// fieldNames lists the first names of fields.
func fieldNames(fields []gotypes.FieldDesc) string {
	const most = 20
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

// SearchFields returns the paths of [SearchField]. The slice is the caller's.
func (p Policy) SearchFields() []string { return slices.Clone(p.searchFields) }

// VisibleFields returns the paths of [Visible]. The slice is the caller's.
func (p Policy) VisibleFields() []string { return slices.Clone(p.visibleFields) }
