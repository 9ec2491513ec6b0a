package avro

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// matcher holds a Go type against the schema. It returns the schema again, with the
// forms that the Go type asks for, and collects all mistakes.
type matcher struct {
	codec string
	opts  codecs.BindOptions
	done  map[matchKey]*node
	errs  []error
}

type matchKey struct {
	node *node
	typ  reflect.Type
}

func (m *matcher) fail(t reflect.Type, path, format string, args ...any) {
	m.errs = append(m.errs, &codecs.BindError{Codec: m.codec, Type: t, Path: path, Reason: fmt.Sprintf(format, args...)})
}

// match returns n for Go type t.
func (m *matcher) match(n *node, t reflect.Type, path string) *node {
	if t.Kind() == reflect.Interface {
		return n // takes everything
	}
	key := matchKey{n, t}
	if made, ok := m.done[key]; ok {
		return made
	}
	out := *n
	m.done[key] = &out
	if n.kind == union {
		m.union(&out, t, path)
		return &out
	}
	for t.Kind() == reflect.Pointer && !javaPointer(t) {
		t = t.Elem()
	}
	switch n.kind {
	case record:
		m.record(&out, t, path)
	case array:
		m.array(&out, t, path)
	case mapping:
		m.mapping(&out, t, path)
	default:
		out.form = m.scalar(n, t, path)
	}
	return &out
}

// javaPointer reports whether a pointer type is a value of its own.
func javaPointer(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[*java.Map](), reflect.TypeFor[*java.List](), reflect.TypeFor[*java.Object](), reflect.TypeFor[*big.Int]():
		return true
	}
	return false
}

// union takes [null, T] for every T; more types only go into an interface.
func (m *matcher) union(n *node, t reflect.Type, path string) {
	only := n.only()
	if only == nil {
		m.fail(t, path, "the schema has a union of several types here: only an interface takes them all")
		return
	}
	n.types = slices.Clone(n.types)
	for i := range n.types {
		if i != n.null {
			n.types[i] = m.match(only, t, path)
		}
	}
}

func (m *matcher) record(n *node, t reflect.Type, path string) {
	switch {
	case t == reflect.TypeFor[*java.Object]():
		return
	case t == reflect.TypeFor[*java.Map](), t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && t.Elem().Kind() == reflect.Interface:
		n.form = formMap
		return
	case t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]():
		m.fail(t, path, "the schema has the %s here: a struct, map[string]any, *java.Object or an interface takes it", n)
		return
	}
	fields, err := gotypes.FieldsOf(t, m.opts)
	if err != nil {
		return // the plan has reported it
	}
	n.fields = slices.Clone(n.fields)
	found := make([]bool, len(n.fields))
	for _, f := range fields {
		at := errpath.Join(path, f.GoName)
		i, known := n.index[f.Name]
		if !known {
			m.fail(t, at, "the schema's %s has no field %q: it has %s", n, f.Name, names(n))
			continue
		}
		found[i] = true
		n.fields[i].node = m.match(n.fields[i].node, f.GoType, at)
	}
	for i, f := range n.fields {
		if !found[i] && f.node.kind != null && f.node.null < 0 {
			m.fail(t, path, "no field for %q of the schema's %s, which cannot be null", f.name, n)
		}
	}
}

// names lists the fields of a record for errors.
func names(n *node) string {
	var out []string
	for _, f := range n.fields {
		if len(out) == 12 {
			out = append(out, "…")
			break
		}
		out = append(out, f.name)
	}
	return strings.Join(out, ", ")
}

func (m *matcher) array(n *node, t reflect.Type, path string) {
	switch {
	case t == reflect.TypeFor[*java.List]():
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() != reflect.Uint8:
		n.elem = m.match(n.elem, t.Elem(), path+"[]")
	default:
		m.fail(t, path, "the schema has an array here: a slice, *java.List or an interface takes it")
	}
}

func (m *matcher) mapping(n *node, t reflect.Type, path string) {
	switch {
	case t == reflect.TypeFor[*java.Map]():
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		n.elem = m.match(n.elem, t.Elem(), path+"[]")
	default:
		m.fail(t, path, "the schema has a map here: a map with string keys, *java.Map or an interface takes it")
	}
}

// scalar returns the form in which a value of type n goes into t.
func (m *matcher) scalar(n *node, t reflect.Type, path string) form {
	for _, row := range scalars {
		if row.kind != n.kind || !row.takes(t) || row.size != 0 && row.size != n.size {
			continue
		}
		switch {
		case row.form != formDecimal:
			return row.form
		case n.form == formDecimal:
			return formDecimal
		}
	}
	m.fail(t, path, "the schema has the type %s here: %s", n, hints[n.kind])
	return n.form
}

// scalars says which Go types take which types, the first row that fits.
var scalars = []struct {
	kind  kind
	form  form
	size  int // of a fixed
	takes func(t reflect.Type) bool
}{
	{boolean, formKind, 0, ofKinds(reflect.Bool)},
	{integer, formChar, 0, is[java.Char]},
	{integer, formKind, 0, ofKinds(reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int, reflect.Uint8, reflect.Uint16)},
	{long, formDate, 0, is[time.Time]},
	{long, formDate, 0, is[java.Date]},
	{long, formKind, 0, ofKinds(reflect.Int64, reflect.Uint32, reflect.Uint64)},
	{float, formKind, 0, ofKinds(reflect.Float32)},
	{double, formKind, 0, ofKinds(reflect.Float64)},
	{text, formBigDecimal, 0, is[java.BigDecimal]},
	{text, formBigInteger, 0, func(t reflect.Type) bool { return is[*big.Int](t) || is[big.Int](t) }},
	{text, formISO, 0, is[time.Time]},
	{text, formISO, 0, is[java.Date]},
	{text, formKind, 0, ofKinds(reflect.String)},
	{text, formKind, 0, isUUID},
	{data, formDecimal, 0, is[java.BigDecimal]},
	{data, formKind, 0, isBytes},
	{fixed, formDecimal, 0, is[java.BigDecimal]},
	{fixed, formUUID, 16, isUUID},
	{fixed, formKind, 0, isBytes},
	{enum, formKind, 0, is[java.Enum]},
	{enum, formName, 0, ofKinds(reflect.String)},
	{enum, formName, 0, ofKinds(reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32)},
}

// hints say which Go types take a kind.
var hints = map[kind]string{
	null:    "only an interface takes null",
	boolean: "a bool takes it",
	integer: "integers of up to 32 bits, int and java.Char take it",
	long:    "int64, time.Time and java.Date take it",
	float:   "a float32 takes it",
	double:  "a float64 takes it",
	text:    "a string, java.BigDecimal, *big.Int, java.UUID and, for the dates of Jackson 3, time.Time take it",
	data:    "a []byte takes it, and java.BigDecimal where it is a decimal",
	fixed:   "a []byte takes it, java.UUID where it has 16 bytes, java.BigDecimal where it is a decimal",
	enum:    "a string, a Go enum and java.Enum take it",
}

func ofKinds(kinds ...reflect.Kind) func(t reflect.Type) bool {
	return func(t reflect.Type) bool {
		return slices.Contains(kinds, t.Kind()) && t != reflect.TypeFor[java.Char]() && t != reflect.TypeFor[time.Duration]()
	}
}

func is[T any](t reflect.Type) bool { return t == reflect.TypeFor[T]() }

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// isUUID reports whether a type is an array of 16 bytes, as java.UUID is.
func isUUID(t reflect.Type) bool {
	return t.Kind() == reflect.Array && t.Len() == 16 && t.Elem().Kind() == reflect.Uint8
}
