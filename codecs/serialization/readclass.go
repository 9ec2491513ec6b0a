package serialization

import (
	"encoding/binary"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// desc reads a class descriptor, a back reference to one, or null.
func (r *reader) desc() (*serial.Desc, error) {
	start := r.At
	tag, err := r.byte()
	if err != nil {
		return nil, err
	}
	switch tag {
	case tcNull:
		return nil, nil
	case tcReference:
		h, err := r.handle()
		if err != nil {
			return nil, err
		}
		if h.kind != descHandle {
			return nil, r.fail(start, "a back reference leads to something else where a class descriptor belongs")
		}
		return h.value.(*serial.Desc), nil
	case tcClassDesc:
		if r.cache != nil {
			return r.cachedDesc(start)
		}
		return r.newDesc(start)
	case tcProxyClassDesc:
		return nil, r.fail(start, "a dynamic proxy cannot be read")
	}
	return nil, r.fail(start, "unknown tag %#02x where a class descriptor belongs", tag)
}

// newDesc reads a class descriptor behind its tag.
func (r *reader) newDesc(start int) (*serial.Desc, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer func() { r.Depth-- }()
	s := &java.Serial{}
	var err error
	if s.Class, err = r.utf(); err != nil {
		return nil, err
	}
	head, err := r.take(8)
	if err != nil {
		return nil, err
	}
	s.UID = int64(binary.BigEndian.Uint64(head))
	// Open until its end: nothing inside may refer to it, so chains have no loops.
	h := r.push(handle{})
	if head, err = r.take(3); err != nil {
		return nil, err
	}
	s.Flags = head[0]
	if err = r.fields(s, int(binary.BigEndian.Uint16(head[1:]))); err != nil {
		return nil, err
	}
	if err = r.annotation(); err != nil {
		return nil, err
	}
	super, err := r.desc()
	if err != nil {
		return nil, err
	}
	d, err := serial.NewDesc(s, super)
	if err != nil {
		e := r.fail(start, "its descriptor is wrong: %v", err)
		e.Class = s.Class
		return nil, e
	}
	r.handles[h] = handle{kind: descHandle, value: d}
	return d, nil
}

// fields reads the fields of a descriptor.
func (r *reader) fields(s *java.Serial, n int) error {
	if err := r.charge(n); err != nil {
		return err
	}
	for range n {
		code, err := r.byte()
		if err != nil {
			return err
		}
		f := java.SerialField{}
		if f.Name, err = r.utf(); err != nil {
			return err
		}
		switch code {
		case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
			f.Signature = primitive(code)
		case 'L', '[':
			start := r.At
			if f.Signature, err = r.signature(); err != nil {
				return err
			}
			if len(f.Signature) < 2 || f.Signature[0] != code {
				return r.fail(start, "field %s of %s has a wrong signature", java.Key(f.Name), s.Class)
			}
		default:
			return r.fail(r.At, "field %s of %s has the unknown type %#02x", java.Key(f.Name), s.Class, code)
		}
		s.Fields = append(s.Fields, f)
	}
	return nil
}

// primitive returns the signature of a type code without allocating one.
func primitive(code byte) string {
	const codes = "BCDFIJSZ"
	for i := range len(codes) {
		if codes[i] == code {
			return codes[i : i+1]
		}
	}
	return ""
}

// signature reads a string object.
func (r *reader) signature() (string, error) {
	start := r.At
	tag, err := r.byte()
	if err != nil {
		return "", err
	}
	switch tag {
	case tcString, tcLongString:
		return r.text(tag)
	case tcReference:
		h, err := r.handle()
		if err != nil {
			return "", err
		}
		if h.kind == stringHandle {
			return h.text, nil
		}
	}
	return "", r.fail(start, "a string belongs here")
}

// annotation reads what a class loader may have added to a descriptor, and drops
// it: ObjectOutputStream itself adds nothing.
func (r *reader) annotation() error {
	for {
		if r.At < len(r.In) && r.In[r.At] == tcEndBlockData {
			r.At++
			return nil
		}
		r.annotated++
		if _, _, err := r.item(); err != nil {
			return err
		}
	}
}
