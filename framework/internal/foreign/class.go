package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

// Declared is what a queue's payloads are compared with.
type Declared struct {
	Code  string
	Codec codecs.Codec
	Type  reflect.Type // nil where it is not known
	Class string       // the Java class that is written; "" where that is not known
	Also  []string     // other classes that lie there by intent
	// Reads says that a payload of another class is none where the Go type takes it.
	Reads bool

	value   func(payload []byte) (any, error) // reads into the Go type; nil without one
	payload func(value any) ([]byte, error)
}

// Of returns what a declared queue's payloads are compared with, by who offers to it.
func Of(q registry.Descriptor) Declared {
	p := q.Policy()
	return Declared{
		Code: q.Code(), Codec: p.Codec, Type: q.Type(), Class: classOf(q), Also: p.OtherClasses(),
		value: q.Value, payload: q.Payload,
	}
}

// classOf returns the Java class that a queue writes, "" where its Go type leaves it open or
// its codec names none.
func classOf(q registry.Descriptor) (class string) {
	defer func() {
		if recover() != nil { // of code of the user's
			class = ""
		}
	}()
	t, p := q.Type(), q.Policy()
	payload, err := q.Payload(sample(t).Interface())
	if err == nil {
		return view.Class(p.Codec.Decode(payload))
	}
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if declared := p.JavaClass(t); declared != "" {
			return gotypes.ClassName(t, map[reflect.Type]string{t: declared})
		}
	}
	return gotypes.ClassName(t, map[reflect.Type]string{t: p.JavaClass(t)})
}

// sample returns a value of a type that is not null in Java, as far as its kind goes.
func sample(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.New(t.Elem())
	case reflect.Slice:
		return reflect.MakeSlice(t, 0, 0)
	case reflect.Map:
		return reflect.MakeMap(t)
	}
	return reflect.Zero(t)
}

var errNoType = errors.New("the Go type is not known")

// typed reads a payload into the Go type.
func (q Declared) typed(payload []byte) error {
	if q.value == nil {
		return errNoType
	}
	_, err := q.value(payload)
	return err
}

// differs compares a payload that the codec reads with what the queue writes in its place. It
// returns both classes where they differ, or the first place where the form does, or why the Go
// type cannot read it.
func (q Declared) differs(payload []byte) (has, writes string, form *fault.ForeignForm, misfit error) {
	defer func() {
		if recover() != nil { // of code of the user's
			has, writes, misfit = "", "", nil
		}
	}()
	if len(payload) == 0 {
		return "", "", nil, nil
	}
	named := namesClasses(q.Codec)
	v, again, err := q.rewrite(payload)
	if !q.Reads {
		if form = otherForm(q.Codec, payload, again, q.open()); form != nil {
			return "", "", form, nil
		}
	}
	if named && (again != nil || err != nil) { // else the type takes it, and that is enough
		mine := kind{class: q.Class}
		if again != nil {
			mine = classIn(q.Codec, again)
		}
		if has = q.otherClass(payload, mine); has != "" {
			return has, mine.class, nil, nil
		}
	}
	switch {
	case q.Reads || q.value == nil || len(q.Also) > 0 && slices.Contains(q.Also, classIn(q.Codec, payload).class):
	case err != nil && !isNull(q.Codec, payload):
		var decode *codecs.DecodeError
		if hasForm(q.Codec) || !errors.As(err, &decode) || !names(payload, decode.Class) { // else a class is only not described
			return "", "", nil, err
		}
	case again != nil:
		if form = compare(q.Codec, payload, again, nil); form == nil {
			form = q.misnamed(payload, v)
		}
	}
	return "", "", form, nil
}

// open reports whether the Go type takes objects of any class.
func (q Declared) open() bool {
	t := q.Type
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == nil || t.Kind() != reflect.Struct
}

func isNull(c codecs.Codec, payload []byte) bool {
	v, err := c.Decode(payload)
	return err == nil && v == nil
}

// misnamed returns the form of an object some of whose fields the Go type writes by other names:
// it reads none of them, and leaves them out where they are null. Or of one that names its class
// in a property that the Go type does not have.
func (q Declared) misnamed(payload []byte, v any) *fault.ForeignForm {
	c, text := codecs.TextIn(q.Codec)
	if q.open() || !hasForm(c) {
		return nil
	}
	full, err := q.payload(filled(reflect.ValueOf(v)).Interface())
	if err != nil {
		return nil
	}
	there, errThere := text(payload)
	full, errFull := text(full)
	if errors.Join(errThere, errFull) != nil {
		return nil
	}
	a, b := tree(c, there), tree(c, full)
	if class, in := a.wrapped(); class != "" {
		_, other := b.wrapped()
		a, b = in, other
	}
	if a == nil || b == nil || a.kind != '{' || b.kind != '{' || len(a.keys) == 0 {
		return nil
	}
	if theirs, mine := a.renamed(b); theirs != "" {
		return &fault.ForeignForm{Path: theirs, There: fmt.Sprintf("%q:…", theirs), Writes: fmt.Sprintf("%q:…", mine)}
	}
	key, first := a.keys[0], a.members[0] // where Jackson names a class
	switch {
	case b.member(key) != nil:
	case len(a.keys) == 1 && className.MatchString(key) && first.kind == '{':
		return &fault.ForeignForm{There: fmt.Sprintf("{%q:{…}}", key), Writes: b.form()}
	case className.MatchString(first.text):
		return &fault.ForeignForm{There: fmt.Sprintf("{%q:%q,…}", key, first.text), Writes: b.form()}
	}
	return nil
}

// filled returns a copy of a value with its null fields set.
func filled(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(filled(v.Elem()))
		return out
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if v.Kind() != reflect.Struct {
		return out
	}
	for i := range out.NumField() {
		switch f := out.Field(i); {
		case !f.CanSet():
		case out.Type().Field(i).Anonymous:
			f.Set(filled(f))
		case f.Kind() == reflect.Pointer && f.IsNil(), f.Kind() == reflect.Slice && f.IsNil(), f.Kind() == reflect.Map && f.IsNil():
			f.Set(sample(f.Type()))
		}
	}
	return out
}

// rewrite reads a payload into the Go type and, unless it is enough that the type takes it, writes
// it again: a number or a map may be of several classes. The offer of a value that cannot be
// written says what is wrong.
func (q Declared) rewrite(payload []byte) (v any, again []byte, err error) {
	if q.value == nil {
		return nil, nil, errNoType
	}
	v, err = q.value(payload)
	if err != nil || q.Reads {
		return nil, nil, err
	}
	if again, err := q.payload(v); err == nil {
		return v, again, nil
	}
	return v, nil, nil
}

// otherClass returns the class of a payload where it is not the one that the queue writes in its
// place; else "".
func (q Declared) otherClass(payload []byte, mine kind) string {
	of := classIn(q.Codec, payload)
	if of.class == "" || mine.class == "" || of.alike(mine) || slices.Contains(q.Also, of.class) {
		return ""
	}
	return codecs.Printable(of.class, maxClass)
}

const maxClass = 256 // bytes of a class name that is shown

// namesClasses reports whether payloads of the codec name the classes of what they hold: an
// Integer and a Long of one value differ. fst writes nothing that could be asked.
func namesClasses(c codecs.Codec) bool {
	one, err := c.Encode(int32(1))
	long, failed := c.Encode(int64(1))
	if err != nil && failed != nil {
		return strings.Contains(c.Name(), "fst")
	}
	return !bytes.Equal(one, long)
}

// kind is the class of a payload, and what of it a declared type in Java tells apart: one list
// is as good as another.
type kind struct{ class, container string }

func classIn(c codecs.Codec, payload []byte) kind {
	v, err := c.Decode(payload)
	k := kind{class: view.Class(v, err)}
	switch v.(type) {
	case *java.Map, map[string]any:
		k.container = "map"
	case *java.List, []any:
		k.container = "list"
		if strings.Contains(k.class, "Set") {
			k.container = "set"
		}
	}
	if strings.HasPrefix(k.class, "[") {
		k.container = ""
	}
	return k
}

func (k kind) alike(other kind) bool {
	return k.class == other.class || k.container != "" && k.container == other.container
}
