package protobuf

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// shape is what is looked up of a message type for each field of a payload. Those of
// recursive types point to each other. It is immutable once made.
type shape struct {
	name   protoreflect.FullName
	fields map[protowire.Number]*member
	desc   protoreflect.MessageDescriptor
}

type member struct {
	name  string
	kind  protoreflect.Kind
	inner *shape // of messages and groups
	entry bool   // an entry of a map without messages, which the library writes in order
}

// shapeOf returns the shape of a message type.
func shapeOf(d protoreflect.MessageDescriptor) *shape {
	return shapeWithin(d, map[protoreflect.FullName]*shape{})
}

func shapeWithin(d protoreflect.MessageDescriptor, made map[protoreflect.FullName]*shape) *shape {
	if s := made[d.FullName()]; s != nil {
		return s
	}
	s := &shape{name: d.FullName(), desc: d, fields: map[protowire.Number]*member{}}
	made[s.name] = s
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		m := &member{name: string(f.Name()), kind: f.Kind()}
		if f.Message() != nil {
			m.inner = shapeWithin(f.Message(), made)
			m.entry = f.IsMap() && f.MapValue().Message() == nil
		}
		s.fields[f.Number()] = m
	}
	return s
}

// field returns the field of a number, or the extension that the program knows, as
// the library looks it up; nil if there is none.
func (s *shape) field(number protowire.Number) *member {
	if s == nil {
		return nil
	}
	if m := s.fields[number]; m != nil || !s.desc.ExtensionRanges().Has(number) {
		return m
	}
	x, err := protoregistry.GlobalTypes.FindExtensionByNumber(s.name, number)
	if err != nil {
		return nil
	}
	f := x.TypeDescriptor()
	m := &member{name: string(f.FullName()), kind: f.Kind()}
	if f.Message() != nil {
		m.inner = shapeOf(f.Message())
	}
	return m
}
