package registry_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/duequeue/duequeue/registry"
)

func TestSet(t *testing.T) {
	t.Parallel()
	b := registry.Define[string]("B", "", registry.Codec(fake))
	a := registry.Define[Order]("A", "", registry.Codec(fake))
	given := []registry.Descriptor{b, a}
	s, err := registry.New(given...)
	if err != nil {
		t.Fatal(err)
	}
	given[0] = nil
	s.All()[0] = nil
	s.Codes()[0] = "Z"
	if got := s.Codes(); !slices.Equal(got, []string{"A", "B"}) || s.Len() != 2 {
		t.Errorf("codes %v, %d queues", got, s.Len())
	}
	if got := s.All(); got[0] != registry.Descriptor(a) || got[1] != registry.Descriptor(b) {
		t.Errorf("queues %v", got)
	}
	if got, ok := s.Get("A"); !ok || got != registry.Descriptor(a) {
		t.Errorf("got %v, %v; want the queue A", got, ok)
	}
	if got, ok := s.Get("C"); ok || got != nil {
		t.Errorf("got %v, %v; want none", got, ok)
	}
}

func TestSetRefusesMistakes(t *testing.T) {
	t.Parallel()
	bad := registry.Define[string]("", "", registry.Codec(fake))
	s, err := registry.New(bad)
	var ne *registry.NameError
	if s != nil || !errors.As(err, &ne) {
		t.Errorf("got %v, %v; want none, and a NameError", s, err)
	}
}

func TestEmptySet(t *testing.T) {
	t.Parallel()
	made, err := registry.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*registry.Set{made, {}} {
		if _, ok := s.Get("A"); ok || s.Len() != 0 || len(s.All()) != 0 || len(s.Codes()) != 0 {
			t.Errorf("not empty: %v", s.Codes())
		}
	}
}
