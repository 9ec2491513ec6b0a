package protobuf

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/duequeue/duequeue/codecs/protobuf/internal/orderpb"
)

// wantOrder is order said plainly: it takes apart and puts together.
func wantOrder(b []byte, s *shape) []byte {
	type part struct {
		unknown int
		number  protowire.Number
		bytes   []byte
	}
	var parts []part
	for rest := b; len(rest) > 0; {
		number, typ, head := protowire.ConsumeTag(rest)
		if head < 0 {
			return b
		}
		size := protowire.ConsumeFieldValue(number, typ, rest[head:])
		if size < 0 {
			return b
		}
		p := part{1, number, bytes.Clone(rest[:head+size])}
		if f := s.field(number); f != nil {
			p.unknown = 0
			switch v := p.bytes[head:]; {
			case f.inner == nil || f.entry:
			case typ == protowire.BytesType:
				inner, n := protowire.ConsumeBytes(v)
				copy(v[n-len(inner):], wantOrder(inner, f.inner))
			case typ == protowire.StartGroupType:
				inner, _ := protowire.ConsumeGroup(number, v)
				copy(v, wantOrder(inner, f.inner))
			}
		}
		parts = append(parts, p)
		rest = rest[head+size:]
	}
	slices.SortStableFunc(parts, func(x, y part) int {
		return cmp.Or(cmp.Compare(x.unknown, y.unknown), cmp.Compare(x.number, y.number))
	})
	out := []byte{}
	for _, p := range parts {
		out = append(out, p.bytes...)
	}
	return out
}

var orderShape = shapeOf((*orderpb.Order)(nil).ProtoReflect().Descriptor())

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
			b, err := hex.DecodeString(c[0])
			if err != nil {
				t.Fatal(err)
			}
			want := wantOrder(bytes.Clone(b), orderShape)
			order(b, orderShape)
			if hex.EncodeToString(b) != c[1] || !bytes.Equal(b, want) {
				t.Errorf("%s: %s became %x, want %s, said plainly %x", name, c[0], b, c[1], want)
			}
		})
	}
}

// TestOrderMany: fields that are all in the wrong place.
func TestOrderMany(t *testing.T) {
	var b []byte
	for n := protowire.Number(200); n > 100; n-- {
		b = protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(n))
		b = protowire.AppendBytes(protowire.AppendTag(b, n%7+1, protowire.BytesType), nil)
	}
	want := wantOrder(bytes.Clone(b), orderShape)
	if order(b, orderShape); !bytes.Equal(b, want) {
		t.Errorf("became %x, want %x", b, want)
	}
}

// FuzzOrder compares with wantOrder on messages that the library wrote.
func FuzzOrder(f *testing.F) {
	for _, seed := range []string{"", "10020801", "f83f01e83f020801", "1a02100208011b10020801", "52020801f83f015a02080152021801"} {
		b, _ := hex.DecodeString(seed)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		order(bytes.Clone(payload), orderShape) // whatever it is
		var m orderpb.Order
		if proto.Unmarshal(payload, &m) != nil {
			return
		}
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(&m)
		if err != nil {
			return
		}
		want := wantOrder(bytes.Clone(got), orderShape)
		if order(got, orderShape); !bytes.Equal(got, want) {
			t.Errorf("%x became %x, want %x", payload, got, want)
		}
	})
}
