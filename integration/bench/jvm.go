package main

import (
	"context"
	"os/exec"
	"path/filepath"

	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// startJVM runs the Java side, see Bench.java in ../java/src/bench. It resolves Redisson
// the way the interop tests do and compiles the Java side before. The interop tests save
// the optimizing compiler's time; here it is the point.
func startJVM(ctx context.Context, version, dir string) (*program, error) {
	args, err := jvm.Build(ctx, version)
	if err != nil {
		return nil, err
	}
	classPath, err := jvm.Compile(ctx, version, "bench", filepath.Join(dir, "classes"))
	if err != nil {
		return nil, err
	}
	java := exec.CommandContext(ctx, "java", "@"+args, "-XX:TieredStopAtLevel=4", "-cp", classPath, "duequeue.bench.Bench")
	java.Env = jvm.Environ()
	// Netty complains at length when a client shuts down: kept for errors only.
	return startProgram(java, dir, "java")
}
