package serialization

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// TestNoFields reads what the class NoDef wrote with and without the option.
func TestNoFields(t *testing.T) {
	t.Parallel()
	payload := sample(t, "NoDef")
	if v, err := New().Decode(payload); err == nil {
		t.Errorf("decoded without the option: %v", v)
	}
	v, err := vectorCodec().Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*java.Object)
	if len(o.Fields) != 0 || len(o.Custom) != 1 || string(o.Custom[0].Items[0].(java.Block)) != "\x00\x00\x00\x05" {
		t.Errorf("read as %+v, want no field and one block, 00000005", o)
	}
}
