package jvm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// nested is a value of every shape the protocol carries.
func nested() any {
	return &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{
		{Key: "text", Value: "其他\u0000\"\\\n\U0001F600"},
		{Key: int32(-7), Value: int64(1) << 60},
		{Key: "small", Value: &java.List{Class: "java.util.ArrayList", Elements: []any{int8(-1), int16(2), float32(0.1), 1e300, true, nil}}},
		{Key: "bytes", Value: []byte{0, 255}},
		{Key: "empty", Value: &java.Map{Class: "java.util.HashMap"}},
	}}
}

func TestValuesSurviveTheProtocol(t *testing.T) {
	t.Parallel()
	text, err := jvm.Encode(nested())
	if err != nil {
		t.Fatal(err)
	}
	got, err := jvm.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !jvm.Equal(got, nested()) {
		t.Errorf("got %#v from %s", got, text)
	}
}

func TestEqualIsJavas(t *testing.T) {
	t.Parallel()
	hash := &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "b", Value: int32(2)}, {Key: "a", Value: int32(1)}}}
	tree := &java.Map{Class: "java.util.TreeMap", Entries: []java.Entry{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}}}
	tests := []struct {
		name string
		a, b any
		want bool
	}{
		{"map of another class and order", hash, tree, true},
		{"Integer is not Long", int32(1), int64(1), false},
		{"null and empty", nil, "", false},
		{"fewer entries", hash, &java.Map{Entries: hash.Entries[:1]}, false},
		{"list order counts", &java.List{Elements: []any{"a", "b"}}, &java.List{Elements: []any{"b", "a"}}, false},
		{"scalar and map", "a", hash, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := jvm.Equal(tt.a, tt.b); got != tt.want {
				t.Errorf("Equal = %v", got)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	j := jvm.Start(t, "3.52.0")

	text, err := jvm.Encode(nested())
	if err != nil {
		t.Fatal(err)
	}
	if got := j.DecodeHex(t, "kryo5", j.EncodeHex(t, "kryo5", text)); !jvm.Equal(got, nested()) {
		t.Errorf("through the jar's codec: %#v", got)
	}

	var thrown *jvm.CommandError
	if _, err := j.Call(t.Context(), "offer nowhere 1 null"); !errors.As(err, &thrown) || thrown.Class != "java.lang.IllegalArgumentException" {
		t.Errorf("a command on an unknown queue: %v", err)
	}

	q := j.Open(t, srv.URL()).Queue(t, "default", "commands")
	q.Offer(t, text, 20*time.Millisecond)
	// Not equal for Java: byte arrays never are.
	if taken := q.Take(t, time.Minute, text); taken.Equal || !jvm.Equal(taken.Value, nested()) {
		t.Errorf("took %+v", taken)
	}
	q.Offer(t, jvm.Sample("hashmap5"), 20*time.Millisecond)
	if taken := q.Take(t, time.Minute, jvm.Sample("hashmap5")); !taken.Equal {
		t.Errorf("took %+v", taken)
	}

	if _, err := j.CallWithin(t.Context(), 10*time.Millisecond, "take queue2 400 null"); err == nil || !strings.Contains(err.Error(), "not answered within 10ms") {
		t.Errorf("a command that takes too long: %v", err)
	}
}
