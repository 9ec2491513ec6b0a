package rig

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// buildCommandLine builds it once, in a folder that the test's process leaves to the system.
var buildCommandLine = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "duequeue-daemon-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "duequeue")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./framework/cmd/duequeue")
	build.Dir = filepath.Join("..", "..") // its module knows what the command line needs
	build.Stderr = os.Stderr
	return program, build.Run()
})

// CommandLine returns the path of the program duequeue, for tests in folders of integration.
func CommandLine(tb testing.TB) string {
	tb.Helper()
	program, err := buildCommandLine()
	if err != nil {
		tb.Fatalf("build the command line: %v", err)
	}
	return program
}
