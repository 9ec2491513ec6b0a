package protobuf

import (
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// Name is the canonical name of this codec.
const Name = "protobuf"

// codec carries messages, and simple values by the fallback.
type codec struct {
	settings
	shape *shape // of the message that is declared
	err   error  // mistakes in the options, which every use reports
}

var _ codecs.Codec = (*codec)(nil)

// New returns the codec of Redisson's ProtobufCodec, canonical name "protobuf". The
// type that [codecs.For] binds decides between messages and simple values, as the
// class given to the constructor does in Java: see the package comment.
func New(opts ...Option) codecs.Codec {
	c := &codec{settings: settings{limits: codecs.Limits{}.WithDefaults(), fallback: jackson.JsonJackson()}}
	c.err = option.Configure(&c.settings, opts)
	if c.simple && c.message != nil {
		c.err = errors.Join(c.err, errors.New("a payload is a message or a simple value: one of the options Message and Simple"))
	}
	if c.message != nil {
		c.shape = shapeOf(c.message.Descriptor())
	}
	return c
}

// Name returns "protobuf".
func (c *codec) Name() string { return Name }

// WritesEmpty returns true: a message whose fields are all unset has no bytes.
func (c *codec) WritesEmpty() bool { return !c.simple }

// Limits returns the limits in force.
func (c *codec) Limits() codecs.Limits { return c.limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *codec) WithLimits(l codecs.Limits) codecs.Codec {
	out := *c
	out.limits = l.WithDefaults()
	return &out
}

// Decode reads one payload as a message of the type that [Message] declares, or as a
// value of the fallback where [Simple] is set. Without either it returns an error:
// payloads of protobuf do not say what they are.
func (c *codec) Decode(payload []byte) (any, error) {
	switch {
	case c.err != nil:
		return nil, &codecs.DecodeError{Codec: Name, Offset: -1, Reason: option.Wrong, Err: c.err}
	case c.simple:
		return c.fallback.Decode(payload)
	case c.message == nil:
		return nil, &codecs.DecodeError{
			Codec: Name, Offset: -1,
			Reason: "payloads of protobuf do not say what they are: declare the type with protobuf.Message, or protobuf.Simple, or bind a Go type",
		}
	}
	m := c.message.New().Interface()
	if err := c.unmarshal(payload, m, c.shape); err != nil {
		return nil, err
	}
	return m, nil
}

// Encode writes a message, deterministically, and simple values as the fallback
// does.
func (c *codec) Encode(value any) ([]byte, error) {
	if c.err != nil {
		return nil, c.encodeError(value, option.Wrong, c.err)
	}
	if m, ok := value.(proto.Message); ok {
		if c.message != nil && m.ProtoReflect().Descriptor().FullName() != c.message.Descriptor().FullName() {
			return nil, c.encodeError(value, fmt.Sprintf("the option Message declares %s", c.message.Descriptor().FullName()), nil)
		}
		s := c.shape
		if s == nil && m.ProtoReflect().IsValid() {
			s = shapeOf(m.ProtoReflect().Descriptor())
		}
		return c.append(nil, m, s)
	}
	if c.message != nil {
		return nil, c.encodeError(value, fmt.Sprintf("the option Message declares %s", c.message.Descriptor().FullName()), nil)
	}
	if reason := refuse(reflect.TypeOf(value), codecs.BindOptions{}); reason != "" {
		return nil, c.encodeError(value, reason, nil)
	}
	if reason := refuseValue(value); reason != "" {
		return nil, c.encodeError(value, reason, nil)
	}
	return c.fallback.Encode(value)
}

func (c *codec) encodeError(value any, reason string, err error) error {
	return &codecs.EncodeError{Codec: Name, Type: reflect.TypeOf(value), Reason: reason, Err: err}
}

// append marshals m behind dst.
func (c *codec) append(dst []byte, m proto.Message, s *shape) ([]byte, error) {
	if m == nil || !m.ProtoReflect().IsValid() {
		return dst, c.encodeError(m, "a nil message: Java's codec fails on null", nil)
	}
	out, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
	if err != nil {
		return dst, c.encodeError(m, "", err)
	}
	order(out[len(dst):], s)
	if n := len(out) - len(dst); n > c.limits.Bytes {
		return dst, c.encodeError(m, fmt.Sprintf("payload of %d bytes, the limit is %d (Limits.Bytes)", n, c.limits.Bytes), nil)
	}
	return out, nil
}

// unmarshal reads payload into m, which is empty.
func (c *codec) unmarshal(payload []byte, m proto.Message, s *shape) error {
	if err := c.inspect(payload, s); err != nil {
		return err
	}
	if err := read(proto.UnmarshalOptions{RecursionLimit: c.limits.Depth + 1}, payload, m); err != nil {
		return &codecs.DecodeError{Codec: Name, Class: string(s.name), Offset: -1, Err: err}
	}
	return nil
}

// read unmarshals payload into m. Where the library panics it returns an error: it does
// so at an entry of a map whose key comes twice, the second time with another wire type
// (google.golang.org/protobuf 1.36.12, messages that only a descriptor describes).
func read(options proto.UnmarshalOptions, payload []byte, m proto.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the payload is damaged: the protobuf library panicked: %v", p)
		}
	}()
	return options.Unmarshal(payload, m)
}

var messageType = reflect.TypeFor[proto.Message]()

// Bind binds a type of messages, which is a pointer (*pb.Order), or a type of simple
// values. Everything else is refused: see the package comment.
func (c *codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	fail := func(reason string) (codecs.Binding, error) {
		return nil, &codecs.BindError{Codec: Name, Type: t, Reason: reason}
	}
	switch {
	case c.err != nil:
		return nil, &codecs.BindError{Codec: Name, Type: t, Reason: option.Wrong, Err: c.err}
	case t == nil:
		return fail("no type given")
	case t.Implements(messageType):
		message, reason := c.messageOf(t)
		if reason != "" {
			return fail(reason)
		}
		return &binding{c, t, message, shapeOf(message.Descriptor())}, nil
	case t == reflect.TypeFor[any]() && c.message != nil:
		return &binding{c, t, c.message, c.shape}, nil
	case c.message != nil:
		return fail(fmt.Sprintf("it is no message, and the option Message declares %s", c.message.Descriptor().FullName()))
	}
	if reason := refuse(t, opts); reason != "" {
		return fail(reason)
	}
	b, err := c.fallback.Bind(t, opts)
	if err != nil || t != reflect.TypeFor[any]() {
		return b, err
	}
	return &simpleBinding{b, c, opts}, nil
}

// simpleBinding carries simple values of any type: what Java would not leave to its
// fallback is found by value.
type simpleBinding struct {
	codecs.Binding
	codec *codec
	opts  codecs.BindOptions
}

func (b *simpleBinding) Append(dst []byte, value any) ([]byte, error) {
	var reason string
	if _, message := value.(proto.Message); message {
		reason = "a message, where simple values are bound: bind its type, or declare it by the option Message"
	} else if reason = refuse(reflect.TypeOf(value), b.opts); reason == "" {
		reason = refuseValue(value)
	}
	if reason != "" {
		return dst, b.codec.encodeError(value, reason, nil)
	}
	return b.Binding.Append(dst, value)
}

// messageOf returns the message that Go type t is, or why none is known.
func (c *codec) messageOf(t reflect.Type) (message protoreflect.MessageType, reason string) {
	switch {
	case c.simple:
		return nil, "it is a message, and the option Simple is set"
	case t.Kind() == reflect.Interface, t == reflect.TypeFor[*dynamicpb.Message]():
		if c.message == nil {
			return nil, "it does not say which message it is: declare that by the options Message or Descriptor"
		}
		if !reflect.TypeOf(c.message.Zero().Interface()).AssignableTo(t) {
			return nil, "the option Message declares a generated type: bind that, or declare its Descriptor"
		}
		return c.message, ""
	case t.Kind() != reflect.Pointer:
		return nil, "a message is carried by its pointer"
	}
	message = reflect.Zero(t).Interface().(proto.Message).ProtoReflect().Type()
	if name := message.Descriptor().FullName(); c.message != nil && name != c.message.Descriptor().FullName() {
		return nil, fmt.Sprintf("it is the message %s, the option Message declares %s", name, c.message.Descriptor().FullName())
	}
	return message, ""
}

// binding carries messages of one type.
type binding struct {
	codec   *codec
	typ     reflect.Type // a pointer to a message, or an interface
	message protoreflect.MessageType
	shape   *shape
}

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	m, ok := value.(proto.Message)
	if !ok || !reflect.TypeOf(value).AssignableTo(b.typ) {
		return dst, b.codec.encodeError(value, fmt.Sprintf("the bound type is %s", b.typ), nil)
	}
	if want := b.message.Descriptor(); m.ProtoReflect().IsValid() {
		// Most are the very same; others may describe the same message.
		if d := m.ProtoReflect().Descriptor(); d != want && d.FullName() != want.FullName() {
			return dst, b.codec.encodeError(value, fmt.Sprintf("the declared message is %s", want.FullName()), nil)
		}
	}
	return b.codec.append(dst, m, b.shape)
}

func (b *binding) Decode(payload []byte, target any) error {
	dst := reflect.ValueOf(target)
	if dst.Kind() != reflect.Pointer || dst.IsNil() || dst.Type().Elem() != b.typ {
		return &codecs.DecodeError{Codec: Name, Offset: -1, Reason: fmt.Sprintf("the target is %T, not a pointer to the bound type %s", target, b.typ)}
	}
	m := b.message.New().Interface()
	if err := b.codec.unmarshal(payload, m, b.shape); err != nil {
		return err
	}
	dst.Elem().Set(reflect.ValueOf(m))
	return nil
}
