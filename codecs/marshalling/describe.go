package marshalling

import (
	"bytes"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// maxNameUnits bounds the name of a class or field.
const maxNameUnits = 1024

// readClass reads a class descriptor of any kind.
func (d *decoder) readClass() (*class, error) {
	lead, err := d.u8()
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
	defer d.leave()
	switch lead {
	case idSerializable, idWriteObject:
		return d.serializableClass(start)
	case idExternalizable:
		text, err := d.className(start)
		if err != nil {
			return nil, err
		}
		uid, err := d.i64()
		if err != nil {
			return nil, err
		}
		c, err := (&class{kind: lead, name: text, uid: uid}).finish()
		if err != nil {
			return nil, d.classFault(start, text, "%v", err)
		}
		return d.addClass(c), nil
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
		return nil, d.fault(start, "a dynamic proxy: it has no data, only code of the JVM that wrote it")
	}
	return nil, d.fault(start, "byte 0x%02x begins no class: another codec, or a marshaller with its own tables", lead)
}

func (d *decoder) addClass(c *class) *class {
	d.classes = append(d.classes, c)
	return c
}

func (d *decoder) arrayClass(start int, component *class) (*class, error) {
	if component.depth >= maxDimensions {
		return nil, d.fault(start, "an array of more than %d dimensions", maxDimensions)
	}
	c := &class{kind: idArrayClass, name: arrayName(component.name), component: component, depth: 1}
	if component.kind == idArrayClass {
		c.depth = component.depth + 1
	}
	return d.addClass(c), nil
}

const maxDimensions = 255 // as in the JVM

// arrayName returns the class name of an array of component.
func arrayName(component string) string {
	if strings.HasPrefix(component, "[") {
		return "[" + component
	}
	if s := primitiveArrays[component]; s != "" {
		return s
	}
	return "[L" + component + ";"
}

var primitiveArrays = map[string]string{
	"boolean": "[Z", "byte": "[B", "short": "[S", "int": "[I", "long": "[J", "char": "[C", "float": "[F", "double": "[D",
}

func (d *decoder) classReference(lead byte, start int) (*class, error) {
	i, err := d.reference(lead, len(d.classes))
	switch {
	case err != nil:
		return nil, err
	case i < 0 || i >= len(d.classes):
		return nil, d.fault(start, "a reference to class %d of %d", i, len(d.classes))
	case d.classes[i] == nil:
		return nil, d.fault(start, "a class that is its own superclass")
	}
	return d.classes[i], nil
}

// reference reads the index behind a lead byte of either table.
func (d *input) reference(lead byte, size int) (int, error) {
	switch lead {
	case idObjectNear, idClassNear:
		b, err := d.u8()
		return size - 256 + int(b), err
	case idObjectNearish, idClassNearish:
		w, err := d.u16()
		return size - 65536 + int(w), err
	}
	i, err := d.i32()
	return int(i), err
}

// className reads a name with a four-byte count.
func (d *decoder) className(start int) (string, error) {
	n, err := d.i32()
	if err != nil {
		return "", err
	}
	return d.nameOf(start, int(n))
}

func (d *decoder) nameOf(start, n int) (string, error) {
	if n <= 0 || n > maxNameUnits {
		return "", d.fault(start, "a name must have 1 to %d characters, not %d", maxNameUnits, n)
	}
	from := d.At
	if n <= d.remaining() && ascii(d.In[from:from+n]) {
		d.At += n
		return string(d.In[from:d.At]), nil
	}
	return d.utf(n)
}

// serializableClass reads what follows the lead byte at start. The class takes
// its index before those of its fields and superclasses.
func (d *decoder) serializableClass(start int) (*class, error) {
	l, err := d.knownLevel(start)
	if l == nil && err == nil {
		l, err = d.readLevel(start)
	}
	if err != nil {
		return nil, err
	}
	if err = d.charge(start, len(l.fields), 0); err != nil {
		return nil, err
	}
	index := len(d.classes)
	d.classes = append(d.classes, nil)
	at := d.At
	super, err := d.readClass()
	if err != nil {
		return nil, err
	}
	switch {
	case super.serializable():
	case super.kind == idObjectClass, super.kind == idPlainClass, super.kind >= idAbstractFirst && super.kind <= idAbstractLast:
		super = nil
	default:
		return nil, d.classFault(at, super.name, "it cannot be the superclass of a serializable class")
	}
	c, err := l.with(super)
	if err != nil {
		return nil, d.classFault(start, l.name, "%v", err)
	}
	d.classes[index] = c
	return c, nil
}

// knownLevel finds the level at start among those met before, and passes it.
func (d *decoder) knownLevel(start int) (*level, error) {
	in := d.In[start:]
	if d.version < 4 || len(in) < 3 || in[1] != idString || int(in[2]) > len(in)-3 {
		return nil, nil
	}
	for _, l := range d.codec.levels.find(in[3 : 3+int(in[2])]) {
		if bytes.HasPrefix(in, l.wire) && d.namesHold(l) {
			d.At = start + len(l.wire)
			d.objects.names(l.names)
			return l, nil
		}
	}
	return nil, nil
}

// namesHold reports whether the references in l mean the names they meant when
// it was read.
func (d *decoder) namesHold(l *level) bool {
	for _, r := range l.refs {
		i := r.index
		if !r.absolute {
			i += d.objects.size + r.before
		}
		var text string
		switch own := i - d.objects.size; {
		case i < 0 || own >= r.before:
			return false
		case own >= 0:
			text = l.names[own]
		default:
			_, text = d.objects.at(i) // a value is read anew, and its text kept as the name
		}
		if text != r.name {
			return false
		}
	}
	return true
}

// readLevel reads a level that is not known, and keeps it.
func (d *decoder) readLevel(start int) (*level, error) {
	l := &level{kind: d.In[start]}
	base := d.objects.size
	text, err := d.name(l, base)
	if err != nil {
		return nil, err
	}
	l.name = text
	if l.uid, err = d.i64(); err != nil {
		return nil, err
	}
	if err = d.readFields(l, base); err != nil {
		return nil, err
	}
	l.canonicalNames()
	d.objects.names(l.names)
	if d.version < 4 {
		return l, nil
	}
	if !l.own {
		l.wire = bytes.Clone(d.In[start:d.At])
		d.codec.levels.add(l)
	}
	return l, nil
}

// canonicalNames makes the names of a JDK class the strings that its description
// has, by which values that refer to a name are known when they are written.
func (l *level) canonicalNames() {
	known := serial.Known(l.name)
	if known == nil {
		return
	}
	for i, name := range l.names {
		if name == known.Class {
			l.names[i] = known.Class
		}
		for _, f := range known.Fields {
			if name == f.Name {
				l.names[i] = f.Name
			}
		}
	}
}

func (d *decoder) readFields(l *level, base int) error {
	at := d.At
	n, err := d.i32()
	if err != nil {
		return err
	}
	const least = 4 // name of one character, type, unshared; a name by reference has two bytes
	if err = d.fits(at, int(n), least); err != nil {
		return err
	}
	for range n {
		at = d.At
		f := field{}
		if f.name, err = d.name(l, base); err != nil {
			return err
		}
		if f.kind, err = d.u8(); err != nil {
			return err
		}
		if widths[f.kind] == 0 {
			if f.kind, err = d.objectType(at, f.kind); err != nil {
				return err
			}
		}
		unshared, err := d.u8()
		if err != nil {
			return err
		}
		f.unshared = unshared != 0
		l.fields = append(l.fields, f)
	}
	return nil
}

// objectType reads the rest of a field type that is neither primitive nor
// Object. The library writes none.
func (d *decoder) objectType(at int, lead byte) (byte, error) {
	if c := predefined[lead]; c == nil || lead == idVoid {
		return 0, d.fault(at, "byte 0x%02x is no type of a field", lead)
	}
	return idObjectClass, nil
}

// name reads the name of a class or field: in protocol 4 a String like any
// other, which takes an index.
func (d *decoder) name(l *level, base int) (string, error) {
	start := d.At
	if d.version < 4 {
		return d.className(start)
	}
	lead, err := d.u8()
	if err != nil {
		return "", err
	}
	switch lead {
	case idString, idStringMedium, idStringLarge:
		n, err := d.size(lead - idString)
		if err != nil {
			return "", err
		}
		text, err := d.nameOf(start, n)
		if err == nil {
			l.names = append(l.names, text)
		}
		return text, err
	case idObjectNear, idObjectNearish, idObjectFar:
		size := base + len(l.names)
		i, err := d.reference(lead, size)
		if err != nil {
			return "", err
		}
		var text string
		if i >= base && i < size {
			text = l.names[i-base]
		} else if o, name := d.objects.at(i); o != nil {
			text, l.own = o.string(), true
		} else {
			text = name
		}
		if text == "" {
			return "", d.fault(start, "a name that refers to object %d of %d, which is no text", i, size)
		}
		r := nameRef{before: size - base, index: i, absolute: lead == idObjectFar, name: text}
		if !r.absolute {
			r.index -= size
		}
		l.refs = append(l.refs, r)
		return text, nil
	}
	return "", d.fault(start, "byte 0x%02x begins no name", lead)
}
