package marshalling

import (
	"fmt"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestKnownClasses reads classes whose bytes repeat from payload to payload and
// mean something else each time: a name of a field is a reference to a text.
func TestKnownClasses(t *testing.T) {
	t.Parallel()
	codec := New()
	for range 3 {
		for _, text := range []string{"abc", "xyz"} {
			payload := codectest.FromHex(t, fmt.Sprintf("04 53 02 5a 3e03 %x 04 09 3e0141 0000000000000001 00000001 39fe 23 00 16 00000007", text))
			v, err := codec.Decode(payload)
			if err != nil {
				t.Fatal(err)
			}
			o := v.(*java.List).Elements[1].(*java.Object)
			if o.Fields[0].Name != text || o.Fields[0].Value != int32(7) {
				t.Errorf("field %+v, want %s", o.Fields[0], text)
			}
			if out, err := codec.Encode(v); err != nil || string(out) != string(payload) {
				t.Errorf("encoded %x, %v; want %x", out, err, payload)
			}
		}
	}
}

// TestVariants reads a class whose fields change from payload to payload, as in
// the middle of a deployment.
func TestVariants(t *testing.T) {
	t.Parallel()
	codec := New()
	for i := range 40 {
		extra := fmt.Sprintf("x%02d", i%20)
		payload := codectest.FromHex(t, fmt.Sprintf(
			"04 04 09 3e0a %x 0000000000000001 00000002 3e05 %x 23 00 3e03 %x 24 00 16 00000005 0000000000000007", "River$Item", "count", extra))
		got, err := codectest.Into[item](t, codec, payload)
		if err != nil || got.Count != 5 {
			t.Errorf("%s: %+v, %v", extra, got, err)
		}
		v, err := codec.Decode(payload)
		if o, ok := v.(*java.Object); err != nil || !ok || o.Fields[1].Name != extra {
			t.Errorf("%s: %+v, %v", extra, v, err)
		}
	}
}
