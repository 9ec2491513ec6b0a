package protobuf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/protobuf"
)

// hostile are the limits under which hostile payloads are tried.
var hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}

// nested returns a message within itself, n levels deep.
func nested(field protowire.Number, n int) []byte {
	// Lengths are built from the inside; each level is put before the last one.
	out := make([]byte, 0, 6*n)
	for range n {
		head := protowire.AppendTag(nil, field, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(len(out)))
		for i := len(head) - 1; i >= 0; i-- {
			out = append(out, head[i])
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// TestHostile: what is malformed, or more than the limits, is a typed error.
func TestHostile(t *testing.T) {
	codec := protobuf.New(protobuf.Descriptor(protobuf.OrderDescriptor), protobuf.Limits(codecs.Limits{
		Elements: 100, Depth: 10, StringBytes: 20, Bytes: 1 << 20,
	}))
	for name, tc := range map[string]struct{ payload, want, path string }{
		"a length of 4 GiB":            {"\x0a\xff\xff\xff\xff\x0f", "truncated", "id"},
		"a length of 2^63":             {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "truncated", "id"},
		"nested deeply":                {string(nested(15, 10)), "Limits.Depth", strings.Repeat("next.", 9) + "next"},
		"groups nested deeply":         {strings.Repeat("\x0b", 100_000), "Limits.Depth", ""},
		"unknown, nested deeply":       {"\x9a\x06" + string(protowire.AppendBytes(nil, nested(15, 100))), "", ""},
		"many fields":                  {strings.Repeat("\x10\x01", 101), "Limits.Elements", ""},
		"many packed numbers":          {"\x22\x65" + strings.Repeat("\x01", 101), "Limits.Elements", "codes"},
		"many empty messages":          {strings.Repeat("\x42\x00", 101), "Limits.Elements", ""},
		"a long string":                {"\x0a\x15" + strings.Repeat("a", 21), "Limits.StringBytes", "id"},
		"long bytes":                   {"\x52\x15" + strings.Repeat("a", 21), "Limits.StringBytes", "blob"},
		"a string that is not UTF-8":   {"\x0a\x01\xff", "UTF-8", ""},
		"a key that is not UTF-8":      {"\x32\x03\x0a\x01\xff", "UTF-8", ""},
		"field number 0":               {"\x00", "no field", ""},
		"field number 2^29":            {"\x80\x80\x80\x80\x10\x00", "cannot parse", ""},
		"wire type 7":                  {"\x0f", "no field", ""},
		"an end without a group":       {"\x0c", "no field", "id"},
		"a group that ends as another": {"\x0b\x14", "ends as group 2", "id"},
		"a group without an end":       {"\x0b\x08\x01", "no field", ""},
		"a number without an end":      {"\x10\xff", "no field", "cents"},
		"a number of 11 bytes":         {"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "no field", "cents"},
		"too many bytes":               {strings.Repeat("\x10\x01", 1<<20), "Limits.Bytes", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.Decode([]byte(tc.payload))
			var e *codecs.DecodeError
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case tc.want == "":
			case !errors.As(err, &e) || e.Codec != "protobuf" || !strings.Contains(err.Error(), tc.want) || e.Offset > len(tc.payload):
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			case tc.path != "" && e.Path != tc.path:
				t.Errorf("%s: path %q, want %q", name, e.Path, tc.path)
			}
		})
	}
	if _, err := codec.Decode(nested(15, 9)); err != nil {
		t.Errorf("nested 9 deep: %v", err)
	}
}

// TestTruncated: no cut of a payload reads as a value unless protobuf ends there.
func TestTruncated(t *testing.T) {
	codec := protobuf.New(protobuf.Descriptor(protobuf.OrderDescriptor))
	for _, r := range rows(t)[24:40] {
		for n := range codectest.Places(len(r.payload)) {
			m, err := codec.Decode(r.payload[:n])
			var e *codecs.DecodeError
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%x: %v", r.payload[:n], err)
			}
			if err == nil && proto.Size(m.(proto.Message)) > n {
				t.Errorf("%x reads as more than it is", r.payload[:n])
			}
		}
	}
}

// TestKeyOfAnotherWireType: an entry of a map whose key comes twice, the second time
// with another wire type, makes the library panic. Its user sees a value, as Java does, or
// a typed error.
func TestKeyOfAnotherWireType(t *testing.T) {
	payload := []byte("\x32\x05\x0a\x01a\x08\x01")
	value, err := fuzzed()[0].Decode(payload)
	var e *codecs.DecodeError
	switch {
	case err == nil && proto.Size(value.(proto.Message)) > 0:
	case !errors.As(err, &e) || e.Class != "duequeue.test.Order":
		t.Errorf("%v, %v", value, err)
	}
}

// fuzzed are the codecs that fuzzing tries.
func fuzzed() []codecs.Codec {
	return []codecs.Codec{
		protobuf.New(protobuf.Descriptor(protobuf.OrderDescriptor), protobuf.Limits(hostile)),
		protobuf.New(protobuf.Message((*structpb.Struct)(nil)), protobuf.Limits(hostile)),
		protobuf.New(protobuf.Message((*wrapperspb.StringValue)(nil)), protobuf.Limits(hostile)),
	}
}

// FuzzDecode: whatever the bytes, decoding gives a value or a typed error, within
// its memory, and what decodes is stable from the first encoding on.
func FuzzDecode(f *testing.F) {
	for _, r := range rows(f) {
		f.Add(r.payload)
	}
	f.Add(nested(15, 100))
	f.Add(bytes.Repeat([]byte{0x42, 0}, 5000))
	f.Add([]byte("\x32\x05\x0a\x01a\x08\x01"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range fuzzed() {
			codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
			codectest.Stable(t, codec, payload)
		}
	})
}
