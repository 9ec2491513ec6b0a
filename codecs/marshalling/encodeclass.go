package marshalling

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// name writes the name of a class or field, which is one interned String
// wherever it is.
func (e *encoder) name(s string, l *writtenLevel) error {
	id := serial.StringID(s)
	index, known := e.nameIndex(s)
	if !known {
		index, known = e.objects.Find(id)
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
		index = e.next()
		l.names = append(l.names, s)
	}
	if e.strings == Identical && !id.IsZero() {
		e.objects.Put(id, index)
	}
	return nil
}

// classIndex finds a class in the class table.
func (e *encoder) classIndex(name string) (int, bool) {
	const few = 16
	if len(e.classes) <= few {
		i := slices.Index(e.classes, name)
		return i, i >= 0
	}
	if e.byName == nil {
		e.byName = map[string]int{}
	}
	for i := len(e.byName); i < len(e.classes); i++ {
		e.byName[e.classes[i]] = i
	}
	i, ok := e.byName[name]
	return i, ok
}

// serialClass writes the descriptor of a serializable class, or a reference.
func (e *encoder) serialClass(d *serial.Desc) error {
	if d.Chain > e.MaxDepth+1 {
		return e.fail("class %s has more than %d superclasses", d.Class, e.MaxDepth)
	}
	if e.size == 0 && len(e.classes) == 0 && e.strings != Equal && formOf(d).first(e, d) {
		return nil
	}
	return e.serialChain(d)
}

// serialChain is serialClass that is not the first thing in a payload.
func (e *encoder) serialChain(d *serial.Desc) error {
	for ; d != nil; d = d.Super {
		if i, ok := e.classIndex(d.Class); ok {
			if i < len(e.descs) && e.descs[i] != nil && !alike(e.descs[i], d) {
				return e.fail("class %s is described in two ways: a payload has one description of a class", d.Class)
			}
			e.classBack(i)
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
		ours, theirs := formOf(a).fields, formOf(b).fields
		for i, f := range ours {
			if o := theirs[i]; f.Name != o.Name || fieldKind(f.Signature) != fieldKind(o.Signature) || f.Unshared != o.Unshared {
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
	fields := formOf(d).fields
	l := writtenLevel{first: e.size, names: make([]string, 0, 1+len(fields))}
	if err := e.name(d.Class, &l); err != nil {
		return err
	}
	e.u64(uint64(d.UID))
	for len(e.descs) < len(e.classes) {
		e.descs = append(e.descs, nil)
	}
	e.descs, e.classes = append(e.descs, d), append(e.classes, d.Class)
	e.u32(uint32(len(fields)))
	for i := range fields {
		if err := e.name(fields[i].Name, &l); err != nil {
			return err
		}
		unshared := byte(0)
		if fields[i].Unshared {
			unshared = 1
		}
		e.Out = append(e.Out, fieldKind(fields[i].Signature), unshared)
	}
	e.levels = append(e.levels, l)
	return nil
}

// form is what River makes of a class.
type form struct {
	fields []java.SerialField // in River's order, by name alone
	places []int              // of the fields in the descriptor; nil where they are in that order
	start  atomic.Pointer[startForm]
}

// formOf returns the form of a class, made once for each descriptor.
func formOf(d *serial.Desc) *form { return d.Memo(serial.River, makeForm).(*form) }

func makeForm(d *serial.Desc) any {
	f := &form{fields: d.Fields}
	byName := func(a, b java.SerialField) int { return serial.CompareNames(a.Name, b.Name) }
	if slices.IsSortedFunc(f.fields, byName) {
		return f
	}
	f.places = make([]int, len(d.Fields))
	for i := range f.places {
		f.places[i] = i
	}
	slices.SortStableFunc(f.places, func(a, b int) int { return byName(d.Fields[a], d.Fields[b]) })
	f.fields = make([]java.SerialField, len(d.Fields))
	for i, at := range f.places {
		f.fields[i] = d.Fields[at]
	}
	return f
}

// startForm is a class with its superclasses as the first thing in a payload, which is
// always the same, and the tables after it.
type startForm struct {
	out     []byte
	levels  []writtenLevel
	descs   []*serial.Desc
	classes []string
	names   *serial.Seen[serial.ID]
	size    int
}

// first writes the class as the first thing in a payload, and returns false where that
// cannot be.
func (f *form) first(e *encoder, d *serial.Desc) bool {
	s := f.start.Load()
	if s == nil {
		alone := &encoder{strings: Identical}
		if alone.serialChain(d) != nil || !alone.objects.Few() {
			return false
		}
		s = &startForm{alone.Out, alone.levels, alone.descs, alone.classes, &alone.objects, alone.size}
		f.start.Store(s)
	}
	e.Out = append(e.Out, s.out...)
	e.levels, e.descs, e.classes = append(e.levels, s.levels...), append(e.descs, s.descs...), append(e.classes, s.classes...)
	if e.size = s.size; e.strings == Identical {
		e.objects.AddAll(s.names)
	}
	return true
}

// fieldKind returns the type byte of a JVM signature: every type but the
// primitives is Object.
func fieldKind(signature string) byte {
	switch signature {
	case "Z":
		return idBoolean
	case "B":
		return idByte
	case "S":
		return idShort
	case "I":
		return idInt
	case "J":
		return idLong
	case "C":
		return idChar
	case "F":
		return idFloat
	case "D":
		return idDouble
	}
	return idObjectClass
}

// namedClass writes a class that is no more than a kind and a name, and for
// Externalizable ones a serialVersionUID.
func (e *encoder) namedClass(kind byte, class string, uid int64) error {
	key := class
	if kind == idPlainClass {
		key = "?" + class // a class known by name alone has no objects
	}
	if i, ok := e.classIndex(key); ok {
		e.classBack(i)
		return nil
	}
	e.u8(kind)
	if err := e.text32(class); err != nil {
		return err
	}
	if kind == idExternalizable {
		e.u64(uint64(uid))
	}
	e.classes = append(e.classes, key)
	return nil
}

// arrayComponent writes the class of the elements of arrays named class, for
// example "[Ljava.lang.String;".
func (e *encoder) arrayComponent(class string) error {
	component := class[1:]
	switch {
	case strings.HasPrefix(component, "["):
		if id, ok := predefinedIDs[component]; ok {
			e.u8(id)
			return nil
		}
		if i, ok := e.classIndex(component); ok {
			e.classBack(i)
			return nil
		}
		e.u8(idArrayClass)
		if err := e.arrayComponent(component); err != nil {
			return err
		}
		e.classes = append(e.classes, component)
		return nil
	case len(component) > 2 && component[0] == 'L' && strings.HasSuffix(component, ";"):
		return e.anyClass(component[1 : len(component)-1])
	}
	return e.fail("%q is no class of an array of objects", class)
}

// anyClass writes the class named so, of which no more than the name is known
// unless a descriptor says more.
func (e *encoder) anyClass(class string) error {
	if id, ok := predefinedIDs[class]; ok {
		e.u8(id)
		return nil
	}
	if i, ok := e.classIndex(class); ok {
		e.classBack(i)
		return nil
	}
	if strings.HasPrefix(class, "[") {
		e.u8(idArrayClass)
		if err := e.arrayComponent(class); err != nil {
			return err
		}
		e.classes = append(e.classes, class)
		return nil
	}
	desc := e.describe.Classes.Find(class)
	if desc == nil {
		desc = serial.Known(class)
	}
	switch {
	case desc == nil || desc.Class == "":
		return e.namedClass(idPlainClass, class, 0)
	case desc.Enum():
		return e.namedClass(idEnumClass, class, 0)
	case desc.Flags&serial.FlagExternalizable != 0:
		return e.namedClass(idExternalizable, class, desc.UID)
	}
	return e.serialClass(desc)
}

// componentOf is the Form of an array of objects: the class of its elements as
// the stream described it.
type componentOf struct{ class *class }

// component writes the class of the elements of an array of objects.
func (e *encoder) component(l *java.List, class string) error {
	if c, ok := l.Form.(componentOf); ok && class == arrayName(c.class.name) {
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
	case c.serializable():
		return e.serialClass(c.desc)
	case predefinedNames[c.kind] != "": // an id that library 2.x reads only
		return e.anyClass(c.name)
	case c.kind != idArrayClass:
		return e.namedClass(c.kind, c.name, c.uid)
	}
	if i, ok := e.classIndex(c.name); ok {
		e.classBack(i)
		return nil
	}
	e.u8(idArrayClass)
	if err := e.described(c.component); err != nil {
		return err
	}
	e.classes = append(e.classes, c.name)
	return nil
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
	e.Out = append(e.Out, idNewObject, idClassClass)
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
	e.Out = append(e.Out, idNewObject, idClassClass)
	switch {
	case d.Enum():
		return e.namedClass(idEnumClass, d.Class, 0)
	case d.Flags&serial.FlagExternalizable != 0:
		return e.namedClass(idExternalizable, d.Class, d.UID)
	}
	return e.serialClass(d)
}
