package protobuf_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/protobuf"
)

type row struct {
	class, name string
	payload     []byte
	failed      bool // Java's codec fails on it
}

func rows(tb testing.TB) []row {
	tb.Helper()
	var out []row
	for _, f := range codectest.Rows(tb, "testdata/4.7.0.tsv") {
		r := row{class: f[0], name: f[1], failed: strings.HasPrefix(f[2], "WRITEFAIL")}
		if !r.failed {
			r.payload = codectest.FromHex(tb, f[2])
		}
		out = append(out, r)
	}
	if len(out) < 120 {
		tb.Fatalf("%d rows", len(out))
	}
	return out
}

// messages are the types of the rows.
var messages = map[string]proto.Message{
	"com.google.protobuf.StringValue": (*wrapperspb.StringValue)(nil),
	"com.google.protobuf.Int64Value":  (*wrapperspb.Int64Value)(nil),
	"com.google.protobuf.BoolValue":   (*wrapperspb.BoolValue)(nil),
	"com.google.protobuf.DoubleValue": (*wrapperspb.DoubleValue)(nil),
	"com.google.protobuf.BytesValue":  (*wrapperspb.BytesValue)(nil),
	"com.google.protobuf.Timestamp":   (*timestamppb.Timestamp)(nil),
	"com.google.protobuf.Duration":    (*durationpb.Duration)(nil),
	"com.google.protobuf.Struct":      (*structpb.Struct)(nil),
	"com.google.protobuf.Any":         (*anypb.Any)(nil),
	"com.google.protobuf.FieldMask":   (*fieldmaskpb.FieldMask)(nil),
	"duequeue.test.Order":             dynamicpb.NewMessage(protobuf.OrderDescriptor),
}

// TestMessages: what Java wrote of messages decodes and encodes to the same bytes,
// into generated types and into those made of a descriptor.
func TestMessages(t *testing.T) {
	for _, r := range rows(t) {
		m := messages[r.class]
		if m == nil {
			continue
		}
		for kind, option := range map[string]protobuf.Option{
			"generated": protobuf.Message(m), "dynamic": protobuf.Descriptor(m.ProtoReflect().Descriptor()),
		} {
			codec := protobuf.New(option)
			value, err := codec.Decode(r.payload)
			if err != nil {
				t.Errorf("%s %s, %s: %v", r.class, r.name, kind, err)
				continue
			}
			if _, isDynamic := value.(*dynamicpb.Message); isDynamic != (kind == "dynamic" || r.class == "duequeue.test.Order") {
				t.Errorf("%s %s, %s: a %T", r.class, r.name, kind, value)
			}
			if again, err := codec.Encode(value); err != nil || !bytes.Equal(again, r.payload) {
				t.Errorf("%s %s, %s: %x became %x, %v", r.class, r.name, kind, r.payload, again, err)
			}
		}
	}
}

// checkSimple: a value of T is what Java wrote, in both directions.
func checkSimple[T any](t *testing.T, class string, want T, equal func(a, b T) bool) {
	t.Helper()
	typed, err := codecs.For[T](protobuf.New(), codecs.BindOptions{})
	if err != nil {
		t.Errorf("%s: %v", class, err)
		return
	}
	for _, r := range rows(t) {
		if r.class != class {
			continue
		}
		got, err := typed.Decode(r.payload)
		if err != nil || !equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", class, got, err, want)
		}
		if again, err := typed.Encode(want); err != nil || !bytes.Equal(again, r.payload) {
			t.Errorf("%s: %s, %v, want %s", class, again, err, r.payload)
		}
		return
	}
	t.Errorf("no row of %s", class)
}

func same[T comparable](a, b T) bool { return a == b }

// TestSimple: classes that Java's codec leaves to its fallback go there.
func TestSimple(t *testing.T) {
	checkSimple(t, "java.lang.String", "其他 😀", same)
	checkSimple(t, "java.lang.Integer", int32(42), same)
	checkSimple(t, "java.lang.Long", int64(1)<<40, same)
	checkSimple(t, "java.lang.Boolean", true, same)
	checkSimple(t, "java.lang.Double", 1.5, same)
	checkSimple(t, "java.math.BigDecimal", java.BigDecimal{Unscaled: big.NewInt(1230), Scale: 2}, func(a, b java.BigDecimal) bool {
		return a.String() == b.String()
	})
	n, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	checkSimple(t, "java.math.BigInteger", n, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	checkSimple(t, "java.util.Date", time.UnixMilli(1_700_000_000_123).UTC(), time.Time.Equal)
	checkSimple(t, "java.util.ArrayList", []any{"a", int64(1)}, func(a, b []any) bool { return len(a) == 2 && a[1] == b[1] })
	checkSimple(t, "java.util.HashMap", map[string]int64{"a": 1}, func(a, b map[string]int64) bool { return a["a"] == b["a"] && len(a) == 1 })

	codec := protobuf.New(protobuf.Simple())
	for _, r := range rows(t) {
		if messages[r.class] != nil || r.failed || len(r.payload) == 0 {
			continue
		}
		value, err := codec.Decode(r.payload)
		if err != nil {
			t.Errorf("%s: %v", r.class, err)
			continue
		}
		if again, err := codec.Encode(value); err != nil || !bytes.Equal(again, r.payload) {
			t.Errorf("%s: %s became %s, %v", r.class, r.payload, again, err)
		}
	}
}
