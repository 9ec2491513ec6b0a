package serialization

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// classed names the class in an error that has none yet.
func classed(class string, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) && e.Class == "" {
		e.Class = class
	}
	return err
}

// instance reads an object behind its tag.
func (r *reader) instance(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if err = r.checkInstance(start, d); err != nil {
		return nil, err
	}
	v := serial.Begin(d)
	h := r.push(handle{})
	if v != nil {
		r.handles[h] = handle{kind: valueHandle, value: v}
	}
	base := len(r.levels)
	if err = r.readLevels(d); err != nil {
		return nil, classed(d.Class, err)
	}
	in := serial.Instance{Desc: d, Levels: r.levels[base:], Budget: &r.Left, Unfinished: &r.late}
	if v, err = in.End(v); err != nil {
		e := r.fail(start, "%v", err)
		e.Class = d.Class
		return nil, e
	}
	r.drop(base)
	r.handles[h] = handle{kind: valueHandle, value: v}
	return v, nil
}

func (r *reader) drop(base int) {
	clear(r.levels[base:])
	r.levels = r.levels[:base]
}

func (r *reader) checkInstance(start int, d *serial.Desc) error {
	var reason string
	switch {
	case d == nil:
		return r.fail(start, "an object has no class")
	case d.Enum():
		reason = "a constant of an enum is written as an object"
	case d.Flags&(serial.FlagSerializable|serial.FlagExternalizable) == 0:
		reason = "the class is not serializable"
	case d.Flags&serial.FlagExternalizable != 0 && d.Flags&serial.FlagBlockData == 0:
		reason = "the object is externalized without a length (protocol 1)"
	case d.Class == "java.lang.String" || d.Class == "java.lang.Class" || strings.HasPrefix(d.Class, "["):
		reason = "such a value is not written as an object"
	default:
		if err := r.refusals.Check(name, d); err != nil {
			err.Offset = start
			return err
		}
		return r.charge(d.Levels)
	}
	e := r.fail(start, "%s", reason)
	e.Class = d.Class
	return e
}

// readLevels reads what each class of an instance wrote onto r.levels.
func (r *reader) readLevels(d *serial.Desc) error {
	base := len(r.levels)
	for range d.Levels {
		r.levels = append(r.levels, serial.Level{})
	}
	c := d
	for i := base + d.Levels - 1; i >= base; i-- {
		r.levels[i].Desc = c
		c = c.Super
	}
	for i := range d.Levels {
		c := r.levels[base+i].Desc
		if len(c.Fields) > 0 && !r.noFields[c.Class] {
			fields, err := r.fieldValues(c)
			if err != nil {
				return err
			}
			// Nested objects may have moved the slice.
			r.levels[base+i].Fields = fields
		}
		if c.Flags&(serial.FlagWriteMethod|serial.FlagBlockData) != 0 {
			items, err := r.items()
			if err != nil {
				return err
			}
			r.levels[base+i].Items = items
		}
	}
	return nil
}

func (r *reader) fieldValues(c *serial.Desc) ([]any, error) {
	if err := r.charge(len(c.Fields)); err != nil {
		return nil, err
	}
	fields := make([]any, len(c.Fields))
	for i := range fields {
		v, err := r.field(c.Fields[i].Signature)
		if err != nil {
			return nil, underDecode(java.Key(c.Fields[i].Name), err)
		}
		fields[i] = v
	}
	return fields, nil
}

// field reads the value of one field.
func (r *reader) field(signature string) (any, error) {
	if len(signature) > 1 {
		return r.value()
	}
	b, err := r.take(width(signature[0]))
	if err != nil {
		return nil, err
	}
	switch signature[0] {
	case 'Z':
		return b[0] != 0, nil
	case 'B':
		return int8(b[0]), nil
	case 'S':
		return int16(binary.BigEndian.Uint16(b)), nil
	case 'C':
		return java.Char(binary.BigEndian.Uint16(b)), nil
	case 'I':
		return int32(binary.BigEndian.Uint32(b)), nil
	case 'F':
		return math.Float32frombits(binary.BigEndian.Uint32(b)), nil
	case 'J':
		return int64(binary.BigEndian.Uint64(b)), nil
	default:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	}
}

// width returns the bytes of a primitive.
func width(code byte) int {
	switch code {
	case 'Z', 'B':
		return 1
	case 'S', 'C':
		return 2
	case 'I', 'F':
		return 4
	}
	return 8
}

// items reads custom data up to their end.
func (r *reader) items() ([]any, error) {
	var items []any
	values, full := 0, false // full: the last block may go on in the next one
	for {
		if r.At < len(r.In) && r.In[r.At] == tcEndBlockData {
			r.At++
			return items, nil
		}
		if err := r.charge(1); err != nil {
			return nil, err
		}
		v, block, err := r.item()
		switch {
		case err != nil:
			return nil, underDecode(index(values), err)
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
func (r *reader) item() (any, []byte, error) {
	if r.At >= len(r.In) {
		return nil, nil, r.short(r.At)
	}
	start := r.At
	var n int32
	switch r.In[r.At] {
	case tcBlockData:
		b, err := r.take(2)
		if err != nil {
			return nil, nil, err
		}
		n = int32(b[1])
	case tcBlockDataLong:
		r.At++
		var err error
		if n, err = r.int32(); err != nil {
			return nil, nil, err
		}
	default:
		v, err := r.value()
		return v, nil, err
	}
	if n < 0 || int(n) > len(r.In)-r.At {
		return nil, nil, r.fail(start, "a block of %d bytes does not fit into the payload", n)
	}
	b := r.In[r.At : r.At+int(n) : r.At+int(n)]
	r.At += int(n)
	return nil, b, nil
}

// enum reads a constant behind its tag.
func (r *reader) enum(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil || !d.Enum() {
		return nil, r.fail(start, "a constant has no class, or one that is no enum")
	}
	h := r.push(handle{})
	constant, err := r.signature()
	if err != nil {
		return nil, classed(d.Class, err)
	}
	v := java.Enum{Class: d.Class, Name: constant, Ordinal: -1}
	r.handles[h] = handle{kind: valueHandle, value: v}
	return r.handles[h].value, nil
}

// class reads a class object behind its tag.
func (r *reader) class(start int) (any, error) {
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, r.fail(start, "a class object has no class")
	}
	v := serial.ClassValue(d)
	r.push(handle{kind: valueHandle, value: v})
	return v, nil
}
