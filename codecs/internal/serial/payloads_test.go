package serial_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

var update = flag.Bool("update", false, "write testdata/views.tsv of both packages")

// mostShown is how much of the view of a value testdata/views.tsv has.
const mostShown = 4000

// TestVectors decodes what Java wrote: to the values in testdata/views.tsv, which are those of
// the samples. It encodes them again to the same bytes; those in differs, for the reason beside
// them, to others.
func TestVectors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *stream) {
		codec, seen := s.New(options{}), map[string]bool{}
		var views strings.Builder
		for _, v := range s.vectors(t) {
			seen[v.Name] = true
			value, err := codec.Decode(v.Payload)
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			view := string(view.Of(value))
			fmt.Fprintf(&views, "%s\t%s\n", v.Name, view[:min(len(view), mostShown)])
			got := encode(t, codec, value)
			reason, excepted := s.differs[v.Name]
			if same := bytes.Equal(got, v.Payload); same == excepted {
				t.Errorf("%s: same bytes: %v, excepted: %q\nencoded again: %x\nJava wrote:    %x", v.Name, same, reason, got, v.Payload)
			}
		}
		codectest.Golden(t, s.dir+"testdata/views.tsv", views.String(), *update)
		for name := range s.differs {
			if !seen[name] {
				t.Errorf("the list of exceptions names %s, which is no vector", name)
			}
		}
	})
}

// TestPrefixes cuts and changes short vectors: no payload panics, and no prefix is a value.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *stream) {
		codec := s.New(small)
		for _, v := range s.vectors(t) {
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
	})
}

// TestLaughs reads lists that share each other thirty levels deep, and writes, shows and
// converts them. What unfolds them does not end.
func TestLaughs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *stream) {
		codec, list := s.New(options{}), &java.List{}
		for range 30 {
			outer := &java.List{}
			for range 10 {
				outer.Elements = append(outer.Elements, list)
			}
			list = outer
		}
		payload := encode(t, codec, list)
		v := codectest.Must(codec.Decode(payload))(t)
		if got := encode(t, codec, v); !bytes.Equal(got, payload) {
			t.Errorf("%d bytes became %d", len(payload), len(got))
		}
		if view := view.Of(v); len(view) == 0 || len(view) > 32<<20 {
			t.Errorf("its view has %d bytes", len(view))
		}
		if plain, ok := java.Plain(v).([]any); !ok || len(plain) != 10 {
			t.Error("not plain")
		}
		if _, err := codectest.Into[any](t, codec, payload); err != nil {
			t.Error(err)
		}
		if _, err := codectest.Into[[]any](t, codec, payload); err != nil {
			t.Error(err)
		}
		var e *codecs.DecodeError
		if _, err := codectest.Into[[][][]string](t, codec, payload); !errors.As(err, &e) {
			t.Errorf("error %v, want a DecodeError", err)
		}
	})
}
