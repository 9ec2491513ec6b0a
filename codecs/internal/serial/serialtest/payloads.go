package serialtest

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// A Vector is a payload that Java wrote.
type Vector struct {
	Name    string
	Payload []byte
}

// Vectors decodes what Java wrote and encodes it again to the same bytes; those that
// exceptions names, for the reason beside it, to others.
func Vectors(t *testing.T, codec codecs.Codec, vectors []Vector, exceptions map[string]string) {
	seen := map[string]bool{}
	for _, v := range vectors {
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			for range 2 { // the second time its classes are known
				value, err := codec.Decode(v.Payload)
				if err != nil {
					t.Fatal(err)
				}
				got, err := codec.Encode(value)
				if err != nil {
					t.Fatal(err)
				}
				reason, excepted := exceptions[v.Name]
				if same := bytes.Equal(got, v.Payload); same == excepted {
					t.Errorf("same bytes: %v, excepted: %q\nencoded again: %x\nJava wrote:    %x", same, reason, got, v.Payload)
				}
			}
		})
	}
	for name := range exceptions {
		if !seen[name] {
			t.Errorf("the list of exceptions names %s, which is no vector", name)
		}
	}
}

// Prefixes cuts and changes short vectors: no payload panics, and no prefix is a value.
func Prefixes(t *testing.T, codec codecs.Codec, vectors []Vector) {
	for _, v := range vectors {
		if len(v.Payload) > 300 {
			continue
		}
		for n := range codectest.Places(len(v.Payload)) {
			if value, err := codec.Decode(v.Payload[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %v", v.Name, n, len(v.Payload), value)
			}
			changed := bytes.Clone(v.Payload)
			for _, mask := range []byte{0x01, 0x40, 0x80, 0xff} {
				changed[n] = v.Payload[n] ^ mask
				codectest.Stable(t, codec, changed)
			}
		}
	}
}

// Hostile is a payload that a program would not write. Reason is part of the error;
// empty where the payload is a value after all.
type Hostile struct {
	Name    string
	Payload []byte
	Reason  string
}

// Hostile decodes hostile payloads, by a codec with limits and by one with few
// elements, whose memory it measures: no other test may run meanwhile.
func (s *Stream) Hostile(t *testing.T, limits codecs.Limits, rows []Hostile) {
	codec, few := s.New(Options{Limits: limits}), s.New(Options{Limits: codecs.Limits{Elements: Budget}})
	node := bind(t, codec, reflect.TypeFor[Node]())
	for _, h := range rows {
		t.Run(h.Name, func(t *testing.T) {
			for range 2 { // the second time its classes are known
				v, err := codec.Decode(h.Payload)
				var e *codecs.DecodeError
				switch {
				case h.Reason == "" && err != nil:
					t.Error(err)
				case h.Reason != "":
					codectest.Refused(t, codec, h.Payload, err)
					if !strings.Contains(err.Error(), h.Reason) {
						t.Errorf("decoded %T, error %v; want one about %q", v, err, h.Reason)
					}
					if err = node.Decode(h.Payload, new(Node)); !errors.As(err, &e) {
						t.Errorf("into a struct: %v", err)
					}
				}
			}
			checkMemory(t, h.Payload, func() { _, _ = codec.Decode(h.Payload) })
			checkMemory(t, h.Payload, func() { _, _ = few.Decode(h.Payload) })
		})
	}
}

// Laughs reads a payload whose lists share each other thirty levels deep, and writes,
// shows and converts it. What unfolds it does not end.
func (s *Stream) Laughs(t *testing.T, payload []byte) {
	codec := s.New(Options{})
	v, err := codec.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := codec.Encode(v); err != nil || len(got) > 2*len(payload) {
		t.Errorf("%d bytes became %d, %v", len(payload), len(got), err)
	}
	if view := java.View(v); len(view) == 0 || len(view) > 32<<20 {
		t.Errorf("its view has %d bytes", len(view))
	}
	if plain, ok := java.Plain(v).([]any); !ok || len(plain) != len(v.(*java.List).Elements) {
		t.Error("not plain")
	}
	if _, err := Into[any](t, codec, payload); err != nil {
		t.Error(err)
	}
	if _, err := Into[[]any](t, codec, payload); err != nil {
		t.Error(err)
	}
	var e *codecs.DecodeError
	if _, err := Into[[][][]string](t, codec, payload); !errors.As(err, &e) {
		t.Errorf("error %v, want a DecodeError", err)
	}
}

// FuzzValues looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzValues(f *testing.F, codec codecs.Codec) {
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkMemory(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
	})
}
