package jvm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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

// scripts is the directory of the Java program and its scripts.
func scripts() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "java")
}

// Build makes the program ready for one release and returns the file with the
// arguments for java. Processes and goroutines may ask for the same release at once.
func Build(ctx context.Context, version string) (args string, err error) {
	out, err := exec.CommandContext(ctx, filepath.Join(scripts(), "build.sh"), version).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("make the Java program ready for Redisson %s: %w\n%s", version, err, out)
	}
	return filepath.Join(scripts(), "target", version, "java.args"), nil
}

// Compile compiles the Java sources of one program, such as bench or chaos, against the jars of a
// release that was built, see [Build], and returns what java's option -cp takes: the classes and the jars.
func Compile(ctx context.Context, version, program, classes string) (classPath string, err error) {
	files, err := filepath.Glob(filepath.Join(scripts(), "src", program, "java", "duequeue", program, "*.java"))
	if err != nil {
		return "", err
	}
	lib := filepath.Join(scripts(), "target", version, "lib", "*")
	args := []string{"-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-proc:none", "-cp", lib, "-d", classes}
	javac := exec.CommandContext(ctx, "javac", append(args, files...)...)
	javac.Env = Environ()
	if out, err := javac.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s on Redisson %s: %w\n%s", program, version, err, out)
	}
	return classes + string(os.PathListSeparator) + lib, nil
}

// Environ is the environment for java and javac: ours, in a locale whose characters are
// UTF-8. In the locale of a bare container they read and write no name outside ASCII.
func Environ() []string { return append(os.Environ(), "LC_ALL="+locale()) }

// locale is what locale.sh prints; "C" where it does not run.
var locale = sync.OnceValue(func() string {
	out, err := exec.Command(filepath.Join(scripts(), "locale.sh")).Output()
	if err != nil {
		return "C"
	}
	return strings.TrimSpace(string(out))
})
