package kryo5

import (
	"errors"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// payload reads one whole payload.
func (d *decoder) payload() (any, error) {
	if err := d.checkSize(); err != nil {
		return nil, err
	}
	v, err := d.value()
	if err != nil {
		return v, err
	}
	return v, d.atEnd()
}

func (d *decoder) checkSize() error {
	switch {
	case len(d.in) == 0:
		return d.fault(0, "the payload is empty: Kryo writes at least one byte")
	case len(d.in) > d.limits.Bytes:
		return d.fault(0, "the payload has %d bytes, more than %d: raise Limits.Bytes if that is right", len(d.in), d.limits.Bytes)
	}
	return nil
}

// atEnd reports bytes behind the value. Java ignores them; here they mean that
// another codec or setting wrote the payload.
func (d *decoder) atEnd() error {
	if n := d.remaining(); n > 0 {
		return d.fault(d.at, "%d bytes follow the value: another codec, or a writer with useReferences or allowedClasses", n)
	}
	return nil
}

// value reads class and object, or null.
func (d *decoder) value() (any, error) {
	c, err := d.class()
	if err != nil || c == nil {
		return nil, err
	}
	return d.object(c)
}

// object reads a body that is not null.
func (d *decoder) object(c *class) (any, error) {
	start := d.at
	v, err := c.read(d, c)
	switch {
	case err != nil && !c.list && !c.mapping:
		return nil, err // half a scalar is none
	case err == nil && v == nil:
		err = &codecs.DecodeError{Codec: name, Class: c.name, Offset: start, Reason: "null stands where the class says there is a value"}
	}
	return v, err
}

// objectOrNull reads a body of a class that is known, or null.
func (d *decoder) objectOrNull(c *class) (any, error) {
	if c.acceptsNull {
		return c.read(d, c)
	}
	present, err := d.flag()
	if err != nil || !present {
		return nil, err
	}
	return d.object(c)
}

// class reads a class id; nil means null.
func (d *decoder) class() (*class, error) {
	start := d.at
	id, err := d.uv32()
	switch {
	case err != nil:
		return nil, err
	case id == idNull:
		return nil, nil
	case id == idByName:
		return d.classByName(start)
	case id < idEnd:
		return d.known.byID[id], nil
	}
	return nil, d.fault(start, "class id %d is not registered: another codec, or a writer with allowedClasses", id)
}

// maxNameBytes bounds a class name.
const maxNameBytes = 1024

func (d *decoder) classByName(start int) (*class, error) {
	id, err := d.uv32()
	switch {
	case err != nil:
		return nil, err
	case int64(id) < int64(len(d.classes)):
		return d.classes[id], nil
	case int64(id) > int64(len(d.classes)):
		return nil, d.fault(start, "name id %d before id %d was used: another codec", id, len(d.classes))
	}
	text, null, err := d.stringBytes()
	switch {
	case err != nil:
		return nil, err
	case null || len(text) == 0 || len(text) > maxNameBytes:
		return nil, d.fault(start, "a class name must have 1 to %d bytes", maxNameBytes)
	}
	c := d.known.byName[string(text)]
	if c == nil {
		return nil, &codecs.DecodeError{
			Codec: name, Class: string(text), Offset: start,
			Reason: "this codec does not carry the class: in Java, put the data into a map or a list of strings, numbers and dates",
		}
	}
	d.classes = append(d.classes, c)
	return c, nil
}

// under puts part, a key or an index, before the path of a decoding error.
func under(part string, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		e.Path = java.JoinPath(part, e.Path)
	}
	return err
}

func underIndex(i int, err error) error { return under("["+strconv.Itoa(i)+"]", err) }
