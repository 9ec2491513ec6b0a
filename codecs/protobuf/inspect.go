package protobuf

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

// inspector goes over a payload before it is unmarshaled: few bytes may stand for
// many values, which the library would allocate.
type inspector struct {
	limits codecs.Limits
	all    []byte
	left   int // fields and elements that may still come
}

func (c *codec) inspect(payload []byte, s *shape) error {
	i := inspector{limits: c.limits.Of(len(payload)), all: payload}
	i.left = i.limits.Elements
	if len(payload) > c.limits.Bytes {
		return i.fail(-1, "payload of %d bytes, the limit is %d (Limits.Bytes)", len(payload), c.limits.Bytes)
	}
	err := i.message(payload, 0, s, c.limits.Depth)
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		e.Class = string(s.name)
	}
	return err
}

func (i *inspector) fail(at int, format string, args ...any) error {
	return &codecs.DecodeError{Codec: Name, Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// wire returns the error for bytes that are no field.
func (i *inspector) wire(at, n int) error {
	return &codecs.DecodeError{Codec: Name, Offset: at, Reason: "no field of protobuf: it is truncated, or not protobuf", Err: protowire.ParseError(n)}
}

// message goes over the fields in b, which stands at offset at; s is nil for what
// the type does not describe.
func (i *inspector) message(b []byte, at int, s *shape, depth int) error {
	_, err := i.fields(b, at, 0, s, depth)
	return err
}

// fields goes over the fields in b up to the end of a group, or of b where group is 0, and
// returns their length.
func (i *inspector) fields(b []byte, at int, group protowire.Number, s *shape, depth int) (size int, err error) {
	if depth == 0 {
		return 0, i.fail(at, "nested deeper than %d (Limits.Depth)", i.limits.Depth)
	}
	for size < len(b) || group != 0 {
		number, typ, n := protowire.ConsumeTag(b[size:])
		if n < 0 {
			return 0, i.wire(at+size, n)
		}
		if err := i.count(at+size, 1); err != nil {
			return 0, err
		}
		if typ == protowire.EndGroupType && group != 0 {
			if number != group {
				return 0, i.fail(at+size, "group %d ends as group %d", group, number)
			}
			return size + n, nil
		}
		size += n
		field := s.field(number)
		n, err := i.value(b[size:], at+size, number, typ, field, depth)
		if err != nil {
			return 0, under(number, field, err)
		}
		size += n
	}
	return size, nil
}

// under puts the name of a field before the path of an error.
func under(number protowire.Number, field *member, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		name := fmt.Sprintf("[field %d]", number)
		if field != nil {
			name = field.name
		}
		e.Path = errpath.Join(name, e.Path)
	}
	return err
}

// count takes n values off the budget.
func (i *inspector) count(at, n int) error {
	if n > i.left {
		return &codecs.DecodeError{
			Codec: Name, Offset: at, Limit: "Elements", Reason: fmt.Sprintf("more than %d values (Limits.Elements)", i.limits.Elements),
		}
	}
	i.left -= n
	return nil
}

// value goes over the value at the head of b and returns its length.
func (i *inspector) value(b []byte, at int, number protowire.Number, typ protowire.Type, field *member, depth int) (int, error) {
	if typ == protowire.StartGroupType {
		var s *shape
		if field != nil && field.kind == protoreflect.GroupKind {
			s = field.inner
		}
		return i.fields(b, at, number, s, depth-1)
	}
	if typ == protowire.BytesType {
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return 0, i.wire(at, n)
		}
		return n, i.sized(v, at+n-len(v), field, depth)
	}
	n := protowire.ConsumeFieldValue(number, typ, b)
	if n < 0 {
		return 0, i.wire(at, n)
	}
	return n, nil
}

// sized goes over what stands behind a length: a message, packed numbers, or text.
func (i *inspector) sized(b []byte, at int, field *member, depth int) error {
	if field == nil {
		return nil
	}
	switch field.kind {
	case protoreflect.MessageKind:
		return i.message(b, at, field.inner, depth-1)
	case protoreflect.GroupKind:
		return nil
	case protoreflect.StringKind, protoreflect.BytesKind:
		if len(b) > i.limits.StringBytes {
			return i.fail(at, "%s of %d bytes, the limit is %d (Limits.StringBytes)", field.kind, len(b), i.limits.StringBytes)
		}
		return nil
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return i.count(at, len(b)/4)
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return i.count(at, len(b)/8)
	}
	n := 0
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return i.count(at, n)
}
