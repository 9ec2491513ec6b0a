package rig

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var programs = struct {
	sync.Mutex
	built map[string]string
}{built: map[string]string{}}

// Program builds a program of this repository, once, and returns its path; the system deletes
// it in time. folder begins at the root of the repository. The test is in a folder of
// integration.
func Program(tb testing.TB, folder string) string {
	tb.Helper()
	programs.Lock()
	defer programs.Unlock()
	if path := programs.built[folder]; path != "" {
		return path
	}
	dir, err := os.MkdirTemp("", "duequeue-program-") //nolint:usetesting // it outlives the test
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, filepath.Base(folder))
	build := exec.CommandContext(context.WithoutCancel(tb.Context()), "go", "build", "-o", path, ".")
	build.Dir = filepath.Join("..", "..", folder) // its module knows what it needs
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", folder, err, out)
	}
	programs.built[folder] = path
	return path
}

// CommandLine returns the path of the program duequeue.
func CommandLine(tb testing.TB) string {
	tb.Helper()
	return Program(tb, "framework/cmd/duequeue")
}
