package protobuf

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/duequeue/duequeue/codecs"
)

// Option changes how the codec works. Options are checked when a codec is made;
// Bind, Decode and Encode report their mistakes.
type Option interface {
	apply(c *codec) error
	String() string
}

// Limits sets the limits of decoding messages; zero fields keep their defaults.
// Elements counts the fields of a payload, the elements of packed ones each; Depth
// counts messages within each other; StringBytes holds for strings and bytes.
// Encoding keeps Bytes. The fallback has limits of its own, see [Fallback].
func Limits(l codecs.Limits) Option { return limitsOption(l) }

type limitsOption codecs.Limits

func (o limitsOption) String() string { return fmt.Sprintf("protobuf.Limits(%+v)", codecs.Limits(o)) }

func (o limitsOption) apply(c *codec) error {
	c.limits = codecs.Limits(o).WithDefaults()
	return codecs.Limits(o).Check()
}

// Message declares the type of payloads that are decoded without a Go type, or into
// an interface: that of m, which may be nil of a generated type (*pb.Order)(nil).
func Message(m proto.Message) Option {
	if m == nil {
		return messageOption{}
	}
	return messageOption{m.ProtoReflect().Type()}
}

// Descriptor is [Message] for a type that is not generated: payloads become messages
// of package dynamicpb.
func Descriptor(d protoreflect.MessageDescriptor) Option {
	if d == nil {
		return messageOption{}
	}
	return messageOption{dynamicpb.NewMessageType(d)}
}

type messageOption struct{ typ protoreflect.MessageType }

func (o messageOption) String() string {
	if o.typ == nil {
		return "protobuf.Message(nil)"
	}
	return fmt.Sprintf("protobuf.Message(%s)", o.typ.Descriptor().FullName())
}

func (o messageOption) apply(c *codec) error {
	switch {
	case o.typ == nil:
		return errors.New("no message given")
	case c.message != nil && c.message.Descriptor().FullName() != o.typ.Descriptor().FullName():
		return fmt.Errorf("%s is declared already", c.message.Descriptor().FullName())
	}
	c.message = o.typ
	return nil
}

// Simple declares that payloads are simple values, for Decode without a Go type: the
// Java codec was made for a class such as java.lang.Long. It also says that no payload
// is empty, which those of messages may be; set it where a simple type is bound.
func Simple() Option { return simpleOption{} }

type simpleOption struct{}

func (simpleOption) String() string { return "protobuf.Simple()" }

func (simpleOption) apply(c *codec) error {
	c.simple = true
	return nil
}

// Fallback sets the codec of simple values, the one that Java's constructor calls
// blacklistCodec. The default is that of Java, JsonJackson.
func Fallback(inner codecs.Codec) Option { return fallbackOption{inner} }

type fallbackOption struct{ inner codecs.Codec }

func (o fallbackOption) String() string {
	if o.inner == nil {
		return "protobuf.Fallback(nil)"
	}
	return fmt.Sprintf("protobuf.Fallback(%s)", o.inner.Name())
}

func (o fallbackOption) apply(c *codec) error {
	if o.inner == nil {
		return errors.New("no codec given")
	}
	if o.inner.Name() == Name {
		return errors.New("it cannot be a protobuf codec, which Java refuses too")
	}
	c.fallback = o.inner
	return nil
}
