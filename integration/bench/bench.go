package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	ours     = "duequeue"
	jar      = "Redisson"
	redisson = "4.7.0"         // the release that is measured
	patience = 5 * time.Minute // bounds one measurement
)

// bench is one run: a server, a JVM, and what else the parts need.
type bench struct {
	ctx      context.Context // of the program; it ends on Ctrl-C
	plan     plan
	began    time.Time
	dir      string // temporary
	srv      *lab.Server
	rdb      *redis.Client
	programs map[string]*program // the JVM and Node.js, once they are needed
	slowness int                 // of the machine: what must happen before messages are due is given this many times as long
	cleanups []func()
}

func newBench(ctx context.Context, p plan) (b *bench, err error) {
	b = &bench{ctx: ctx, plan: p, began: time.Now(), slowness: 1, programs: map[string]*program{}}
	if b.dir, err = os.MkdirTemp("", "duequeue-bench-"); err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, func() { _ = os.RemoveAll(b.dir) })
	if b.srv, err = b.startServer(); err != nil {
		b.close()
		return nil, err
	}
	b.rdb = b.srv.Client()
	return b, nil
}

// startServer runs a Redis until the end of the program, or until the caller stops it.
func (b *bench) startServer(opts ...lab.Option) (*lab.Server, error) {
	srv, err := lab.RunRedis(opts...)
	if err == nil {
		b.cleanups = append(b.cleanups, func() { _ = srv.Stop() })
	}
	return srv, err
}

func (b *bench) close() {
	for i := len(b.cleanups) - 1; i >= 0; i-- {
		b.cleanups[i]()
	}
}

// progress tells people what is going on.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

// until looks every few ms whether something holds.
func (b *bench) until(holds func() (bool, error)) error {
	for began := time.Now(); time.Since(began) < patience && b.ctx.Err() == nil; b.sleep(5 * time.Millisecond) {
		if ok, err := holds(); ok || err != nil {
			return err
		}
	}
	return errors.Join(errors.New("not all messages came in time"), b.ctx.Err())
}

// sleep waits, or until the program is interrupted.
func (b *bench) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-b.ctx.Done():
	}
}

// java is the JVM, see Bench.java in ../java/src/bench, with the optimizing compiler, which the
// interop tests leave out.
func (b *bench) java() (*program, error) {
	return b.start("java", func() (*exec.Cmd, error) {
		args, err := jvm.Build(b.ctx, redisson)
		if err != nil {
			return nil, err
		}
		classPath, err := jvm.Compile(b.ctx, redisson, "bench", filepath.Join(b.dir, "classes"))
		if err != nil {
			return nil, err
		}
		java := exec.CommandContext(b.ctx, "java", "@"+args, "-XX:TieredStopAtLevel=4", "-cp", classPath, "duequeue.bench.Bench")
		java.Env = jvm.Environ()
		return java, nil
	})
}

// service is one of several processes of ours that are measured.
func (b *bench) service(i int) (*program, error) {
	return b.start(fmt.Sprintf("service %d", i), func() (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(b.ctx, self) // it ends with us
		cmd.Env = append(os.Environ(), roleEnv+"=1")
		return cmd, nil
	})
}

// javaRate runs a command of the JVM that answers a number a second, and perhaps others.
func (b *bench) javaRate(command string, others ...any) (rate float64, err error) {
	java, err := b.java()
	if err != nil {
		return 0, err
	}
	return java.rate(command, others...)
}

// bullFiles are the Node.js side. They are named one by one: what an installation has left among
// them is not part of the program.
//
//go:embed bullmq/bench.mjs bullmq/package.json bullmq/package-lock.json
var bullFiles embed.FS

// bullmq is the Node.js side, with the releases that its lock file names.
func (b *bench) bullmq() (*program, error) {
	return b.start("node", func() (*exec.Cmd, error) {
		files, err := fs.Sub(bullFiles, "bullmq")
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(b.dir, "bullmq")
		if err = os.CopyFS(dir, files); err != nil {
			return nil, err
		}
		// Nothing of it needs a script: what is native comes built.
		npm := exec.CommandContext(b.ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		npm.Dir = dir
		if out, err := npm.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm ci: %w (install Node.js and npm, as by: apt-get install nodejs npm)\n%s", err, out)
		}
		node := exec.CommandContext(b.ctx, "node", "bench.mjs")
		node.Dir = dir
		return node, nil
	})
}

// start runs one of the peers' programs at its first use.
func (b *bench) start(name string, command func() (*exec.Cmd, error)) (*program, error) {
	if p := b.programs[name]; p != nil {
		return p, nil
	}
	b.progress("  building and starting %s", name)
	cmd, err := command()
	if err != nil {
		return nil, err
	}
	p, err := startProgram(cmd, b.dir, name)
	if err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, p.stop)
	b.programs[name] = p
	return p, nil
}
