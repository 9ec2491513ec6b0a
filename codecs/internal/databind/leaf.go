package databind

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// leafNode carries a type whose values are one Java value: a scalar, a class of the JDK, an
// array of primitives, a value of package java. Between the Go type and that value it
// goes by the conversions of package java, which all codecs share. Usual values of most
// types have a node of their own before it.
type leafNode struct {
	typ      reflect.Type
	plan     *bridge.Plan
	as       *place
	root     string // what Java writes bare at the root only; see rootClass
	enum     string // the class of an enum that may be its ordinal at the root
	exact    bool   // the type keeps the classes of what it holds
	nulls    bool   // null leaves the variable zero in every place
	base     string // the class of the values, of which there are subclasses
	declared java.TypeExpr
	property bool // of a bean, which leaves out references to null too
}

func newLeaf(f form, plan *bridge.Plan) *leafNode {
	n := &leafNode{
		typ: f.Go, plan: plan, as: f.at, declared: f.Declared, exact: exactTypes[f.Go] || f.exact && f.Kind != bridge.NodeTime && !timeClass(f.Class),
		nulls: plan != nil && plan.Assign(nil, reflect.New(f.Go).Interface()) == nil,
	}
	if f.Kind == bridge.NodeTime || f.Go == decimalType || f.Go == bigType || f.Go == reflect.TypeFor[java.Date]() {
		n.base = f.Class
	}
	if f.at == rootPlace {
		n.root = rootClass(f.Go)
		if f.Kind == bridge.NodeEnum {
			n.enum = f.Class
		}
	}
	return n
}

func (n *leafNode) lower(w *writer, p memory.Place) (any, error) {
	low, err := n.plan.Lower(memory.Value(n.typ, p).Interface())
	return low, bridge.Named(w.codec.Name(), err)
}

func (n *leafNode) null(p memory.Place) bool {
	v := memory.Value(n.typ, p)
	if !v.IsZero() {
		return false
	}
	low, err := n.plan.Lower(v.Interface())
	return err == nil && (low == nil || n.property && nullField(low))
}

func (n *leafNode) nullable() bool { return n.nulls }

func (n *leafNode) write(w *writer, p memory.Place) error {
	low, err := n.lower(w, p)
	if err == nil {
		err = w.unfit(n.declared, low)
	}
	if err != nil {
		return err
	}
	return w.at(low, n.as)
}

// unfit returns an error for a list or map of a class that the declared type does not take, where
// classes are named.
func (w *writer) unfit(declared java.TypeExpr, v any) error {
	if !w.codec.rules.Types {
		return nil
	}
	return bridge.Named(w.codec.Name(), bridge.Unfit(declared, v))
}

// refuse returns the error of a value that has no Java form.
func (n *leafNode) refuse(w *writer, p memory.Place) error {
	low, err := n.lower(w, p)
	if err == nil {
		err = w.fail(low, "it is none of the values of its type")
	}
	return err
}

func (n *leafNode) read(*reader, int, memory.Place) error { return errUnusual }

func (n *leafNode) readAs(r *reader, i int, p memory.Place, as *place, inside bool) error {
	v, err := n.value(r, i, as)
	if err != nil {
		return err
	}
	if v == nil && inside {
		memory.Value(n.typ, p).SetZero()
		return nil
	}
	err = n.plan.Assign(v, memory.PointerTo(n.typ, p))
	if o, ok := v.(*java.Object); err != nil && (ok || n.base != "") {
		if v, ok = n.inherited(r, i, as, o); ok {
			err = n.plan.Assign(v, memory.PointerTo(n.typ, p))
		}
	}
	return r.assigned(i, err)
}

// inherited reads a value of a class that is not described as what the Go type says that it is: a
// map, which was read as object o, or a subclass of a date or number.
func (n *leafNode) inherited(r *reader, i int, as *place, o *java.Object) (any, bool) {
	if n.typ == reflect.TypeFor[*java.Map]() {
		if o == nil || o.Class == "" || r.beans[o.Class] != nil {
			return nil, false
		}
		m := &java.Map{Class: o.Class, Entries: make([]java.Entry, 0, len(o.Fields))}
		for _, f := range o.Fields {
			m.Entries = append(m.Entries, java.Entry{Key: f.Name, Value: f.Value})
		}
		return m, true
	}
	f, err := r.frame(i, as)
	if err != nil || n.base == "" || !bridge.Foreign(java.TypeExpr{Class: f.class}) {
		return nil, false
	}
	v, err := r.convert(n.base, f.at)
	if d, ok := v.(java.Date); ok {
		d.Class = f.class
		v = d
	}
	return v, err == nil
}

// value reads token i as a Java value that the type can take.
func (n *leafNode) value(r *reader, i int, as *place) (any, error) {
	if n.exact {
		defer r.plain(false)()
	}
	if n.root != "" && as == rootPlace {
		return r.rootValue(i, n.root)
	}
	if n.enum != "" && as == rootPlace && r.beans[n.enum] != nil && r.toks[i].Kind == token.Int {
		return r.constant(n.enum, i)
	}
	v, err := r.at(i, as)
	if o, ok := v.(*java.Object); ok && n.typ == calendarType {
		// A text in another form than it would be written in.
		if text, _ := ScalarValue(o); calendarClass(o.Class) {
			if millis, ok := cmp.Or(as.rules, r.rules).parseUtilDate(fmt.Sprint(text)); ok {
				return calendar(o.Class, millis), err
			}
		}
	}
	return v, err
}

var calendarType = reflect.TypeFor[*java.Calendar]()

// plain makes values plain or exact until what it returns is called.
func (r *reader) plain(bare bool) func() {
	was := r.bare
	r.bare = bare
	return func() { r.bare = was }
}

// assigned makes the error of a conversion that of the value at token i.
func (r *reader) assigned(i int, err error) error {
	var a, d *codecs.DecodeError
	if !errors.As(err, &a) || a.Codec != "" {
		return err
	}
	e := r.failClass(i, a.Class, "%s", a.Reason)
	if errors.As(e, &d) {
		d.Path = errpath.Join(d.Path, a.Path)
	}
	return e
}

// rootValue reads the root where it is a bare scalar, as what the Go type says it is.
func (r *reader) rootValue(i int, class string) (any, error) {
	k := &r.toks[i]
	switch {
	case k.Type != 0:
	case k.Kind == token.Array:
		if timeClass(class) && !r.wrapped(i) {
			return r.time(class, i)
		}
	case k.Kind == token.Null, k.Kind == token.Bool, k.Kind == token.Object, k.Kind == token.Big, k.Kind == token.Opaque:
	case class == classUUID:
		return r.uuid(i)
	default:
		return r.convert(class, i)
	}
	return r.at(i, rootPlace)
}

// rootClass returns the class that a bare value has when it is read as the
// root into t: Java leaves these classes out there, and only there.
func rootClass(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[java.Char]():
		return "java.lang.Character"
	case t == decimalType:
		return classBigDecimal
	case t == bigType:
		return "java.math.BigInteger"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "[B"
	case t.Kind() == reflect.Float32:
		return "java.lang.Float"
	case t.Kind() == reflect.Float64:
		return "java.lang.Double"
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8 && t.Len() == len(java.UUID{}):
		return classUUID
	case t.Kind() == reflect.Struct:
		if gotypes.DescribeType(t, java.TypeExpr{}, codecs.BindOptions{}).Class == classBigDecimal {
			return classBigDecimal
		}
		if of := jdk.OfType(t); of != nil && of.Parts != nil {
			return of.Class
		}
	}
	return ""
}

// exactTypes are the Go types that take Java values as they are, so that what is read
// for them keeps its class. All others take what it shows: an enum its name.
var exactTypes = map[reflect.Type]bool{
	reflect.TypeFor[*java.Map]():      true,
	reflect.TypeFor[*java.List]():     true,
	reflect.TypeFor[*java.Object]():   true,
	reflect.TypeFor[*java.Calendar](): true,
	reflect.TypeFor[java.Enum]():      true,
	reflect.TypeFor[java.ClassRef]():  true,
	reflect.TypeFor[java.Locale]():    true,
	reflect.TypeFor[java.Pattern]():   true,
}

// pointedClasses returns options in which a class that is given to a pointer is that of
// what it points to as well.
func pointedClasses(opts codecs.BindOptions) codecs.BindOptions {
	classes := maps.Clone(opts.Classes)
	for t, class := range opts.Classes {
		if t.Kind() == reflect.Pointer && classes[t.Elem()] == "" {
			classes[t.Elem()] = class
		}
	}
	opts.Classes = classes
	return opts
}

// readKey makes of a map's key, which is a text in all payloads, a value for the key
// type of a Go map: the reverse of what Jackson writes keys as.
func (r *Rules) readKey(key string, t reflect.Type) (any, bool) {
	switch t {
	case reflect.TypeFor[java.Char]():
		c, ok := character(key)
		return c, ok
	case reflect.TypeFor[*big.Int]():
		return new(big.Int).SetString(key, 10)
	case decimalType:
		d, ok := parseDecimal(key)
		return d, ok
	case timeType, reflect.TypeFor[java.Date]():
		millis, ok := r.parseUtilDate(key)
		if t == timeType {
			return java.Date{Millis: millis}, ok
		}
		return java.Date{Class: java.ClassDate, Millis: millis}, ok
	case reflect.TypeFor[java.Enum]():
		return java.Enum{Name: key, Ordinal: -1}, key != ""
	case reflect.TypeFor[java.ClassRef]():
		return java.ClassRef(key), true
	case reflect.TypeFor[time.Duration]():
		return nil, false
	}
	if of := jdk.OfType(t); of != nil && of.Parts != nil {
		p, ok := of.ParseText(key)
		return of.Join(&p), ok
	}
	switch t.Kind() {
	case reflect.Bool:
		return key == "true", key == "true" || key == "false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseInt(key, 10, 64)
		return n, err == nil
	case reflect.Float32, reflect.Float64:
		f, err := javatext.ParseDouble(key)
		if t.Kind() == reflect.Float32 {
			return float32(f), err == nil
		}
		return f, err == nil
	}
	return nil, false
}
