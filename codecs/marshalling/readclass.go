package marshalling

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// class is one class descriptor.
type class struct {
	kind      byte   // lead byte of the descriptor: idSerializable, idEnumClass …, or the id of a predefined class
	name      string // as Class.getName gives it
	component *class // of an array class
	depth     int    // dimensions of an array class

	desc   *serial.Desc // of a class that has instances: serializable or Externalizable
	super  *class       // nil where the superclass is not serializable
	places []int        // of the fields of the stream among those of desc; nil where they are the same
}

// place returns which field of desc field i of the stream is.
func (c *class) place(i int) int {
	if c.places == nil {
		return i
	}
	return c.places[i]
}

func (c *class) serializable() bool { return c.kind == idSerializable || c.kind == idWriteObject }

// signatures are the JVM's signatures of the types that fields have: the library writes none
// but primitives and Object.
var signatures = [256]string{
	idBoolean: "Z", idByte: "B", idShort: "S", idInt: "I", idLong: "J", idChar: "C", idFloat: "F", idDouble: "D",
	idObjectClass: "Ljava/lang/Object;",
}

// fieldKind returns the type byte of a JVM signature: every type but the
// primitives is Object.
func fieldKind(signature string) byte {
	if len(signature) == 1 {
		for kind := byte(idBoolean); kind <= idDouble; kind++ {
			if signatures[kind] == signature {
				return kind
			}
		}
	}
	return idObjectClass
}

// predefined are the classes of one byte. Those that library 2.0.9 names as the
// superclass of a serialized class have their serialized form.
var predefined = func() (all [256]*class) {
	for id, name := range predefinedNames {
		if name != "" {
			all[id] = &class{kind: byte(id), name: name}
		}
	}
	for _, id := range []byte{
		idArrayList, idLinkedList, idArrayDeque, idVector, idStack, idIdentityHashMap, idEnumMap, idCopyOnWriteList, idCopyOnWriteSet,
	} {
		all[id] = builtIn(serial.Known(predefinedNames[id]))
	}
	return all
}()

// builtIn makes the class of a JDK description.
func builtIn(d *serial.Desc) *class {
	if d == nil {
		return nil
	}
	c := &class{kind: idSerializable, name: d.Class, desc: d, super: builtIn(d.Super), places: d.ByName}
	if d.Flags&serial.FlagWriteMethod != 0 {
		c.kind = idWriteObject
	}
	return c
}

// maxNameUnits bounds the name of a class or field.
const maxNameUnits = 1024

// readClass reads a class descriptor of any kind.
func (d *decoder) readClass() (*class, error) {
	lead, err := d.Byte()
	if err != nil {
		return nil, err
	}
	return d.classAfter(lead)
}

func (d *decoder) classAfter(lead byte) (*class, error) {
	start := d.At - 1
	if c := predefined[lead]; c != nil {
		return c, nil
	}
	switch lead {
	case idClassFar, idClassNear, idClassNearish:
		return d.classReference(lead, start)
	}
	if err := d.enter(start, 1, 0); err != nil {
		return nil, err
	}
	defer d.Leave()
	switch lead {
	case idSerializable, idWriteObject:
		return d.knownClass(start)
	case idExternalizable:
		text, err := d.className(start)
		if err != nil {
			return nil, err
		}
		uid, err := d.Int64()
		if err != nil {
			return nil, err
		}
		s := &java.Serial{Class: text, UID: uid, Flags: serial.FlagExternalizable | serial.FlagBlockData}
		desc, err := d.Descs.Make(s, nil)
		if err != nil {
			return nil, d.FailClass(start, text, "%v", err)
		}
		return d.addClass(&class{kind: lead, name: text, desc: desc}), nil
	case idEnumClass, idPlainClass:
		text, err := d.className(start)
		if err != nil {
			return nil, err
		}
		return d.addClass(&class{kind: lead, name: text}), nil
	case idArrayClass:
		component, err := d.readClass()
		if err != nil {
			return nil, err
		}
		return d.arrayClass(start, component)
	case idProxyClass:
		return nil, d.Fail(start, "a dynamic proxy: it has no data, only code of the JVM that wrote it")
	}
	return nil, d.Fail(start, "byte 0x%02x begins no class: another codec, or a marshaller with its own tables", lead)
}

func (d *decoder) addClass(c *class) *class {
	d.classes = append(d.classes, c)
	return c
}

func (d *decoder) arrayClass(start int, component *class) (*class, error) {
	if component.depth >= jdk.MaxDimensions {
		return nil, d.Fail(start, "an array of more than %d dimensions", jdk.MaxDimensions)
	}
	c := &class{kind: idArrayClass, name: jdk.ArrayName(component.name, 1), component: component, depth: 1}
	if component.kind == idArrayClass {
		c.depth = component.depth + 1
	}
	return d.addClass(c), nil
}

func (d *decoder) classReference(lead byte, start int) (*class, error) {
	i, err := d.reference(lead, len(d.classes))
	switch {
	case err != nil:
		return nil, err
	case i < 0 || i >= len(d.classes):
		return nil, d.Fail(start, "a reference to class %d of %d", i, len(d.classes))
	case d.classes[i] == nil:
		return nil, d.Fail(start, "a class that is its own superclass")
	}
	return d.classes[i], nil
}

// className reads a name with a four-byte count.
func (d *decoder) className(start int) (string, error) {
	n, err := d.Int32()
	if err != nil {
		return "", err
	}
	return d.nameOf(start, int(n))
}

func (d *decoder) nameOf(start, n int) (string, error) {
	if n <= 0 || n > maxNameUnits {
		return "", d.Fail(start, "a name must have 1 to %d characters, not %d", maxNameUnits, n)
	}
	return d.utf(n)
}

// knownClass is a class that refers to no entry of the tables but its own, so that the same
// bytes mean the same wherever they stand, and what it adds to the tables.
type knownClass struct {
	wire    []byte
	fields  int
	objects []object
	classes []*class
}

// knownClasses are those that a codec has met. A few are kept, for the beans of its queues.
type knownClasses struct{ list atomic.Pointer[[]*knownClass] }

// Bounds of what is kept.
const (
	maxKnown      = 64
	maxKnownBytes = 4 << 10
)

// knownClass reads the class at start. That takes half of the time of a small bean, hence it
// is remembered.
func (d *decoder) knownClass(start int) (*class, error) {
	if d.version != maxVersion {
		return d.serializableClass(start)
	}
	var known []*knownClass
	if list := d.known.list.Load(); list != nil {
		known = *list
	}
	for _, f := range known {
		if bytes.HasPrefix(d.In[start:], f.wire) {
			d.At = start + len(f.wire)
			d.objects, d.classes = append(d.objects, f.objects...), append(d.classes, f.classes...)
			return f.classes[0], d.Charge(start, f.fields, 0)
		}
	}
	left, objects, classes, around := d.Left, len(d.objects), len(d.classes), d.lowest
	d.lowest = lowest{objects, classes}
	c, err := d.serializableClass(start)
	closed := d.lowest == lowest{objects, classes}
	d.lowest = lowest{min(around.object, d.lowest.object), min(around.class, d.lowest.class)}
	if err == nil && closed && len(known) < maxKnown && d.At-start <= maxKnownBytes {
		f := &knownClass{bytes.Clone(d.In[start:d.At]), left - d.Left, slices.Clone(d.objects[objects:]), slices.Clone(d.classes[classes:])}
		more := append(slices.Clip(known), f)
		d.known.list.Store(&more) // of two at once one is lost, and comes again
	}
	return c, err
}

// serializableClass reads what follows the lead byte at start. The class takes
// its index before those of its fields and superclasses.
func (d *decoder) serializableClass(start int) (*class, error) {
	s, base := java.Serial{Flags: serial.FlagSerializable}, len(d.fields)
	c := &class{kind: d.In[start]}
	if c.kind == idWriteObject {
		s.Flags |= serial.FlagWriteMethod
	}
	// own: a name is a value of the payload, and the next payload has another.
	text, at, own, err := d.name()
	if err != nil {
		return nil, err
	}
	s.Class, c.name = text, text
	if s.UID, err = d.Int64(); err != nil {
		return nil, err
	}
	if err = d.readFields(&own); err != nil {
		return nil, err
	}
	index := len(d.classes)
	d.classes = append(d.classes, nil)
	if c.super, err = d.superclass(); err != nil {
		return nil, err
	}
	s.Fields = d.fields[base:]
	if err = d.describe(c, s, own); err != nil {
		return nil, d.FailClass(start, c.name, "%v", err)
	}
	// Values that refer to a name are known by its string when they are written.
	c.name = c.desc.Class
	if at >= 0 {
		d.objects[at].text = c.desc.Class
	}
	for i, index := range d.indexes[base:] {
		if index >= 0 {
			d.objects[index].text = c.desc.Fields[c.place(i)].Name
		}
	}
	d.fields, d.indexes = d.fields[:base], d.indexes[:base]
	d.classes[index] = c
	return c, nil
}

// superclass reads the superclass of a serializable class; nil for one that is not.
func (d *decoder) superclass() (*class, error) {
	at := d.At
	super, err := d.readClass()
	switch {
	case err != nil:
		return nil, err
	case super.serializable():
		return super, nil
	case super.kind == idObjectClass, super.kind == idPlainClass, super.kind >= idAbstractFirst && super.kind <= idAbstractLast:
		return nil, nil
	}
	return nil, d.FailClass(at, super.name, "it cannot be the superclass of a serializable class")
}

// describe finds or makes the description of c, and the places of its fields in it.
func (d *decoder) describe(c *class, s java.Serial, own bool) (err error) {
	var above *serial.Desc
	if c.super != nil {
		above = c.super.desc
	}
	known := serial.Known(c.name)
	switch {
	case known != nil && known.UID == s.UID && known.Flags == s.Flags && known.Super == above && fits(known, s.Fields):
		c.desc, c.places = known, known.ByName
	case own:
		copied := s
		copied.Fields = slices.Clone(s.Fields)
		c.desc, err = serial.NewDesc(&copied, above)
	default:
		c.desc, err = d.Descs.Make(&s, above)
	}
	return err
}

// fits reports whether the fields are those of the JDK's own description, as far as River says
// the same: it keeps fields in another order and knows of types only whether they are primitive.
func fits(known *serial.Desc, fields []java.SerialField) bool {
	return slices.EqualFunc(known.ByName, fields, func(at int, f java.SerialField) bool {
		k := &known.Fields[at]
		return k.Name == f.Name && k.Unshared == f.Unshared && fieldKind(k.Signature) == fieldKind(f.Signature)
	})
}

// readFields reads the fields of a class onto d.fields.
func (d *decoder) readFields(own *bool) error {
	at := d.At
	n, err := d.Int32()
	if err != nil {
		return err
	}
	const least = 4 // name of one character, type, unshared; a name by reference has two bytes
	if err = d.Charge(at, int(n), least); err != nil {
		return err
	}
	for range n {
		at = d.At
		f := java.SerialField{}
		var index int
		var value bool
		if f.Name, index, value, err = d.name(); err != nil {
			return err
		}
		*own = *own || value
		kind, err := d.Byte()
		if err != nil {
			return err
		}
		if f.Signature = signatures[kind]; f.Signature == "" {
			if predefined[kind] == nil || kind == idVoid {
				return d.Fail(at, "byte 0x%02x is no type of a field", kind)
			}
			f.Signature = signatures[idObjectClass]
		}
		unshared, err := d.Byte()
		if err != nil {
			return err
		}
		f.Unshared = unshared != 0
		d.fields, d.indexes = append(d.fields, f), append(d.indexes, index)
	}
	return nil
}

// name reads the name of a class or field: in protocol 4 a String like any
// other, which takes an index in the instance table, -1 for a reference. Value says that it
// is one to a value of the payload.
func (d *decoder) name() (text string, index int, value bool, err error) {
	start := d.At
	if d.version < 4 {
		text, err = d.className(start)
		return text, -1, false, err
	}
	lead, err := d.Byte()
	if err != nil {
		return "", -1, false, err
	}
	switch lead {
	case idString, idStringMedium, idStringLarge:
		var n int
		if n, err = d.size(lead - idString); err != nil {
			return "", -1, false, err
		}
		text, err = d.nameOf(start, n)
		d.objects = append(d.objects, object{text: text})
		return text, len(d.objects) - 1, false, err
	case idObjectNear, idObjectNearish, idObjectFar:
		var i int
		if i, err = d.reference(lead, len(d.objects)); err != nil {
			return "", -1, false, err
		}
		if i < 0 || i >= len(d.objects) || d.objects[i].text == "" {
			return "", -1, false, d.Fail(start, "a name that refers to object %d of %d, which is no text", i, len(d.objects))
		}
		o := d.objects[i]
		return o.text, -1, o.value != nil, nil
	}
	return "", -1, false, d.Fail(start, "byte 0x%02x begins no name", lead)
}
