package marshalling

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// name writes the name of a class or field, which is one interned String
// wherever it is.
func (e *encoder) name(s string) error {
	id := serial.StringID(s)
	index, known := e.names[s]
	if !known {
		index, known = e.objects[id]
	}
	if !known && e.strings == Equal {
		index, known = e.equal[s]
	}
	if known {
		e.back(index)
	} else {
		if err := e.text(s); err != nil {
			return err
		}
		index = e.size
		e.size++
	}
	e.names[s] = index
	if _, ok := e.objects[id]; e.strings == Identical && !ok {
		e.objects[id] = index
	}
	return nil
}

// addClass gives a class the next index of the class table. The description is that of a
// serializable one.
func (e *encoder) addClass(class string, d *serial.Desc) {
	e.classes[class] = written{len(e.classes), d}
}

// serialClass writes the descriptor of a serializable class, or a reference.
func (e *encoder) serialClass(d *serial.Desc) error {
	if d.Chain > e.maxDepth+1 {
		return e.fail("class %s has more than %d superclasses", d.Class, e.maxDepth)
	}
	for ; d != nil; d = d.Super {
		if w, ok := e.classes[d.Class]; ok {
			if w.desc != nil && !alike(w.desc, d) {
				return e.fail("class %s is described in two ways: a payload has one description of a class", d.Class)
			}
			e.classBack(w.index)
			return nil
		}
		if err := e.levelHead(d); err != nil {
			return err
		}
	}
	e.u8(idObjectClass)
	return nil
}

// alike reports whether objects of two descriptions of a class are written alike.
func alike(a, b *serial.Desc) bool {
	for a != b {
		if a == nil || b == nil || a.Class != b.Class || a.Flags != b.Flags || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i := range a.ByName {
			f, o := &a.Fields[a.ByName[i]], &b.Fields[b.ByName[i]]
			if f.Name != o.Name || fieldKind(f.Signature) != fieldKind(o.Signature) || f.Unshared != o.Unshared {
				return false
			}
		}
		a, b = a.Super, b.Super
	}
	return true
}

// levelHead writes the descriptor of a class up to its superclass.
func (e *encoder) levelHead(d *serial.Desc) error {
	lead := byte(idSerializable)
	if d.Flags&serial.FlagWriteMethod != 0 {
		lead = idWriteObject
	}
	e.u8(lead)
	if err := e.name(d.Class); err != nil {
		return err
	}
	e.u64(uint64(d.UID))
	e.addClass(d.Class, d)
	e.u32(uint32(len(d.Fields)))
	for _, at := range d.ByName {
		f := &d.Fields[at]
		if err := e.name(f.Name); err != nil {
			return err
		}
		unshared := byte(0)
		if f.Unshared {
			unshared = 1
		}
		e.out = append(e.out, fieldKind(f.Signature), unshared)
	}
	return nil
}

// namedClass writes a class that is no more than a kind and a name, and for
// Externalizable ones a serialVersionUID.
func (e *encoder) namedClass(kind byte, class string, uid int64) error {
	key := class
	if kind == idPlainClass {
		key = "?" + class // a class known by name alone has no objects
	}
	if w, ok := e.classes[key]; ok {
		e.classBack(w.index)
		return nil
	}
	e.u8(kind)
	if err := e.text32(class); err != nil {
		return err
	}
	if kind == idExternalizable {
		e.u64(uint64(uid))
	}
	e.addClass(key, nil)
	return nil
}

// arrayComponent writes the class of the elements of arrays named class, for
// example "[Ljava.lang.String;".
func (e *encoder) arrayComponent(class string) error {
	component := class[1:]
	switch {
	case strings.HasPrefix(component, "["):
		return e.anyClass(component)
	case len(component) > 2 && component[0] == 'L' && strings.HasSuffix(component, ";"):
		return e.anyClass(component[1 : len(component)-1])
	}
	return e.fail("%q is no class of an array of objects", class)
}

// arrayClass writes the class of an array; component writes that of its elements.
func (e *encoder) arrayClass(class string, component func() error) error {
	if w, ok := e.classes[class]; ok {
		e.classBack(w.index)
		return nil
	}
	e.u8(idArrayClass)
	if err := component(); err != nil {
		return err
	}
	e.addClass(class, nil)
	return nil
}

// anyClass writes the class named so, of which no more than the name is known
// unless a descriptor says more.
func (e *encoder) anyClass(class string) error {
	if id, ok := predefinedIDs[class]; ok {
		e.u8(id)
		return nil
	}
	if strings.HasPrefix(class, "[") {
		return e.arrayClass(class, func() error { return e.arrayComponent(class) })
	}
	if w, ok := e.classes[class]; ok {
		e.classBack(w.index)
		return nil
	}
	desc := e.describe.Classes.Find(class)
	if desc == nil {
		desc = serial.Known(class)
	}
	if desc == nil || desc.Class == "" {
		return e.namedClass(idPlainClass, class, 0)
	}
	return e.classOf(desc)
}

// classOf writes a class of which there is a description.
func (e *encoder) classOf(d *serial.Desc) error {
	switch {
	case d.Enum():
		return e.namedClass(idEnumClass, d.Class, 0)
	case d.Flags&serial.FlagExternalizable != 0:
		return e.namedClass(idExternalizable, d.Class, d.UID)
	}
	return e.serialClass(d)
}

// componentOf is the Form of an array of objects: the class of its elements as
// the stream described it.
type componentOf struct{ class *class }

// component writes the class of the elements of an array of objects.
func (e *encoder) component(l *java.List, class string) error {
	if c, ok := l.Form.(componentOf); ok && class == jdk.ArrayName(c.class.name, 1) {
		return e.described(c.class)
	}
	name := strings.TrimSuffix(strings.TrimPrefix(class, "[L"), ";")
	for _, v := range l.Elements {
		if o, ok := v.(*java.Object); ok && o != nil && o.Serial != nil && o.Class == name {
			desc, err := e.describe.Desc(o.Serial)
			if err != nil {
				return e.fail("class %s: %v", name, err)
			}
			return e.serialClass(desc)
		}
		if c, ok := v.(java.Enum); ok && c.Class == name {
			return e.namedClass(idEnumClass, name, 0)
		}
	}
	return e.arrayComponent(class)
}

// described writes a class as it was read.
func (e *encoder) described(c *class) error {
	switch {
	case predefinedIDs[c.name] != 0:
		e.u8(predefinedIDs[c.name])
		return nil
	case c.desc != nil:
		return e.classOf(c.desc)
	case predefinedNames[c.kind] != "": // an id that library 2.x reads only
		return e.anyClass(c.name)
	case c.kind == idArrayClass:
		return e.arrayClass(c.name, func() error { return e.described(c.component) })
	}
	return e.namedClass(c.kind, c.name, 0)
}

// classValue writes a java.lang.Class.
func (e *encoder) classValue(class string) error {
	if id, ok := predefinedIDs[class]; ok && id < idPair && !objectOnly(id) {
		e.u8(id)
		return nil
	}
	if err := e.mustShare("a java.lang.Class"); err != nil {
		return err
	}
	e.out = append(e.out, idNewObject, idClassClass)
	return e.anyClass(class)
}

// describedClass writes a java.lang.Class of which more is known than its name.
func (e *encoder) describedClass(d *serial.Desc) error {
	if d.Flags&(serial.FlagSerializable|serial.FlagExternalizable) == 0 || predefinedIDs[d.Class] != 0 || d.Class[0] == '[' {
		return e.classValue(d.Class)
	}
	if err := e.mustShare("a java.lang.Class"); err != nil {
		return err
	}
	e.out = append(e.out, idNewObject, idClassClass)
	return e.classOf(d)
}
