package fst

import (
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Tags before objects (FSTObjectOutput).
const (
	tagObject = 0x00
	tagHook   = 0xed // before each object that a writeObject method wrote
	tagOneOf  = 0xee
	tagFalse  = 0xef
	tagTrue   = 0xf0
	tagLong   = 0xf6
	tagInt    = 0xf7
	tagHandle = 0xf9
	tagEnum   = 0xfa
	tagArray  = 0xfb
	tagString = 0xfc
	tagTyped  = 0xfd
	tagNull   = 0xff

	endOfFields = 0x00 // the version tag behind fields
)

// decoder reads one payload. It is not safe for concurrent use.
type decoder struct {
	serial.Reader
	known   *catalog
	classes []*class // named by the payload, from id firstStreamID
	offsets []int    // of tags that a handle may name, ascending
	objects []any    // what is there; nil while it is not complete
}

func newDecoder(payload []byte, known *catalog, limits codecs.Limits) *decoder {
	return &decoder{Reader: serial.NewReader(name, serial.JavaIO, payload, limits, nil, nil), known: known}
}

// payload reads one whole payload.
func (d *decoder) payload() (any, error) {
	if len(d.In) == 0 {
		return nil, d.Fail(0, "the payload is empty: FST writes at least one byte")
	}
	return d.Whole(d.next)
}

// reserve notes that the object whose tag is at offset at can be named by a
// handle, and returns its place.
func (d *decoder) reserve(at int, v any) int {
	if d.known.unshared {
		return -1
	}
	d.offsets = append(d.offsets, at)
	d.objects = append(d.objects, v)
	return len(d.objects) - 1
}

func (d *decoder) complete(slot int, v any) {
	if slot >= 0 {
		d.objects[slot] = v
	}
}

func (d *decoder) handle() (any, error) {
	start := d.At - 1
	offset, err := d.int32()
	if err != nil {
		return nil, err
	}
	if d.known.unshared {
		return nil, d.Fail(start, "a reference to an earlier object, yet the codec is told that the writer shares none")
	}
	i, found := slices.BinarySearch(d.offsets, int(offset))
	switch {
	case !found:
		return nil, d.Fail(start, "a reference to byte %d, where no object began", offset)
	case d.objects[i] == nil:
		return nil, d.Fail(start, "a reference to the object at byte %d, which is not complete", offset)
	}
	return d.objects[i], nil
}

// object reads tag and value. Declared is the declared type where the value is
// that of a field, empty elsewhere.
func (d *decoder) object(declared string) (any, error) {
	at := d.At
	tag, err := d.Byte()
	if err != nil {
		return nil, err
	}
	if err := d.Charge(d.At, 1, 0); err != nil {
		return nil, err
	}
	switch tag {
	case tagNull:
		return nil, nil
	case tagString:
		s, err := d.text()
		if err != nil {
			return nil, err
		}
		d.reserve(at, s)
		return s, nil
	case tagInt:
		return scalar(d.int32())
	case tagLong:
		return scalar(d.int64())
	case tagTrue, tagFalse:
		return tag == tagTrue, nil
	case tagHandle:
		return d.handle()
	case tagEnum:
		return d.enum()
	case tagArray, tagObject, tagTyped:
		if err := d.Enter(at); err != nil {
			return nil, err
		}
		defer d.Leave()
		return d.compound(tag, at, declared)
	case tagOneOf:
		return nil, d.Fail(at, "a string by number (annotation OneOf), which only the Java class explains")
	case tagHook:
		return nil, d.Fail(at, "an object of a writeObject method where none belongs: a descriptor does not fit, or another codec")
	}
	if tag < 0x80 {
		return nil, d.Fail(at, "a class by prediction (annotation Predict), or another codec: 0x%02x", tag)
	}
	return nil, d.Fail(at, "0x%02x begins no object of FST: another codec, or a descriptor that does not fit", tag)
}

// compound reads what follows the tag of an array or object.
func (d *decoder) compound(tag byte, at int, declared string) (any, error) {
	if tag == tagTyped {
		if declared == "" {
			return nil, d.Fail(at, "an object of the declared class where no class is declared: another codec")
		}
		return d.body(d.known.find(declared), at, declared)
	}
	c, err := d.class()
	if err != nil {
		return nil, err
	}
	if tag == tagArray && c.dims == 0 {
		return nil, d.Fail(at, "%s is no array: another codec", c.name)
	}
	return d.body(c, at, declared)
}

// body reads what follows the class.
func (d *decoder) body(c *class, at int, declared string) (any, error) {
	switch {
	case c.dims > 0:
		return d.array(c, at, declared)
	case c.missing != "":
		err := d.FailClass(at, c.name, "%s", c.missing)
		err.Err = ErrNoDescriptor
		return nil, err
	case c.isEnum:
		return nil, d.Fail(at, "the enum %s written as an object: another codec", c.name)
	case c.read != nil:
		return c.read(d, c, at)
	}
	return d.bean(c, at)
}

// class reads the class of an object.
func (d *decoder) class() (*class, error) {
	start := d.At
	id, err := d.unit()
	if err != nil {
		return nil, err
	}
	if id > 1 {
		return d.classByID(start, int(id))
	}
	var text string
	if id == 0 {
		text, err = d.text()
	} else {
		text, err = d.ascii()
	}
	switch {
	case err != nil:
		return nil, err
	case text == "" || len(text) > maxNameBytes:
		return nil, d.Fail(start, "a class name must have 1 to %d bytes", maxNameBytes)
	}
	c := d.known.find(text)
	d.classes = append(d.classes, c)
	return c, nil
}

// maxNameBytes bounds a class name.
const maxNameBytes = 1024

func (d *decoder) classByID(start, id int) (*class, error) {
	switch i := id - firstID; {
	case id >= firstStreamID && id-firstStreamID < len(d.classes):
		return d.classes[id-firstStreamID], nil
	case id < firstStreamID && i >= 0 && i < len(d.known.byID):
		return d.known.byID[i], nil
	}
	return nil, d.Fail(start, "class id %d is not registered: another codec, a Go type that differs from the Java class (duequeue javadesc -check compares them), or a writer with registered classes (Registered)", id)
}

// ascii reads a class name of one byte a letter.
func (d *decoder) ascii() (string, error) {
	n, err := d.count(1)
	if err != nil {
		return "", err
	}
	b, err := d.Take(n)
	if err != nil {
		return "", err
	}
	for i, c := range b {
		if c >= 0x80 {
			return "", d.Fail(d.At-n+i, "byte 0x%02x in a class name: another codec", c)
		}
	}
	return string(b), nil
}

// enum reads a constant: class and ordinal.
func (d *decoder) enum() (any, error) {
	start := d.At - 1
	c, err := d.class()
	if err != nil {
		return nil, err
	}
	ordinal, err := d.int32()
	if err != nil {
		return nil, err
	}
	e := java.Enum{Class: c.name, Ordinal: int(ordinal)}
	switch {
	case c.dims > 0 || ordinal < 0:
		return nil, d.Fail(start, "constant %d of enum %s: another codec", ordinal, c.name)
	case c.enum == nil:
		return e, nil
	case int(ordinal) >= len(c.enum.Constants):
		return nil, d.FailClass(start, c.name, "constant %d, yet its descriptor has %d", ordinal, len(c.enum.Constants))
	}
	e.Name = c.enum.Constants[ordinal].Name
	return e, nil
}

// scalar drops the value of a failed read.
func scalar[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

func underIndex(i int, err error) error { return errpath.UnderDecode(serial.Index(i), err) }
