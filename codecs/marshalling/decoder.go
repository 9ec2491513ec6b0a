package marshalling

import (
	"math"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// decoder reads one payload. It is used by one goroutine at a time.
type decoder struct {
	input
	codec   *Codec
	version byte
	objects instances
	classes []*class // the class table; nil for a class that is being read
	views   []any    // of collections that may not be whole yet
	// refusals is nil where fields may differ.
	refusals *serial.Refusals
}

// add gives v, which is no text, the next index.
func (d *decoder) add(v any) int {
	return d.objects.push(object{value: v})
}

// payload reads one whole payload.
func (d *decoder) payload() (any, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	lead, err := d.u8()
	if err != nil {
		return nil, err
	}
	for lead == idClearClasses || lead == idClearObjects {
		if lead, err = d.u8(); err != nil { // the tables are empty anyhow
			return nil, err
		}
	}
	v, err := d.valueAfter(lead)
	serial.Finish(d.views)
	if err != nil {
		return v, err
	}
	return v, d.atEnd()
}

// begin checks size and version.
func (d *decoder) begin() error {
	switch {
	case len(d.In) == 0:
		return d.fault(0, "the payload is empty: River writes at least two bytes")
	case len(d.In) > d.limits.Bytes:
		return d.fault(0, "the payload has %d bytes, more than %d: raise Limits.Bytes if that is right", len(d.In), d.limits.Bytes)
	case d.In[0] < minVersion || d.In[0] > maxVersion:
		return d.fault(0, "byte 0x%02x is no protocol version of River (2 to 4): another codec", d.In[0])
	}
	d.version, d.At = d.In[0], 1
	return d.charge(0, 1, 0)
}

// atEnd reports bytes behind the value. Java ignores them; here they mean that
// another codec wrote the payload.
func (d *decoder) atEnd() error {
	if n := d.remaining(); n > 0 {
		return d.fault(d.At, "%d bytes follow the value: another codec, or a marshaller with other settings", n)
	}
	return nil
}

// value reads one object, or null. The caller has charged it.
func (d *decoder) value() (any, error) {
	lead, err := d.u8()
	if err != nil {
		return nil, err
	}
	return d.valueAfter(lead)
}

func (d *decoder) valueAfter(lead byte) (any, error) {
	start := d.At - 1
	switch {
	case lead == idNull:
		return nil, nil
	case lead == idObjectFar || lead == idObjectNear || lead == idObjectNearish:
		return d.back(lead, start)
	case lead == idNewObject || lead == idNewUnshared:
		return d.newObject(start, lead == idNewUnshared)
	case lead >= idEmptyString && lead <= idStringLarge:
		return d.stringAfter(lead)
	case lead >= idArrayEmpty && lead <= idArrayLast:
		return d.array(start, lead-idArrayEmpty)
	case lead >= idByteValue && lead <= idFalse:
		return d.boxed(lead)
	case lead >= idCollection && lead <= idCollectionLast:
		return d.collection(start, lead-idCollection)
	case objectOnly(lead):
		return d.special(start, lead)
	case predefinedNames[lead] != "":
		return java.ClassRef(predefinedNames[lead]), nil
	case lead == idPredefined:
		return nil, d.fault(start, "an object of a table that only the writer has")
	case lead == idClearClasses || lead == idClearObjects:
		return nil, d.fault(start, "a cleared table in the middle of a value")
	case lead >= idBlockSmall && lead <= idBlockEnd:
		return nil, d.fault(start, "a block of bytes where an object belongs")
	}
	return nil, d.fault(start, "byte 0x%02x begins no object: another codec", lead)
}

// back resolves a reference into the instance table.
func (d *decoder) back(lead byte, start int) (any, error) {
	i, err := d.reference(lead, d.objects.size)
	if err != nil {
		return nil, err
	}
	o, name := d.objects.at(i)
	switch {
	case name != "":
		return name, nil
	case o == nil:
		return nil, d.fault(start, "a reference to object %d of %d", i, d.objects.size)
	case o.value == nil: // a text: box it once
		o.value = o.text
	}
	v, ok := o.any()
	if !ok {
		return nil, d.fault(start, "a reference to an object that is unshared or not whole yet")
	}
	return v, nil
}

// stringAfter reads a string as a value.
func (d *decoder) stringAfter(lead byte) (any, error) {
	s, err := d.stringText(lead)
	if err != nil || s == "" {
		return s, err
	}
	o := &d.objects.list[len(d.objects.list)-1]
	o.value = s
	return o.value, nil
}

// stringText reads what follows the lead byte of a string.
func (d *decoder) stringText(lead byte) (string, error) {
	if lead == idEmptyString {
		return "", nil
	}
	n, err := d.size(lead - idString)
	if err != nil {
		return "", err
	}
	s, err := d.utf(n)
	if err == nil {
		d.objects.push(object{text: s})
	}
	return s, err
}

func (d *decoder) boxed(lead byte) (any, error) {
	switch lead {
	case idTrue:
		return true, nil
	case idFalse:
		return false, nil
	}
	return d.primitive(boxedKinds[lead-idByteValue])
}

// boxedKinds has the primitives in the order of the lead bytes 49 to 4F.
var boxedKinds = [...]byte{idByte, idShort, idInt, idLong, idChar, idFloat, idDouble}

// primitive reads one primitive value by the id of its type.
func (d *decoder) primitive(kind byte) (any, error) {
	b, err := d.fixed(widths[kind])
	if err != nil {
		return nil, err
	}
	bits := bigEndian(b)
	switch kind {
	case idBoolean:
		return bits != 0, nil
	case idByte:
		return int8(bits), nil
	case idShort:
		return int16(bits), nil
	case idInt:
		return int32(bits), nil
	case idLong:
		return int64(bits), nil
	case idChar:
		return java.Char(bits), nil
	case idFloat:
		return math.Float32frombits(uint32(bits)), nil
	}
	return math.Float64frombits(bits), nil
}

func bigEndian(b []byte) (bits uint64) {
	for _, c := range b {
		bits = bits<<8 | uint64(c)
	}
	return bits
}
