package protobuf

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// OrderDescriptor is that of testdata/order.proto.
var OrderDescriptor = func() protoreflect.MessageDescriptor {
	text, err := os.ReadFile("testdata/order.descriptor.hex")
	if err != nil {
		panic(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		panic(err)
	}
	file := new(descriptorpb.FileDescriptorProto)
	if err := proto.Unmarshal(raw, file); err != nil {
		panic(err)
	}
	d, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	return d.Messages().ByName("Order")
}()

var orderShape = shapeOf(OrderDescriptor)

// TestOrder: fields move to where Java has them, and nothing else does.
func TestOrder(t *testing.T) {
	for name, c := range map[string][2]string{
		"sorted":                     {"0801100218031a00", "0801100218031a00"},
		"last first":                 {"10020801", "08011002"},
		"one at the end":             {"0801180310021002", "0801100210021803"},
		"tags of two bytes":          {"8002010801", "0801800201"},
		"unknown behind known":       {"f83f01e83f020801", "0801e83f02f83f01"},
		"unknown group":              {"e33f0801e43f0801", "0801e33f0801e43f"},
		"equal numbers stay":         {"1002080208011001", "0802080110021001"},
		"length of two bytes":        {"1a8001" + hex.EncodeToString(make([]byte, 128)) + "0801", "08011a8001" + hex.EncodeToString(make([]byte, 128))},
		"truncated stays":            {"10020801ff", "10020801ff"},
		"length beyond the end":      {"100208011a05", "100208011a05"},
		"field without a number":     {"1002080100", "1002080100"},
		"fixed beyond the end":       {"100208010d000000", "100208010d000000"},
		"group without an end":       {"100208011b0801", "100208011b0801"},
		"nothing":                    {"", ""},
		"a varint that has no bytes": {"10", "10"},
	} {
		t.Run(name, func(t *testing.T) {
			b := codectest.Must(hex.DecodeString(c[0]))(t)
			if order(b, orderShape); hex.EncodeToString(b) != c[1] {
				t.Errorf("%s became %x, want %s", c[0], b, c[1])
			}
		})
	}
}

// FuzzOrder: a message stays the same message, and is in order then.
func FuzzOrder(f *testing.F) {
	for _, seed := range []string{"", "10020801", "f83f01e83f020801", "1a02100208011b10020801", "52020801f83f015a02080152021801"} {
		b, _ := hex.DecodeString(seed)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		order(bytes.Clone(payload), orderShape) // whatever it is
		want, got := dynamicpb.NewMessage(OrderDescriptor), dynamicpb.NewMessage(OrderDescriptor)
		if read(proto.UnmarshalOptions{}, payload, want) != nil {
			return
		}
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
		if err != nil {
			return
		}
		order(b, orderShape)
		again := bytes.Clone(b)
		if order(again, orderShape); !bytes.Equal(again, b) {
			t.Errorf("%x became %x, then %x", payload, b, again)
		}
		if err = read(proto.UnmarshalOptions{}, b, got); err != nil || proto.Size(got) != proto.Size(want) {
			t.Errorf("%x became %x, another message: %v", payload, b, err)
		}
	})
}
