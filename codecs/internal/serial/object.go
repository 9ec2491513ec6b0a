package serial

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// object describes a bean, an exception, or whatever else stayed an object.
func (d *Describer) object(o *java.Object) (Described, error) {
	desc, err := d.objectDesc(o)
	if err != nil {
		return Described{}, err
	}
	if desc.Enum() {
		return Described{}, fmt.Errorf("%s is an enum: its constants are java.Enum", o.Class)
	}
	in := NewInstance(desc, d.Flavor)
	fields := fieldReader{fields: o.Fields}
	for i := range in.Levels {
		l := &in.Levels[i]
		if err := fields.level(l); err != nil {
			return Described{}, err
		}
		for _, c := range o.Custom {
			if c.Level == l.Desc.Class {
				l.Items = c.Items
			}
		}
	}
	return Described{Kind: KindInstance, Desc: desc, Instance: in}, nil
}

func (d *Describer) objectDesc(o *java.Object) (*Desc, error) {
	if o.Serial != nil {
		return d.Desc(o.Serial)
	}
	if desc := d.Classes.Find(o.Class); desc != nil {
		if err := d.Classes.Refused(o.Class); err != nil {
			return nil, fmt.Errorf("the class %s cannot be written: %w", o.Class, err)
		}
		return desc, desc.fieldless()
	}
	if d.Classes.NotSerializable(o.Class) {
		return nil, fmt.Errorf("the class %s cannot be written: %w", o.Class, d.Classes.Problem(o.Class))
	}
	if desc := Known(o.Class); desc != nil {
		return desc, nil
	}
	return nil, fmt.Errorf("the class %s is not declared: the stream carries its serialVersionUID and its fields", o.Class)
}

// fieldReader finds fields by name, in constant time where they are in the
// order of the stream.
type fieldReader struct {
	fields []java.Field
	at     int
}

func (r *fieldReader) find(level, name string) (any, bool) {
	if r.at < len(r.fields) {
		if f := &r.fields[r.at]; f.Name == name && (f.Level == level || f.Level == "") {
			r.at++
			return f.Value, true
		}
	}
	found := -1
	for i := range r.fields { // the last one of exactly that level, or else of none
		if f := &r.fields[i]; f.Name == name && (f.Level == level || f.Level == "" && (found < 0 || r.fields[found].Level == "")) {
			found = i
		}
	}
	if found < 0 {
		return nil, false
	}
	return r.fields[found].Value, true
}

// level fills the fields of one class. Where the object has none of them, the
// class is taken to write none (see NoFields of package serialization) if it
// has a writeObject method of its own; else they are zero.
func (r *fieldReader) level(l *Level) error {
	if len(l.Desc.Fields) == 0 {
		return nil
	}
	fields := make([]any, len(l.Desc.Fields))
	found := 0
	for i, f := range l.Desc.Fields {
		v, ok := r.find(l.Desc.Class, f.Name)
		if ok {
			found++
		}
		v, err := primitive(f.Signature, v)
		if err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, l.Desc.Class, err)
		}
		fields[i] = v
	}
	if found > 0 || l.Desc.Flags&FlagWriteMethod == 0 {
		l.Fields = fields
	}
	return nil
}

// primitive returns v as the type that the signature names: any integer as another one that it
// fits into, a boolean as an int, as AtomicBoolean keeps it, and null as zero.
func primitive(signature string, v any) (any, error) {
	zero, ok := zeros[signature]
	switch {
	case !ok || v != nil && reflect.TypeOf(v) == reflect.TypeOf(zero):
		return v, nil
	case v == nil:
		return zero, nil
	}
	n, ok := jdk.Whole(v)
	if flag, is := v.(bool); is {
		if ok = true; flag {
			n = 1
		}
	}
	switch {
	case !ok || !strings.Contains("BSIJ", signature):
		return nil, fmt.Errorf("a %T is no %s", v, primitives[signature])
	case signature == "J":
		return n, nil
	case signature == "I" && n == int64(int32(n)):
		return int32(n), nil
	case signature == "S" && n == int64(int16(n)):
		return int16(n), nil
	case signature == "B" && n == int64(int8(n)):
		return int8(n), nil
	}
	return nil, fmt.Errorf("%d does not fit into %s", n, primitives[signature])
}

var (
	zeros = map[string]any{
		"Z": false, "B": int8(0), "S": int16(0), "I": int32(0), "J": int64(0), "C": java.Char(0), "F": float32(0), "D": float64(0),
	}
	primitives = map[string]string{
		"Z": "boolean", "B": "byte", "S": "short", "I": "int", "J": "long", "C": "char", "F": "float", "D": "double",
	}
)

// Unwritable adds to err, which Describe gave for v, why a list or map of a user's
// class cannot be written: the stream describes that class, and says what it adds
// to the JDK's, which only a payload tells.
func Unwritable(v any, err error) error {
	if formOf(v) == nil || formDesc(v) != nil || Known(java.ClassOf(v)) != nil {
		return err
	}
	return fmt.Errorf("%w: it is no list, set or map of the JDK, and what a class of your own adds to one is known only of decoded values; "+
		"it can be read into this type, and to be written the type must name the class it extends, such as java.util.ArrayList", err)
}
