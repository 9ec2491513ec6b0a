package bridge

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// structField is the plan of one field.
type structField struct {
	gotypes.FieldDesc
	node *node
}

func (c *compiler) structNode(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	descs, err := gotypes.FieldsOf(t, c.opts)
	if err != nil {
		return c.failBy(t, path, "its fields are not usable", err)
	}
	if c.bound {
		c.errs = append(c.errs, jsonTagsAlone(t, path, descs)...)
	}
	if class == nil && len(descs) == 0 && hidesFields(t) {
		return c.fail(t, path, "all its fields are unexported, so nothing of it would be carried: "+
			"use a type of package java or of your own, or tag the field \"-\"")
	}
	s := &structPlan{typ: t, byName: make(map[string]int, len(descs))}
	order := byte(0)
	if class != nil {
		s.class = class.Name
		c.beans = append(c.beans, Use{Type: t, Class: class.Name, Path: path})
	} else {
		s.class, order = c.mapClass(t, nil, declared, path)
	}
	for _, d := range descs {
		s.add(structField{d, c.field(d, errpath.Join(path, d.GoName))})
	}
	n := &node{Node: Node{Kind: NodeStruct, Class: s.class, Fields: s.described()}, assign: s.assign}
	if class != nil {
		n.Kind = NodeBean
		n.lower = s.lowerBean
		return n
	}
	n.lower = func(l *lowerer, v reflect.Value) (any, error) { return s.lowerMap(l, n, v) }
	n.mark = order
	return n
}

// jsonTagsAlone returns an error for each field without a java tag whose json tag gives it
// another name than the one that Java gets, or leaves it out: whoever wrote it expects that.
func jsonTagsAlone(t reflect.Type, path string, descs []gotypes.FieldDesc) (errs []error) {
	for _, d := range descs {
		tags := t.FieldByIndex(d.Index).Tag
		name, _, _ := strings.Cut(tags.Get("json"), ",")
		if _, tagged := tags.Lookup(gotypes.TagKey); tagged || name == "" || name == d.Name {
			continue
		}
		advice := fmt.Sprintf("add java:%q, or java:%q if Java calls it that", name, d.Name)
		if name == "-" {
			advice = fmt.Sprintf(`add java:"-" to leave it out, or java:%q to keep it`, d.Name)
		}
		errs = append(errs, &gotypes.TypeError{Type: t, Path: errpath.Join(path, d.GoName), Reason: fmt.Sprintf(
			"the field has the tag json:%q and no java tag, so it would be %q in Java: %s", tags.Get("json"), d.Name, advice)})
	}
	return errs
}

// hidesFields reports whether a struct has unexported fields only, as types that
// keep their contents to themselves do.
func hidesFields(t reflect.Type) bool {
	for f := range t.Fields() {
		if f.IsExported() {
			return false
		}
	}
	return t.NumField() > 0
}

// fieldType returns the declared type of a field as far as it says something
// about the value: type variables of its class say nothing.
func (c *compiler) fieldType(d gotypes.FieldDesc) java.TypeExpr {
	if d.Type.IsZero() || d.Owner == nil {
		return d.Type
	}
	class, err := gotypes.DeclaredClass(d.Owner, c.opts)
	if err != nil || class == nil || !d.Type.Mentions(class) {
		return d.Type
	}
	return open(d.Type, class, false)
}

// open returns t with the type variables of class as what they say of a value:
// nothing, which is ? inside type arguments, or an array of their bound.
func open(t java.TypeExpr, class *java.Class, argument bool) java.TypeExpr {
	switch {
	case class.Variable(t) && t.Dims > 0:
		return t.Bounds(class)
	case class.Variable(t) && argument:
		return java.TypeExpr{Variance: java.Unbounded}
	case class.Variable(t):
		return java.TypeExpr{}
	}
	if len(t.Args) > 0 {
		args := make([]java.TypeExpr, len(t.Args))
		for i, a := range t.Args {
			args[i] = open(a, class, true)
		}
		t.Args = args
	}
	return t
}

type structPlan struct {
	typ    reflect.Type
	class  string
	fields []structField
	byName map[string]int // the field that is meant without a level
	levels map[[2]string]int
}

// add adds a field. Of two with one name the one at the class itself is meant
// where a payload gives no level, else the first one.
func (s *structPlan) add(f structField) {
	at := len(s.fields)
	s.fields = append(s.fields, f)
	other, twice := s.byName[f.Name]
	if !twice || f.Level == s.class && s.fields[other].Level != s.class {
		s.byName[f.Name] = at
	}
	if twice {
		if s.levels == nil {
			s.levels = map[[2]string]int{}
		}
		s.levels[[2]string{s.fields[other].Level, f.Name}] = other
		s.levels[[2]string{f.Level, f.Name}] = at
	}
}

// find returns the field of that level and name.
func (s *structPlan) find(level, name string) (int, bool) {
	if level != "" && s.levels != nil {
		if i, ok := s.levels[[2]string{level, name}]; ok {
			return i, true
		}
	}
	i, ok := s.byName[name]
	return i, ok
}

func (s *structPlan) assign(a *assigner, v any, dst reflect.Value) error {
	if err := a.enter(v, s.typ); err != nil {
		return err
	}
	var err error
	switch v := v.(type) {
	case *java.Object:
		if v == nil {
			return mismatch(nil, dst)
		}
		if v.Class == java.ReferenceClass && s.class != java.ReferenceClass {
			return mismatch(v, dst)
		}
		if len(s.fields) > 0 && external(v.Serial) {
			return Misfit(v.Class, s.typ, "the class is Externalizable, and what its writeExternal wrote has no field names: "+
				"take it as *java.Object, whose Custom holds it")
		}
		err = s.assignObject(a, v, dst)
	case *java.Map:
		if v == nil {
			return mismatch(nil, dst)
		}
		err = s.assignMap(a, v, dst)
	default:
		return mismatch(v, dst)
	}
	a.leave()
	return err
}

func (s *structPlan) assignMap(a *assigner, m *java.Map, dst reflect.Value) error {
	dst.SetZero()
	for _, e := range m.Entries {
		name, ok := e.Key.(string)
		if !ok {
			return under("[key]", Misfit(java.ClassOf(e.Key), s.typ, "the fields of a struct have String keys"))
		}
		if i, known := s.byName[name]; known {
			if err := s.fields[i].assign(a, e.Value, dst); err != nil {
				return under(errpath.Key(name), err)
			}
		}
	}
	return nil
}

// assignObject assigns a bean. Where it has a name twice without levels, the
// first one is the subclass's, as in Kryo.
func (s *structPlan) assignObject(a *assigner, o *java.Object, dst reflect.Value) error {
	dst.SetZero()
	var seen map[string]bool
	var exact map[int]bool
	for i := range o.Fields {
		e := &o.Fields[i]
		at, known := s.find(e.Level, e.Name)
		if !known {
			continue
		}
		if level := s.fields[at].Level; e.Level != "" && level != "" && e.Level != level {
			if exact == nil {
				exact = s.exactly(o)
			}
			if exact[at] {
				continue
			}
		}
		if s.levels != nil && e.Level == "" {
			if seen[e.Name] {
				continue
			}
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[e.Name] = true
		}
		if err := s.fields[at].assign(a, e.Value, dst); err != nil {
			return under(errpath.Key(e.Name), err)
		}
	}
	return nil
}

// exactly returns the fields that an object has at their own level. A struct may
// name inherited fields as its own: then those of other levels give way to them.
func (s *structPlan) exactly(o *java.Object) map[int]bool {
	exact := map[int]bool{}
	for i := range o.Fields {
		e := &o.Fields[i]
		if at, known := s.find(e.Level, e.Name); known && s.fields[at].Level == e.Level {
			exact[at] = true
		}
	}
	return exact
}

// assign leaves the zero value for null where the field cannot be nil.
func (f *structField) assign(a *assigner, v any, dst reflect.Value) error {
	if !f.node.raw {
		v = held(v)
	}
	field := dst.FieldByIndex(f.Index)
	if v == nil {
		field.SetZero()
		return nil
	}
	return f.node.assign(a, v, field)
}

func (s *structPlan) lowerMap(l *lowerer, n *node, v reflect.Value) (any, error) {
	m := &java.Map{Class: s.class}
	l.made(m)
	names, entries := make([]string, 0, len(s.fields)), make([]java.Entry, 0, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		field := v.FieldByIndex(f.Index)
		if f.Format.OmitsEmpty() && IsEmpty(field) {
			continue
		}
		value, err := f.node.lower(l, field)
		if err != nil {
			return nil, under(errpath.Key(f.Name), err)
		}
		names, entries = append(names, f.Name), append(entries, java.Entry{Key: f.Name, Value: value})
	}
	m.Entries = permuted(entries, n.OrderNames(names))
	return m, nil
}

func (s *structPlan) lowerBean(l *lowerer, v reflect.Value) (any, error) {
	o := &java.Object{Class: s.class, Fields: make([]java.Field, 0, len(s.fields))}
	l.made(o)
	for i := range s.fields {
		f := &s.fields[i]
		value, err := f.node.lower(l, v.FieldByIndex(f.Index))
		if err != nil {
			return nil, under(errpath.Key(f.Name), err)
		}
		o.Fields = append(o.Fields, java.Field{Name: f.Name, Value: value, Level: f.Level})
	}
	return o, nil
}

// IsEmpty reports whether the flag omitempty leaves out a field with that value.
func IsEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

// flagExternalizable is java.io's SC_EXTERNALIZABLE.
const flagExternalizable = 0x04

// external reports a class that writes itself, and no fields.
func external(s *java.Serial) bool { return s != nil && s.Flags&flagExternalizable != 0 }
