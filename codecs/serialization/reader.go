package serialization

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// What comes before each element of a stream, as
// java.io.ObjectStreamConstants names it.
const (
	magic = "\xac\xed\x00\x05" // with the version

	tcNull           = 0x70
	tcReference      = 0x71
	tcClassDesc      = 0x72
	tcObject         = 0x73
	tcString         = 0x74
	tcArray          = 0x75
	tcClass          = 0x76
	tcBlockData      = 0x77
	tcEndBlockData   = 0x78
	tcReset          = 0x79
	tcBlockDataLong  = 0x7a
	tcException      = 0x7b
	tcLongString     = 0x7c
	tcProxyClassDesc = 0x7d
	tcEnum           = 0x7e

	baseHandle = 0x7e0000
	blockSize  = 1024 // Java cuts its blocks here
)

// reader reads one stream into values.
type reader struct {
	serial.Reader
	started bool
	// handles is the table of back references: strings, values and *serial.Desc; nil for
	// what is not known before its end.
	handles []any
	fields  []java.SerialField // of the descriptors being read, the innermost one last
	// noFields are the classes whose writeObject method writes no fields.
	noFields map[string]bool
}

func (r *reader) header() error {
	b, err := r.Take(len(magic))
	if err != nil {
		return err
	}
	if string(b) != magic {
		return r.Fail(0, "it does not begin with ac ed 00 05: it is no java.io object stream")
	}
	r.started = true
	return nil
}

// push gives v the next handle.
func (r *reader) push(v any) int {
	r.handles = append(r.handles, v)
	return len(r.handles) - 1
}

// value reads any object.
func (r *reader) value() (any, error) {
	start := r.At
	tag, err := r.Byte()
	if err != nil {
		return nil, err
	}
	switch tag {
	case tcNull:
		return nil, nil
	case tcReference:
		h, failed := r.reference()
		if _, desc := h.(*serial.Desc); desc {
			return nil, r.Fail(start, "a back reference leads to a class descriptor where a value belongs")
		}
		return h, failed
	case tcString, tcLongString:
		return r.string(tag)
	}
	if err = r.Enter(start); err != nil {
		return nil, err
	}
	defer r.Leave()
	switch tag {
	case tcObject:
		return r.instance(start)
	case tcArray:
		return r.array(start)
	case tcEnum:
		return r.enum(start)
	case tcClass:
		return r.class(start)
	case tcClassDesc, tcProxyClassDesc:
		return nil, r.Fail(start, "a class descriptor where a value belongs")
	case tcBlockData, tcBlockDataLong, tcEndBlockData:
		return nil, r.Fail(start, "bytes where a value belongs")
	case tcReset, tcException:
		return nil, r.Fail(start, "the stream was reset or broken off: no codec writes that")
	}
	return nil, r.Fail(start, "unknown tag %#02x", tag)
}

// reference reads a back reference behind its tag.
func (r *reader) reference() (any, error) {
	start := r.At - 1
	n, err := r.Int32()
	if err != nil {
		return nil, err
	}
	i := int64(n) - baseHandle
	if i < 0 || i >= int64(len(r.handles)) {
		return nil, r.Fail(start, "back reference %d leads nowhere: there are %d objects so far", i, len(r.handles))
	}
	if r.handles[i] == nil {
		return nil, r.Fail(start, "a back reference leads to an object that is not complete")
	}
	return r.handles[i], nil
}

// string reads a string behind its tag.
func (r *reader) string(tag byte) (any, error) {
	start := r.At - 1
	var n int64
	var err error
	if tag == tcString {
		var short int
		short, err = r.Int(2)
		n = int64(short)
	} else {
		n, err = r.Int64()
	}
	if err == nil && (n < 0 || n > int64(r.Remaining())) {
		err = r.Fail(start, "a string of %d bytes does not fit into the %d bytes left", n, r.Remaining())
	}
	if err != nil {
		return nil, err
	}
	s, err := r.Text(int(n))
	if err != nil {
		return nil, err
	}
	v := any(s)
	r.push(v)
	return v, nil
}

// text reads a string object that must not be null.
func (r *reader) text() (string, error) {
	start := r.At
	tag, err := r.Byte()
	if err != nil {
		return "", err
	}
	var v any
	switch tag {
	case tcString, tcLongString:
		v, err = r.string(tag)
	case tcReference:
		v, err = r.reference()
	}
	s, ok := v.(string)
	if !ok && err == nil {
		err = r.Fail(start, "a string belongs here")
	}
	return s, err
}

// name reads a name: two bytes of length and text without a handle.
func (r *reader) name() (string, error) {
	n, err := r.Int(2)
	if err != nil {
		return "", err
	}
	return r.Text(n)
}

// instance reads an object behind its tag.
func (r *reader) instance(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if reason := noInstance(d); reason != "" {
		class := ""
		if d != nil {
			class = d.Class
		}
		return nil, r.FailClass(start, class, "%s", reason)
	}
	in, v, err := r.Open(start, d)
	if err != nil {
		return nil, err
	}
	h := r.push(v)
	v, err = r.Close(start, in, v, r.levels(in))
	if err == nil {
		r.handles[h] = v
	}
	return v, err
}

// noInstance returns why a class has no instances in a stream; empty where it has.
func noInstance(d *serial.Desc) string {
	switch {
	case d == nil:
		return "an object has no class"
	case d.Enum():
		return "a constant of an enum is written as an object"
	case d.Flags&(serial.FlagSerializable|serial.FlagExternalizable) == 0:
		return "the class is not serializable"
	case d.Flags&serial.FlagExternalizable != 0 && d.Flags&serial.FlagBlockData == 0:
		return "the object is externalized without a length (protocol 1)"
	case d.Class == "java.lang.String" || d.Class == "java.lang.Class" || strings.HasPrefix(d.Class, "["):
		return "such a value is not written as an object"
	}
	return ""
}

// levels reads what each class of an instance wrote.
func (r *reader) levels(in *serial.Instance) (err error) {
	if err = r.Charge(r.At, len(in.Levels), 0); err != nil {
		return err
	}
	for i := range in.Levels {
		l := &in.Levels[i]
		if n := len(l.Desc.Fields); n > 0 && !r.noFields[l.Desc.Class] {
			if err = r.Charge(r.At, n, 1); err != nil {
				return err
			}
			l.Fields = make([]any, n)
			for j := range l.Fields {
				if l.Fields[j], err = r.field(l.Desc.Fields[j].Signature); err != nil {
					return errpath.UnderDecode(errpath.Key(l.Desc.Fields[j].Name), err)
				}
			}
		}
		if l.Desc.Flags&(serial.FlagWriteMethod|serial.FlagBlockData) != 0 {
			if l.Items, err = r.items(); err != nil {
				return err
			}
		}
	}
	return nil
}

// field reads the value of one field.
func (r *reader) field(signature string) (any, error) {
	if len(signature) > 1 {
		return r.value()
	}
	b, err := r.Take(serial.Width(signature[0]))
	if err != nil {
		return nil, err
	}
	return serial.Primitive(signature[0], b), nil
}

// items reads custom data up to their end.
func (r *reader) items() ([]any, error) {
	var items []any
	values, full := 0, false // full: the last block may go on in the next one
	for {
		if r.Remaining() > 0 && r.In[r.At] == tcEndBlockData {
			r.At++
			return items, nil
		}
		if err := r.Charge(r.At, 1, 0); err != nil {
			return items, err
		}
		v, block, err := r.item()
		switch {
		case err != nil:
			return items, errpath.UnderDecode(serial.Index(values), err)
		case block == nil:
			items = append(items, v)
			values++
			full = false
		case full:
			last := len(items) - 1
			items[last] = append(items[last].(java.Block), block...)
			full = len(block) == blockSize
		default:
			items = append(items, java.Block(slices.Clone(block)))
			full = len(block) == blockSize
		}
	}
}

// item reads a block, which it returns as part of the payload, or a value.
func (r *reader) item() (v any, block []byte, err error) {
	start := r.At
	tag, err := r.Byte()
	if err != nil {
		return nil, nil, err
	}
	var n int
	switch tag {
	case tcBlockData:
		n, err = r.Int(1)
	case tcBlockDataLong:
		n, err = r.Int(4)
	default:
		r.At--
		v, err = r.value()
		return v, nil, err
	}
	if err == nil && (n < 0 || n > r.Remaining()) {
		err = r.Fail(start, "a block of %d bytes does not fit into the %d bytes left", n, r.Remaining())
	}
	if err != nil {
		return nil, nil, err
	}
	block, err = r.Take(n)
	return nil, block, err
}

// array reads an array behind its tag.
func (r *reader) array(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil || len(d.Class) < 2 || d.Class[0] != '[' {
		return nil, r.Fail(start, "an array has no class, or one that is no array")
	}
	h := r.push(nil)
	n, err := r.Int32()
	if err != nil {
		return nil, err
	}
	width := 1
	if len(d.Class) == 2 {
		if width = serial.Width(d.Class[1]); width == 0 {
			return nil, r.Fail(start, "%q is no array class", d.Class)
		}
	}
	if n < 0 || int64(n)*int64(width) > int64(r.Remaining()) {
		return nil, r.FailClass(start, d.Class, "an array of %d elements does not fit into the %d bytes left", n, r.Remaining())
	}
	if len(d.Class) == 2 {
		b, failed := r.Take(int(n) * width)
		if failed != nil {
			return nil, failed
		}
		r.handles[h] = serial.Primitives(d.Class[1], b)
		return r.handles[h], nil
	}
	list := &java.List{Class: d.Class, Form: serial.ArrayForm(d)}
	r.handles[h] = list
	for i := range int(n) {
		if err = r.Charge(r.At, 1, 0); err != nil {
			return nil, err
		}
		v, err := r.value()
		if err != nil {
			return nil, errpath.UnderDecode(serial.Index(i), err)
		}
		list.Elements = append(list.Elements, v)
	}
	return list, nil
}

// enum reads a constant behind its tag.
func (r *reader) enum(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil || !d.Enum() {
		return nil, r.Fail(start, "a constant has no class, or one that is no enum")
	}
	h := r.push(nil)
	constant, err := r.text()
	if err != nil {
		return nil, err
	}
	r.handles[h] = java.Enum{Class: d.Class, Name: constant, Ordinal: -1}
	return r.handles[h], nil
}

// class reads a class object behind its tag.
func (r *reader) class(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, r.Fail(start, "a class object has no class")
	}
	v := serial.ClassValue(d)
	r.push(v)
	return v, nil
}
