package kryo5

import (
	"errors"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// prepare lays the fields out. It is called before fields are used.
func (b *beanClass) prepare(w *world) error {
	b.once.Do(func() {
		if b.world != nil {
			w = b.world
		}
		if b.layout, b.err = layout.Of(b.desc, w.finder); b.err != nil {
			return
		}
		b.fields = make([]beanField, len(b.layout.Fields))
		for i, f := range b.layout.Fields {
			b.fields[i] = beanField{Field: f}
			if f.Form != layout.Open {
				b.fields[i].known = w.must(java.TypeExpr{Class: f.Class}.Boxed().Class)
			}
		}
	})
	return b.err
}

func readBean(d *decoder, c *class, ctx *layout.Type) (any, error) {
	if err := c.bean.prepare(d.world); err != nil {
		return nil, d.faultIn(c, d.at, "%v", err)
	}
	fields := c.bean.fields
	if err := d.enter(d.at, len(fields), 0); err != nil {
		return nil, err
	}
	defer d.leave()
	out := &java.Object{Class: c.name}
	d.publish(out)
	mark := d.scope.Enter(c.bean.layout, ctx)
	defer d.scope.Leave(mark)
	if len(fields) > 0 && d.remaining() > 0 {
		out.Fields = make([]java.Field, 0, min(len(fields), d.remaining()))
	}
	for i := range fields {
		f := &fields[i]
		v, err := d.field(f)
		if err == nil {
			err = d.checkField(f, v)
		}
		if err == nil || v != nil {
			out.Fields = append(out.Fields, java.Field{Name: f.Name, Value: v, Level: f.Level})
		}
		if err != nil {
			return out, inBean(c, f, err)
		}
	}
	return out, nil
}

// inBean says in which field of which class something is wrong.
func inBean(c *class, f *beanField, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) && e.Class == "" {
		e.Class = c.name
	}
	return errpath.UnderDecode(f.Name, err)
}

func (d *decoder) field(f *beanField) (any, error) {
	switch {
	case f.Form == layout.Primitive:
		return f.known.read(d, f.known, nil)
	case f.known != nil:
		return d.objectOrNull(f.known, f.Type)
	}
	if name := d.scope.Field(&f.Field); name != "" {
		return d.objectOrNull(d.find(name), f.Type)
	}
	return d.valueIn(f.Class, f.Type)
}

// checkField notices values that Java could not put into the field: bytes that fit
// a wrong description by chance mostly fail here.
func (d *decoder) checkField(f *beanField, v any) error {
	if f.Form != layout.Open || v == nil {
		return nil
	}
	if !d.world.assignable(f.Class, java.ClassOf(v)) {
		return &codecs.DecodeError{
			Codec: name, Class: java.ClassOf(v), Offset: d.at,
			Reason: fmt.Sprintf("the field is declared as %s: another description of the class is needed", f.Class),
		}
	}
	return nil
}

func writeBean(e *encoder, c *class, v any, ctx *layout.Type) error {
	o, ok := v.(*java.Object)
	if !ok || o == nil {
		return wrongKind(c, v)
	}
	if err := c.bean.prepare(e.world); err != nil {
		return encodeFault(v, "%v", err)
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	mark := e.scope.Enter(c.bean.layout, ctx)
	defer e.scope.Leave(mark)
	if err := checkNames(c, o); err != nil {
		return err
	}
	if err := e.inexact(c, len(o.Fields)); err != nil {
		return err
	}
	for i := range c.bean.fields {
		f := &c.bean.fields[i]
		if err := e.field(f, fieldValue(o, i, f)); err != nil {
			return errpath.UnderEncode(f.Name, err)
		}
	}
	return nil
}

// inexact notes that an object of a class with several descriptions is written, and returns
// an error where another one may have exactly its fields.
func (e *encoder) inexact(c *class, fields int) error {
	if !e.exact || !c.variants {
		return nil
	}
	if len(e.met) < maxMet && !slices.Contains(e.met, c.name) {
		e.met = append(e.met, c.name)
	}
	if fields != len(c.bean.fields) {
		return encodeFault(nil, "%s has %d fields", c.name, len(c.bean.fields))
	}
	return nil
}

// is reports whether an object means that field.
func (f *beanField) is(of *java.Field) bool {
	return of.Name == f.Name && (of.Level == "" || of.Level == f.Level)
}

// fieldValue returns the value of the field at place i of the class.
// Fields that an object does not have are null, or zero where they are primitives.
func fieldValue(o *java.Object, i int, f *beanField) any {
	if i < len(o.Fields) && f.is(&o.Fields[i]) {
		return o.Fields[i].Value
	}
	for j := range o.Fields {
		if f.is(&o.Fields[j]) {
			return o.Fields[j].Value
		}
	}
	return zeros[f.Class]
}

var zeros = map[string]any{
	"boolean": false, "byte": int8(0), "char": java.Char(0), "short": int16(0),
	"int": int32(0), "long": int64(0), "float": float32(0), "double": float64(0),
}

func checkNames(c *class, o *java.Object) error {
	fields := c.bean.fields
	for j := range o.Fields {
		of := &o.Fields[j]
		if (j >= len(fields) || fields[j].Name != of.Name) && !c.hasField(of) {
			return errpath.UnderEncode(of.Name, encodeFault(o, "%s has no such field", c.name))
		}
	}
	return nil
}

func (c *class) hasField(of *java.Field) bool {
	return slices.ContainsFunc(c.bean.fields, func(f beanField) bool { return f.is(of) })
}

func (e *encoder) field(f *beanField, v any) error {
	switch {
	case f.Form == layout.Primitive:
		return e.primitive(f, v)
	case f.known != nil:
		return e.exactly(f.known, v, f.Type, true)
	}
	if name := e.scope.Field(&f.Field); name != "" {
		return e.exactly(e.world.must(name), v, f.Type, true)
	}
	c, v, err := e.resolve(v)
	if err != nil {
		return err
	}
	if c != nil && !e.world.assignable(f.Class, c.name) {
		return encodeFault(v, "a %s does not go into a field declared as %s", c.name, f.Class)
	}
	if err := e.class(c); err != nil || c == nil {
		return err
	}
	return e.object(c, v, f.Type)
}

// primitive writes a number, boolean or character; integers of another size are
// taken where they fit.
func (e *encoder) primitive(f *beanField, v any) error {
	if n, ok := jdk.Whole(v); ok && e.int(f.known.id, n) {
		return nil
	}
	if v == nil || java.ClassOf(v) != f.known.name {
		return encodeFault(v, "it is no %s", f.Class)
	}
	return writeBasic(e, nil, v, nil)
}
