package jvm

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Versions are the Redisson releases that are tested, oldest first: around every
// change of the default codec, of its bytes and of the element layout, and the
// newest ones.
func Versions() []string {
	return []string{
		"3.8.1", "3.10.0", "3.12.5", "3.13.6", "3.16.8", "3.18.1", "3.19.0", "3.19.2", "3.21.0", "3.21.3",
		"3.27.2", "3.30.0", "3.35.0", "3.38.1", "3.45.1", "3.46.0", "3.52.0", "4.1.0", "4.7.0",
	}
}

// build makes the program ready for one release and returns the file with the
// arguments for java.
func build(ctx context.Context, version string) (string, error) {
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "..", "java")
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "build.sh"), version).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("make the Java program ready for Redisson %s: %w\n%s", version, err, out)
	}
	return filepath.Join(dir, "target", version, "java.args"), nil
}
