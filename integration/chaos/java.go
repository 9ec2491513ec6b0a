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
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// javaVersions are the releases of Redisson whose clients take part: the newest, and one
// from before its queues were declared deprecated. Both read each other's elements.
var javaVersions = []string{"4.7.0", "3.45.1"}

// javaBuilds compiles the Java side once per release.
type javaBuilds struct {
	mu   sync.Mutex
	dir  string
	made map[string]javaSide
}

// javaSide is the Java side on one release.
type javaSide struct{ args, classPath string }

// here is the directory of this program's source.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// ready returns what java runs the Java side with on a release: the file of its
// arguments, and the class path. It compiles what was not compiled yet.
func (b *javaBuilds) ready(ctx context.Context, version string) (side javaSide, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done, made := b.made[version]; made {
		return done, nil
	}
	if b.made == nil {
		if b.dir, err = os.MkdirTemp("", "duequeue-chaos-java-"); err != nil {
			return side, err
		}
		b.made = map[string]javaSide{}
	}
	if side.args, err = jvm.Build(ctx, version); err != nil {
		return side, err
	}
	if side.classPath, err = jvm.Compile(ctx, version, "chaos", filepath.Join(b.dir, version)); err != nil {
		return side, err
	}
	b.made[version] = side
	return side, nil
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
	side, err := s.java.ready(ctx, version)
	if err != nil {
		return err
	}
	var errs []error
	for i := range n {
		base := fmt.Sprintf("java-%s-%s-%d", version, part, i+1)
		errs = append(errs, s.fleet.add(kind, base, func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			cmd := exec.Command("java", "@"+side.args, "-Xmx160m", "-cp", side.classPath, "duequeue.chaos.Side",
				part, name, javaAddress(r.Redis), r.Queue, r.Ledger, r.LedgerKey, strconv.FormatUint(r.Seed, 10),
				millis(r.Every), millis(r.MaxDelay), number(r.Workers), millis(r.Work))
			cmd.Env = append(jvm.Environ(), env...)
			return cmd, nil
		}))
	}
	return errors.Join(errs...)
}
