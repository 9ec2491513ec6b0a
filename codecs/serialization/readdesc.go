package serialization

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// desc reads a class descriptor, a back reference to one, or null.
func (r *reader) desc() (*serial.Desc, error) {
	start := r.At
	tag, err := r.Byte()
	if err != nil {
		return nil, err
	}
	switch tag {
	case tcNull:
		return nil, nil
	case tcReference:
		v, err := r.reference()
		d, ok := v.(*serial.Desc)
		if !ok && err == nil {
			err = r.Fail(start, "a back reference leads to something else where a class descriptor belongs")
		}
		return d, err
	case tcClassDesc:
		return r.newDesc(start)
	case tcProxyClassDesc:
		return nil, r.Fail(start, "a dynamic proxy cannot be read")
	}
	return nil, r.Fail(start, "unknown tag %#02x where a class descriptor belongs", tag)
}

// newDesc reads a class descriptor behind its tag.
func (r *reader) newDesc(start int) (*serial.Desc, error) {
	if err := r.Enter(start); err != nil {
		return nil, err
	}
	defer r.Leave()
	s, base := java.Serial{}, len(r.fields)
	var err error
	if s.Class, err = r.name(); err != nil {
		return nil, err
	}
	if s.UID, err = r.Int64(); err != nil {
		return nil, err
	}
	h := r.push(nil) // open until its end: nothing inside may refer to it, so chains have no loops
	if s.Flags, err = r.Byte(); err != nil {
		return nil, err
	}
	if err = r.readFields(s.Class); err != nil {
		return nil, err
	}
	if _, err = r.items(); err != nil { // of a class loader: ObjectOutputStream itself adds nothing
		return nil, err
	}
	super, err := r.desc()
	if err != nil {
		return nil, err
	}
	s.Fields = r.fields[base:]
	d, err := r.Descs.Make(&s, super)
	r.fields = r.fields[:base]
	if err != nil {
		return nil, r.FailClass(start, s.Class, "its descriptor is wrong: %v", err)
	}
	r.handles[h] = d
	return d, nil
}

// readFields reads the fields of a descriptor onto r.fields.
func (r *reader) readFields(class string) error {
	n, err := r.Int(2)
	if err != nil {
		return err
	}
	const least = 3 // type, and the length of a name
	if err := r.Charge(r.At, n, least); err != nil {
		return err
	}
	for range n {
		start := r.At
		code, err := r.Byte()
		if err != nil {
			return err
		}
		f := java.SerialField{}
		if f.Name, err = r.name(); err != nil {
			return err
		}
		switch {
		case serial.Width(code) > 0:
			f.Signature = primitive(code)
		case code == 'L' || code == '[':
			if f.Signature, err = r.text(); err != nil {
				return err
			}
			if len(f.Signature) < 2 || f.Signature[0] != code {
				return r.Fail(start, "field %s of %s has a wrong signature", errpath.Key(f.Name), class)
			}
		default:
			return r.Fail(start, "field %s of %s has the unknown type %#02x", errpath.Key(f.Name), class, code)
		}
		r.fields = append(r.fields, f)
	}
	return nil
}

// primitive returns the signature of a type code without allocating one.
func primitive(code byte) string {
	const codes = "BCDFIJSZ"
	i := strings.IndexByte(codes, code)
	return codes[i : i+1]
}
