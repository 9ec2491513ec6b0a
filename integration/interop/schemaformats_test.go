package interop_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/sourcecontextpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/codecs/protobuf"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// schemaFormats are the codecs whose bytes mean nothing without a schema.
func schemaFormats(t testing.TB, version string) []format {
	t.Helper()
	if !slices.Contains(jacksonReleases, version) {
		return nil
	}
	schema := readSchema(t)
	reading := []jvm.Text{"@doc.reading"}
	out := []format{{
		java: "avrojackson(@," + hex.EncodeToString([]byte(schema)) + ")", codec: avro.Jackson(schema), carries: documents, only: reading,
	}}
	if atLeast(version, "4.2.0") {
		// Jackson 3 writes a Date as text.
		schema = strings.Replace(schema, `"at", "type": "long"`, `"at", "type": "string"`, 1)
		out = append(out, format{
			java: "avrojackson3(@," + hex.EncodeToString([]byte(schema)) + ")", codec: avro.Jackson3(schema), carries: documents, only: reading,
			// Redisson copies a codec for its queues, and this one's copy has no schema.
			deaf: "tools.jackson.core.exc.StreamReadException",
		})
	}
	if atLeast(version, "3.23.4") {
		f := format{java: "protobuf(@)", codec: protobuf.New(), carries: messages}
		for _, w := range messageTwins() {
			f.only = append(f.only, w.sample())
		}
		out = append(out, f)
	}
	return out
}

func readSchema(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "avro", "reading.avsc"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// messageTwins are the messages of ProtobufMessages.java.
func messageTwins() []twin {
	return []twin{
		message("proto.text", wrapperspb.String("其他 \U0001F600")),
		message("proto.empty", wrapperspb.String("")),
		message("proto.number", wrapperspb.Int64(-1<<40)),
		message("proto.time", &timestamppb.Timestamp{Seconds: 1_700_000_000, Nanos: 123_000_000}),
		message("proto.struct", &structpb.Struct{Fields: map[string]*structpb.Value{
			"items": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{
				structpb.NewStringValue("a"), structpb.NewBoolValue(true), structpb.NewNullValue(),
			}}),
			"price": structpb.NewNumberValue(12.5),
		}}),
		message("proto.type", &typepb.Type{
			Name: "Order",
			Fields: []*typepb.Field{
				{
					Name: "first", Number: 1, Kind: typepb.Field_TYPE_INT64, Cardinality: typepb.Field_CARDINALITY_REPEATED,
					Packed: true, TypeUrl: "其他",
				},
				{Name: "second", Number: -2, OneofIndex: 3},
			},
			Oneofs: []string{"a", "b"}, SourceContext: &sourcecontextpb.SourceContext{FileName: "EnumValue"}, Syntax: typepb.Syntax_SYNTAX_PROTO3,
		}),
	}
}

func message[M proto.Message](name string, m M) twin {
	return twinOf[M]{
		name: name, need: messages, value: func() M { return m }, alike: func(a, b M) bool { return proto.Equal(a, b) },
	}
}
