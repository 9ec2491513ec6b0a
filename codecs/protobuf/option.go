package protobuf

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Option changes how the codec works. Options are checked when a codec is made;
// Bind, Decode and Encode report their mistakes.
type Option interface{ option.Option[settings] }

// settings are what options set.
type settings struct {
	limits   codecs.Limits
	fallback codecs.Codec
	message  protoreflect.MessageType // what Message declares; may be nil
	simple   bool                     // Simple was given
}

// Limits sets the limits of decoding messages; zero fields keep their defaults.
// Elements counts the fields of a payload, the elements of packed ones each; Depth
// counts messages within each other; StringBytes holds for strings and bytes.
// Encoding keeps Bytes. The fallback has limits of its own, see [Fallback].
// A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("protobuf.Limits", l, func(s *settings, l codecs.Limits) { s.limits = l.WithDefaults() })
}

// Message declares the type of payloads that are decoded without a Go type, or into
// an interface: that of m, which may be nil of a generated type (*pb.Order)(nil).
func Message(m proto.Message) Option {
	if m == nil {
		return message(nil)
	}
	return message(m.ProtoReflect().Type())
}

// Descriptor is [Message] for a type that is not generated: payloads become messages
// of package dynamicpb.
func Descriptor(d protoreflect.MessageDescriptor) Option {
	if d == nil {
		return message(nil)
	}
	return message(dynamicpb.NewMessageType(d))
}

func message(t protoreflect.MessageType) Option {
	if t == nil {
		return option.New("protobuf.Message(nil)", func(*settings) error { return errors.New("no message given") })
	}
	name := t.Descriptor().FullName()
	return option.New(fmt.Sprintf("protobuf.Message(%s)", name), func(s *settings) error {
		if s.message != nil && s.message.Descriptor().FullName() != name {
			return fmt.Errorf("%s is declared already", s.message.Descriptor().FullName())
		}
		s.message = t
		return nil
	})
}

// Simple declares that payloads are simple values, for Decode without a Go type: the
// Java codec was made for a class such as java.lang.Long. It also says that no payload
// is empty, which those of messages may be; set it where a simple type is bound.
func Simple() Option {
	return option.Set("protobuf.Simple()", func(s *settings) { s.simple = true })
}

// Fallback sets the codec of simple values, the one that Java's constructor calls
// blacklistCodec. The default is that of Java, JsonJackson.
func Fallback(inner codecs.Codec) Option {
	if inner == nil {
		return option.New("protobuf.Fallback(nil)", func(*settings) error { return errors.New("no codec given") })
	}
	return option.New(fmt.Sprintf("protobuf.Fallback(%s)", inner.Name()), func(s *settings) error {
		if inner.Name() == Name {
			return errors.New("it cannot be a protobuf codec, which Java refuses too")
		}
		s.fallback = inner
		return nil
	})
}
