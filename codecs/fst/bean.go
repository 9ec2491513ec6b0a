package fst

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
)

// build is an object while it is read.
type build struct {
	class   *class
	at      int
	slot    int
	object  java.Object // its fields so far
	list    *java.List  // formList
	mapping *java.Map   // formMap
	value   any         // formValue, once finished
	items   []any       // what its writeObject wrote, where the object streams finish it
	bean    *java.Object
}

// get returns the field of that name, nil where it was not read.
func (b *build) get(name string) any {
	v, _ := b.object.Get(name)
	return v
}

// target returns what has been read so far.
func (b *build) target() any {
	switch {
	case b.list != nil:
		return b.list
	case b.mapping != nil:
		return b.mapping
	case b.bean != nil:
		b.bean.Fields, b.bean.Custom = b.object.Fields, b.object.Custom
		return b.bean
	}
	return b.value
}

// bean reads an object by its fields.
func (d *decoder) bean(c *class, at int) (any, error) {
	if c.older != nil && c.wasOlder(d) {
		c = c.older
	}
	b := &build{class: c, at: at}
	switch c.form {
	case formList:
		b.list = &java.List{Class: c.name}
	case formMap:
		b.mapping = &java.Map{Class: c.name}
	case formObject:
		b.bean = &java.Object{Class: c.name}
	case formValue:
	}
	b.slot = d.reserve(at, b.target())
	err := d.parts(b)
	if err == nil && c.finish != nil {
		err = c.finish(d, b)
	}
	if c.own != nil {
		b.extend()
	}
	v := b.target()
	if err == nil {
		d.complete(b.slot, v)
	}
	return v, err
}

// extend keeps the fields of a user's collection class beside its elements.
func (b *build) extend() {
	o := &java.Object{Class: b.class.name, Custom: b.object.Custom}
	for _, f := range b.object.Fields {
		if b.class.own[f.Level] {
			o.Fields = append(o.Fields, f)
		}
	}
	if b.list != nil {
		b.list.Form = o
	} else {
		b.mapping.Form = o
	}
}

func (d *decoder) parts(b *build) error {
	if !b.class.hooked {
		return d.fields(b, b.class.fields)
	}
	for i := range b.class.levels {
		if err := d.level(b, &b.class.levels[i]); err != nil {
			return err
		}
	}
	return nil
}

// Marks before what a level of a hooked class wrote.
const (
	markPlain   = 0x42 // no writeObject
	markWritten = 0x37 // by writeObject
	markDefault = 0x63 // by defaultWriteObject
	markFields  = 0x4d // by writeFields
	mapByGuess  = 0x01 // a HashMap, where writeFields predicts one
)

func (d *decoder) level(b *build, l *level) error {
	start := d.At
	mark, err := d.Byte()
	switch {
	case err != nil:
		return err
	case mark == markPlain:
		return d.fields(b, l.fields)
	case mark != markWritten:
		return d.FailClass(start, b.class.name, "0x%02x begins no part of the class %s", mark, l.class)
	case l.closed:
		return d.FailClass(start, b.class.name, "the class %s has a writeObject method, and nobody but it knows what it writes: "+
			"name it in fst.Hooks if that is no more than its fields, else in fst.ReadObject", l.class)
	}
	if l.custom != nil {
		return d.custom(b, l)
	}
	if err = d.written(b, l); err != nil || l.tail == nil {
		return err
	}
	return l.tail(d, b)
}

// written reads what defaultWriteObject or writeFields wrote.
func (d *decoder) written(b *build, l *level) error {
	start := d.At
	mark, err := d.Byte()
	switch {
	case err != nil:
		return err
	case mark == markDefault:
		return d.fields(b, l.fields)
	case mark == markFields:
		return d.named(b, l)
	}
	return d.FailClass(start, b.class.name, "the writeObject method of %s wrote no fields: nobody but it knows what it wrote (fst.ReadObject)", l.class)
}

// fields reads fields and what ends them.
func (d *decoder) fields(b *build, fields []field) error {
	if err := d.Charge(d.At, len(fields), 0); err != nil {
		return err
	}
	if cap(b.object.Fields) == 0 && len(fields) > 0 {
		b.object.Fields = make([]java.Field, 0, len(fields))
	}
	var bits byte
	for i := range fields {
		f := &fields[i]
		if f.kind == 'Z' && i%8 == 0 {
			var err error
			if bits, err = d.Byte(); err != nil {
				return errpath.UnderDecode(f.name, err)
			}
		}
		v, err := d.field(f, bits<<(i%8))
		if err != nil {
			if v != nil {
				b.object.Fields = append(b.object.Fields, java.Field{Name: f.name, Value: v, Level: f.level})
			}
			return errpath.UnderDecode(f.name, err)
		}
		b.object.Fields = append(b.object.Fields, java.Field{Name: f.name, Value: v, Level: f.level})
	}
	end, err := d.Byte()
	if err == nil && end != endOfFields {
		err = d.FailClass(d.At-1, b.class.name, "0x%02x where the fields of the class end: its descriptor does not fit, or it has fields of later versions (annotation Version)", end)
	}
	return err
}

// field reads one field; bits has a boolean's value on top.
func (d *decoder) field(f *field, bits byte) (any, error) {
	switch f.kind {
	case 'Z':
		return bits&0x80 != 0, nil
	case 'B':
		v, err := d.Byte()
		return scalar(int8(v), err)
	case 'C':
		v, err := d.unit()
		return scalar(java.Char(v), err)
	case 'S':
		v, err := d.unit()
		return scalar(int16(v), err)
	case 'I':
		return scalar(d.int32())
	case 'J':
		return scalar(d.int64())
	case 'F':
		return scalar(d.float32())
	case 'D':
		return scalar(d.float64())
	}
	at := d.At
	v, err := d.object(f.typ)
	if err == nil && !fits(f.typ, v) {
		err = d.FailClass(at, java.ClassOf(v), "the field is declared as %s: the descriptor of %s does not fit", f.typ, f.level)
	}
	return v, err
}

// finals are final classes of the JDK that a value tells.
const finals = " java.lang.String java.lang.Integer java.lang.Long java.lang.Boolean java.lang.Short java.lang.Byte " +
	"java.lang.Character java.lang.Double java.lang.Float "

// fits reports whether v can be the value of a field of that type, as far as
// the final classes of the JDK tell.
func fits(typ string, v any) bool {
	return v == nil || java.ClassOf(v) == typ || !strings.Contains(finals, " "+typ+" ")
}

// named reads the map of names and values that writeFields wrote.
func (d *decoder) named(b *build, l *level) error {
	start := d.At
	tag, err := d.Byte()
	switch {
	case err != nil:
		return err
	case tag != mapByGuess:
		return d.FailClass(start, b.class.name, "0x%02x where the named fields of %s belong", tag, l.class)
	}
	n, err := d.count(2)
	if err != nil {
		return err
	}
	if err := d.Charge(d.At, n, 0); err != nil {
		return err
	}
	for range n {
		at := d.At
		k, err := d.object("")
		if err != nil {
			return err
		}
		field, ok := k.(string)
		if !ok {
			return d.FailClass(at, b.class.name, "a field name of %s is no String", l.class)
		}
		v, err := d.object("")
		if err != nil {
			return errpath.UnderDecode(field, err)
		}
		b.object.Fields = append(b.object.Fields, java.Field{Name: field, Value: v, Level: l.class})
	}
	return nil
}
