// Package mutants puts defects back that the engine once had, one at a time, so that
// tests show that they would notice. A mutant is an edit of Go or Lua files, and reaches
// the compiler as a file for -overlay: the tree stays as it is.
//
//	make mutants                  each mutant against the tests that must fail
//	make mutants ONLY=1,7         some of them
//	make mutants ONLY=3 ROWS=1    against the row of make chaos that must fail
//	make simulate MUTANT=7        against the simulator
//	go test -overlay "$(go run ./framework/internal/mutants/run -overlay 7)" …
//
// Breaks of single lines of the scripts, which the model of the whole path must notice,
// are in package invariants.
package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Mutant is one defect.
type Mutant struct {
	Number int
	Name   string
	Was    string // what the defect did
	Edits  []Edit
	Tests  []Test // each must fail with it, and pass without
	Row    string // of make chaos, that must fail with it; "" where none does
	Says   string // what the row must say then; "" where any failure will do
}

// Edit replaces a text that stands in a file exactly once.
type Edit struct {
	File     string // from the root of the module, with slashes; or absolute
	Old, New string
}

// Test is one test function.
type Test struct{ Package, Name string }

func (e Edit) path(root string) string {
	if filepath.IsAbs(e.File) {
		return e.File
	}
	return filepath.Join(root, filepath.FromSlash(e.File))
}

// Root returns the directory of the module, of which the working directory is a part.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/duequeue/duequeue").Output()
	if err != nil {
		return "", fmt.Errorf("where is the module? %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Of returns the mutant with a number.
func Of(number int) (Mutant, error) {
	for _, m := range All {
		if m.Number == number {
			return m, nil
		}
	}
	return Mutant{}, fmt.Errorf("mutants: there is no number %d", number)
}

// Apply returns the edited files by name. An edit whose old text does not stand there
// exactly once is an error: who changes the source changes the mutant too.
func (m Mutant) Apply(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.Edits {
		text, edited := files[e.File]
		if !edited {
			b, err := os.ReadFile(e.path(root))
			if err != nil {
				return nil, fmt.Errorf("mutant %d: %w", m.Number, err)
			}
			text = string(b)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return nil, fmt.Errorf("mutant %d: %s has this text %d times, not once: %q", m.Number, e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(text, e.Old, e.New, 1)
	}
	return files, nil
}

// Overlay writes the edited files to a directory, and returns the path of the file for
// -overlay. root is that of the module.
func (m Mutant) Overlay(root, dir string) (string, error) {
	files, err := m.Apply(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err = os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[Edit{File: name}.path(root)] = copied
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
