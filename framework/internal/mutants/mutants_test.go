package mutants

import (
	"path/filepath"
	"testing"
)

// Every mutant still fits the source.
func TestEditsFit(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, m := range All {
		if _, err := m.Apply(root); err != nil {
			t.Error(err)
		}
		if seen[m.Number] || m.Name == "" || m.Was == "" || len(m.Edits) == 0 || len(m.Tests) == 0 {
			t.Errorf("mutant %d is not whole, or there twice", m.Number)
		}
		seen[m.Number] = true
	}
}

// An edit that does not fit is told.
func TestEditsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, e := range []Edit{
		{"go.mod", "no such text", ""},
		{"go.mod", "\n", ""}, // many times
		{"no such file", "a", ""},
	} {
		if _, err := (Mutant{Edits: []Edit{e}}).Overlay("../../..", t.TempDir()); err == nil {
			t.Errorf("no error: %+v", e)
		}
	}
}
