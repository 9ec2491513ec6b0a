package java

import "reflect"

// structField is the plan of one field.
type structField struct {
	FieldDesc
	node *node
}

func (c *compiler) structNode(t reflect.Type, declared TypeExpr, path string) *node {
	descs, err := FieldsOf(t)
	if err != nil {
		c.errs = append(c.errs, &TypeError{Type: t, Path: path, Reason: "its fields are not usable", Err: err})
		return &node{typ: t}
	}
	bean := ClassName(t, c.classes)
	class, order := bean, byte(0)
	if bean != "" {
		c.beans = append(c.beans, BeanUse{Type: t, Class: bean, Path: path})
	} else {
		class, order = c.mapClass(t, declared, path)
	}
	s := &structPlan{typ: t, class: class, byName: make(map[string]int, len(descs))}
	for i, d := range descs {
		s.fields = append(s.fields, structField{d, c.compile(d.GoType, d.Type, JoinPath(path, d.GoName))})
		s.byName[d.Name] = i
	}
	n := &node{assign: s.assign, lower: s.lowerMap}
	if bean != "" {
		n.lower = s.lowerBean
		return n
	}
	s.order = s.entryOrder(order)
	return n
}

type structPlan struct {
	typ    reflect.Type
	class  string
	fields []structField
	byName map[string]int
	order  func(names []any) []any
}

// entryOrder returns how the names of the fields present are ordered. Names are
// Strings, so neither order can fail.
func (s *structPlan) entryOrder(order byte) func(names []any) []any {
	if order == 0 {
		return func(names []any) []any { return names }
	}
	return func(names []any) []any {
		out, err := reorder(names, order)
		if err != nil {
			return names
		}
		return out
	}
}

func (s *structPlan) assign(v any, dst reflect.Value) error {
	_, entries, ok := entriesOf(v)
	if !ok {
		return mismatch(v, dst)
	}
	dst.SetZero()
	for k, e := range entries {
		name, ok := k.(string)
		if !ok {
			return under("[key]", &AssignError{Class: ClassOf(k), Type: s.typ, Reason: "the fields of a struct have String keys"})
		}
		i, known := s.byName[name]
		if !known {
			continue
		}
		f := &s.fields[i]
		if err := assignField(f, e, dst.FieldByIndex(f.Index)); err != nil {
			return under(Key(name), err)
		}
	}
	return nil
}

// assignField leaves the zero value for null where the field cannot be nil.
func assignField(f *structField, v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	return f.node.assign(v, dst)
}

func (s *structPlan) lowerMap(v reflect.Value, depth int) (any, error) {
	names := make([]any, 0, len(s.fields))
	values := make([]any, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		field := v.FieldByIndex(f.Index)
		if f.OmitEmpty && isEmpty(field) {
			continue
		}
		value, err := f.node.lower(field, depth+1)
		if err != nil {
			return nil, under(Key(f.Name), err)
		}
		names = append(names, f.Name)
		values[i] = value
	}
	m := &Map{Class: s.class, Entries: make([]Entry, 0, len(names))}
	for _, name := range s.order(names) {
		m.Entries = append(m.Entries, Entry{name, values[s.byName[name.(string)]]})
	}
	return m, nil
}

func (s *structPlan) lowerBean(v reflect.Value, depth int) (any, error) {
	o := &Object{Class: s.class, Fields: make([]Field, 0, len(s.fields))}
	for i := range s.fields {
		f := &s.fields[i]
		value, err := f.node.lower(v.FieldByIndex(f.Index), depth+1)
		if err != nil {
			return nil, under(Key(f.Name), err)
		}
		o.Fields = append(o.Fields, Field{Name: f.Name, Value: value})
	}
	return o, nil
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
