package serialization

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestStreamIslands puts objects between other bytes, as Kryo does.
func TestStreamIslands(t *testing.T) {
	t.Parallel()
	shared := &java.Map{Entries: []java.Entry{{Key: "k", Value: int64(1)}}}
	values := []any{shared, "text", java.Date{Millis: 5}, shared, nil, &java.List{Elements: []any{shared, java.Date{Millis: 6}}}}
	out, in := NewStream(codecs.Limits{}), NewStream(codecs.Limits{})
	var payload []byte
	var starts []int
	for i, v := range values {
		payload = append(payload, byte(0xf0+i)) // a foreign byte
		starts = append(starts, len(payload))
		var err error
		if payload, err = out.Append(payload, v); err != nil {
			t.Fatal(err)
		}
	}
	if n := bytes.Count(payload, []byte(magic)); n != 1 {
		t.Errorf("%d headers", n)
	}
	if n := bytes.Count(payload, []byte("java.util.HashMap")); n != 1 {
		t.Errorf("the class of the map stands there %d times", n)
	}
	var got []any
	for i := range values {
		v, next, err := in.Read(payload, starts[i])
		if err != nil {
			t.Fatalf("object %d: %v", i, err)
		}
		if end := append(starts, len(payload)+1)[i+1] - 1; next != end {
			t.Errorf("object %d ends at %d, not at %d", i, next, end)
		}
		got = append(got, v)
	}
	if got[0] != got[3] || got[5].(*java.List).Elements[0] != got[0] || got[1] != "text" || got[4] != nil {
		t.Errorf("objects %+v, want the first at 0, at 3 and in the list at 5, text at 1, null at 4", got)
	}
}

func TestStreamRefuses(t *testing.T) {
	t.Parallel()
	for _, at := range []int{-1, 10} {
		var e *codecs.DecodeError
		if _, _, err := NewStream(codecs.Limits{}).Read([]byte("abc"), at); !errors.As(err, &e) || !strings.Contains(e.Reason, "outside") {
			t.Errorf("offset %d: %v", at, err)
		}
	}
	dst := []byte("before")
	got, err := NewStream(codecs.Limits{}).Append(dst, &java.Object{Class: "demo.A"})
	var e *codecs.EncodeError
	if !errors.As(err, &e) || string(got) != "before" {
		t.Errorf("got %q, %v", got, err)
	}
}
