//go:build lint

// Package examples_test holds what the documentation shows against the code.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLintReadmeCompiles type-checks the Go programs of the first page as they are printed.
func TestLintReadmeCompiles(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("README.md has no Go program")
	}
	for _, block := range blocks {
		program, _, closed := strings.Cut(block, "```")
		if !closed {
			t.Fatalf("a Go program of README.md does not end:\n%s", block)
		}
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("README.md: %v\n%s", err, out)
		}
	}
}
