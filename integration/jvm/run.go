package jvm

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
)

// Run runs a main class of the Java program on one release and returns what it
// printed. It is for programs that end by themselves, see [Start] for others.
func Run(tb testing.TB, version, class string, args ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), buildTimeout)
	defer cancel()
	options, err := Build(ctx, version)
	if err != nil {
		tb.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "java", append([]string{"@" + options, class}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = Environ(), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		tb.Fatalf("java %s %s on Redisson %s: %v\n%s", class, strings.Join(args, " "), version, err, stderr.String())
	}
	return stdout.String()
}
