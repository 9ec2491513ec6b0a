package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/framework"
)

// javaVersions are the releases of Redisson whose clients take part: the newest, and one
// from before its queues were declared deprecated. Both read each other's elements.
var javaVersions = []string{"4.7.0", "3.45.1"}

// javaBuilds compiles the Java side once per release.
type javaBuilds struct {
	mu   sync.Mutex
	dir  string
	made map[string]bool
}

// here is the directory of this program's source.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// classes returns where the Java side is for a release, compiled, and the jars.
func (b *javaBuilds) classes(ctx context.Context, version string) (classes, lib string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	interop := filepath.Join(here(), "..", "java")
	lib = filepath.Join(interop, "target", version, "lib", "*")
	if b.made == nil {
		if b.dir, err = os.MkdirTemp("", "duequeue-chaos-java-"); err != nil {
			return "", "", err
		}
		b.made = map[string]bool{}
	}
	classes = filepath.Join(b.dir, version)
	if b.made[version] {
		return classes, lib, nil
	}
	if out, failed := exec.CommandContext(ctx, filepath.Join(interop, "build.sh"), version).CombinedOutput(); failed != nil {
		return "", "", fmt.Errorf("make Redisson %s ready: %w\n%s", version, failed, out)
	}
	sources, err := filepath.Glob(filepath.Join(here(), "java", "duequeue", "chaos", "*.java"))
	if err != nil {
		return "", "", err
	}
	args := append([]string{"-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-proc:none", "-cp", lib, "-d", classes}, sources...)
	if out, failed := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); failed != nil {
		return "", "", fmt.Errorf("compile the Java side on Redisson %s: %w\n%s", version, failed, out)
	}
	b.made[version] = true
	return classes, lib, nil
}

func (b *javaBuilds) close() { _ = os.RemoveAll(b.dir) } // a directory of the system's own

// javaAddress is where the Java side finds Redis, see connectTo in Side.java: one
// server, the Sentinels of a group after "sentinel NAME ", or nodes after "cluster ".
func javaAddress(to framework.RedisConfig) string {
	if to.URL != "" {
		return to.URL
	}
	kind := "cluster "
	if to.MasterName != "" {
		kind = "sentinel " + to.MasterName + " "
	}
	return kind + "redis://" + strings.Join(to.Addrs, " redis://")
}

// enlistJava starts n Java processes on a release: part is produce, take or consume. env
// is added to their environment.
func (s *stage) enlistJava(ctx context.Context, kind, part, version string, n int, env ...string) error {
	classes, lib, err := s.java.classes(ctx, version)
	if err != nil {
		return err
	}
	var errs []error
	for i := range n {
		base := fmt.Sprintf("java-%s-%s-%d", version, part, i+1)
		errs = append(errs, s.fleet.add(kind, base, 0, func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			cmd := exec.Command("java", "@"+filepath.Join(here(), "..", "java", "target", version, "java.args"), "-Xmx160m",
				"-cp", classes+string(os.PathListSeparator)+lib, "duequeue.chaos.Side",
				part, name, javaAddress(r.Redis), r.Queue, r.Ledger, r.LedgerKey, strconv.FormatUint(r.Seed, 10),
				millis(r.Every), millis(r.MaxDelay), number(r.Workers), millis(r.Work))
			cmd.Env = append(os.Environ(), env...)
			return cmd, nil
		}))
	}
	return errors.Join(errs...)
}
