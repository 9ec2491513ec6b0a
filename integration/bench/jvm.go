package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// startJVM runs the Java side, see java/duequeue/bench/Bench.java. It resolves Redisson
// the way the interop tests do and compiles the Java side before. The interop tests save
// the optimizing compiler's time; here it is the point.
func startJVM(ctx context.Context, version, dir string) (*program, error) {
	classes := filepath.Join(dir, "classes")
	interop := filepath.Join(here(), "..", "java")
	if out, err := exec.CommandContext(ctx, filepath.Join(interop, "build.sh"), version).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make Redisson %s ready: %w\n%s", version, err, out)
	}
	sources, err := filepath.Glob(filepath.Join(here(), "java", "duequeue", "bench", "*.java"))
	if err != nil {
		return nil, err
	}
	lib := filepath.Join(interop, "target", version, "lib", "*")
	args := append([]string{"-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-proc:none", "-cp", lib, "-d", classes}, sources...)
	if said, failed := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); failed != nil {
		return nil, fmt.Errorf("compile the Java side: %w\n%s", failed, said)
	}
	// Netty complains at length when a client shuts down: kept for errors only.
	return startProgram(exec.CommandContext(ctx, "java", "@"+filepath.Join(interop, "target", version, "java.args"),
		"-XX:TieredStopAtLevel=4", "-cp", classes+string(os.PathListSeparator)+lib, "duequeue.bench.Bench"), dir, "java")
}
