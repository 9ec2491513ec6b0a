package protobuf_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/protobuf"
)

// Bean has a Java class of its own.
type Bean struct{ ID int64 }

func (Bean) JavaClass() string { return "demo.Bean" }

// State is a Java enum.
type State string

func (State) JavaClass() string { return "demo.State" }

// TestBind: what is neither a message nor simple is refused, with the reason.
func TestBind(t *testing.T) {
	plain := protobuf.New()
	text := protobuf.New(protobuf.Message((*wrapperspb.StringValue)(nil)))
	dynamic := protobuf.New(protobuf.Descriptor(protobuf.OrderDescriptor))
	number := protobuf.New(protobuf.Descriptor((*wrapperspb.Int64Value)(nil).ProtoReflect().Descriptor()))
	for name, tc := range map[string]struct {
		codec codecs.Codec
		typ   reflect.Type
		want  string // empty: it binds
	}{
		"message":                       {plain, reflect.TypeFor[*wrapperspb.Int64Value](), ""},
		"message by value":              {plain, reflect.TypeFor[wrapperspb.StringValue](), "by its pointer: bind *StringValue"},
		"interface":                     {plain, reflect.TypeFor[proto.Message](), "does not say which message"},
		"interface, declared":           {text, reflect.TypeFor[proto.Message](), ""},
		"any, declared":                 {text, reflect.TypeFor[any](), ""},
		"another message than declared": {text, reflect.TypeFor[*wrapperspb.Int64Value](), "the option Message declares google.protobuf.StringValue"},
		"simple where one is declared":  {text, reflect.TypeFor[string](), "it is no message"},
		"dynamic":                       {dynamic, reflect.TypeFor[*dynamicpb.Message](), ""},
		"generated of a descriptor":     {number, reflect.TypeFor[*wrapperspb.Int64Value](), ""},
		"dynamic, not declared":         {plain, reflect.TypeFor[*dynamicpb.Message](), "does not say which message"},
		"dynamic of a generated type":   {text, reflect.TypeFor[*dynamicpb.Message](), "declares a generated type"},
		"message where Simple is set":   {protobuf.New(protobuf.Simple()), reflect.TypeFor[*wrapperspb.Int64Value](), "option Simple"},
		"string":                        {plain, reflect.TypeFor[string](), ""},
		"pointer to a long":             {plain, reflect.TypeFor[*int64](), ""},
		"UUID":                          {plain, reflect.TypeFor[java.UUID](), ""},
		"any":                           {plain, reflect.TypeFor[any](), ""},
		"list":                          {plain, reflect.TypeFor[[]string](), ""},
		"bean":                          {plain, reflect.TypeFor[Bean](), "demo.Bean is neither a protobuf message"},
		"pointer to a bean":             {plain, reflect.TypeFor[*Bean](), "protostuff"},
		"enum":                          {plain, reflect.TypeFor[State](), "protostuff"},
		"struct":                        {plain, reflect.TypeFor[struct{ A int }](), "protostuff"},
		"bytes":                         {plain, reflect.TypeFor[[]byte](), "fails on arrays"},
		"Duration":                      {plain, reflect.TypeFor[time.Duration](), "protostuff"},
		"Instant":                       {plain, reflect.TypeFor[java.Instant](), "protostuff"},
		"channel":                       {plain, reflect.TypeFor[chan int](), "protostuff"},
		"no type":                       {plain, nil, "no type given"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tc.codec.Bind(tc.typ, codecs.BindOptions{})
			var bind *codecs.BindError
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case tc.want != "" && (!errors.As(err, &bind) || bind.Codec != "protobuf" || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			}
		})
	}
}

// TestOptions: all mistakes come together, from every use.
func TestOptions(t *testing.T) {
	bad := protobuf.New(nil, protobuf.Message(nil), protobuf.Descriptor(nil), protobuf.Fallback(nil), protobuf.Fallback(protobuf.New()),
		protobuf.Limits(codecs.Limits{Depth: -1}), protobuf.Simple(), protobuf.Descriptor(protobuf.OrderDescriptor), protobuf.Message((*wrapperspb.BoolValue)(nil)))
	_, bindErr := bad.Bind(reflect.TypeFor[*wrapperspb.Int64Value](), codecs.BindOptions{})
	_, decodeErr := bad.Decode(nil)
	_, encodeErr := bad.Encode("x")
	for _, err := range []error{bindErr, decodeErr, encodeErr} {
		for _, want := range []string{
			"option 1 is nil", "no message given", "no codec given", "which Java refuses too", "Depth must be between",
			"duequeue.test.Order is declared already", "one of the options Message and Simple",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// TestUndeclared: payloads do not say what they are, and null is no message.
func TestUndeclared(t *testing.T) {
	var decode *codecs.DecodeError
	if _, err := protobuf.New().Decode([]byte{10, 1, 'a'}); !errors.As(err, &decode) || !strings.Contains(err.Error(), "protobuf.Message") {
		t.Errorf("Decode: %v", err)
	}
	orders := codectest.Typed[*wrapperspb.Int64Value](t, protobuf.New())
	var encode *codecs.EncodeError
	if _, err := orders.Encode(nil); !errors.As(err, &encode) || !strings.Contains(err.Error(), "nil message") {
		t.Errorf("nil: %v", err)
	}
	if _, err := protobuf.New().Encode(&java.List{Class: "java.util.LinkedList"}); !errors.As(err, &encode) || !strings.Contains(err.Error(), "LinkedList") {
		t.Errorf("LinkedList: %v", err)
	}
	for _, array := range []any{[]int32{1}, []int64{1}, []bool{true}, []float64{1}, []java.Char{'a'}, []byte{1}, &java.List{Class: "[Ljava.lang.String;"}} {
		if p, err := protobuf.New().Encode(array); !errors.As(err, &encode) || !strings.Contains(err.Error(), "fails on arrays") {
			t.Errorf("%T: %s, %v", array, p, err)
		}
	}
	if p, err := protobuf.New().Encode([]string{"a"}); err != nil || string(p) != `["java.util.ArrayList",["a"]]` {
		t.Errorf("a slice that is a list: %s, %v", p, err)
	}
	if p, err := orders.Encode(&wrapperspb.Int64Value{}); err != nil || len(p) != 0 || !protobuf.New().WritesEmpty() {
		t.Errorf("empty: %x, %v", p, err)
	}
}

// TestAnything: bound to any without a declared message, payloads are simple values,
// and nothing else is written as such.
func TestAnything(t *testing.T) {
	t.Parallel()
	anything := codectest.Typed[any](t, protobuf.New())
	for want, value := range map[string]any{
		"a message, where simple": &wrapperspb.Int64Value{}, "java.util.LinkedList": &java.List{Class: "java.util.LinkedList"},
		"fails on arrays": []byte{1}, "protostuff": struct{ A int }{1},
	} {
		var encode *codecs.EncodeError
		if p, err := anything.Encode(value); !errors.As(err, &encode) || encode.Codec != "protobuf" || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %s, %v", value, p, err)
		}
	}
	p, err := anything.Encode(int64(5))
	if err != nil || string(p) != `["java.lang.Long",5]` {
		t.Errorf("%s, %v", p, err)
	}
	if v, err := anything.Decode(p); err != nil || v != int64(5) {
		t.Errorf("%v, %v", v, err)
	}
}

// TestUnknown: fields that the type does not know are kept, behind the others.
func TestUnknown(t *testing.T) {
	text := protobuf.New(protobuf.Message((*wrapperspb.StringValue)(nil)))
	for payload, want := range map[string]string{
		"\x0a\x01a\x10\x05\x1a\x01x":       "\x0a\x01a\x10\x05\x1a\x01x",
		"\x1a\x01x\x10\x05\x0a\x01a":       "\x0a\x01a\x10\x05\x1a\x01x",
		"\x0a\x01a\x0a\x01b":               "\x0a\x01b",
		"\x13\x08\x01\x14\x0a\x01a":        "\x0a\x01a\x13\x08\x01\x14",
		"\xf8\xff\xff\xff\x0f\x01\x10\x02": "\x10\x02\xf8\xff\xff\xff\x0f\x01",
	} {
		m, err := text.Decode([]byte(payload))
		if err != nil {
			t.Errorf("%x: %v", payload, err)
			continue
		}
		if again, err := text.Encode(m); err != nil || string(again) != want {
			t.Errorf("%x became %x, %v, want %x", payload, again, err, want)
		}
	}
}
