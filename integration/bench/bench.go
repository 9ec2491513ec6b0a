package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// bench is one run: a server, a JVM, and what else all parts need.
type bench struct {
	ctx      context.Context //nolint:containedctx // of the program; it ends on Ctrl-C
	plan     plan
	dir      string // temporary
	profiles string
	srv      *redisserver.Server
	rdb      *redis.Client
	java     *jvm
	bare     string // the test binary of framework/internal/lease
	machine  machine
	began    time.Time
	others   []float64 // share of the machine that others used, per look
	cleanups []func()
}

func newBench(ctx context.Context, p plan, version, profiles string) (*bench, error) {
	b := &bench{ctx: ctx, plan: p, began: time.Now(), profiles: profiles}
	if err := b.prepare(version); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare(version string) error {
	b.progress("building the Java side and the bare take script's benchmark")
	var err error
	if b.dir, err = os.MkdirTemp("", "duequeue-bench-"); err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, func() { _ = os.RemoveAll(b.dir) })
	b.bare = filepath.Join(b.dir, "lease.test")
	build := exec.CommandContext(b.ctx, "go", "test", "-c", "-o", b.bare, "./framework/internal/lease")
	build.Dir = filepath.Join(here(), "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the bare take script's benchmark: %w\n%s", err, out)
	}
	if b.java, err = startJVM(b.ctx, version, filepath.Join(b.dir, "classes")); err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, b.java.stop)
	if b.srv, err = b.startServer(); err != nil {
		return err
	}
	b.rdb = b.srv.Client()
	b.machine, err = describeMachine(b.ctx, b.rdb, b.java.hello)
	return err
}

// startServer runs a Redis until the end of the program.
func (b *bench) startServer() (*redisserver.Server, error) {
	srv, err := redisserver.Run()
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

// clean empties the server and looks how busy others keep the machine.
func (b *bench) clean() error {
	return b.rdb.FlushAll(b.ctx).Err()
}

// quiet looks for a moment, in which nothing of ours runs, what others use.
func (b *bench) quiet() {
	before, err := cpuTimes()
	if err != nil {
		return // not Linux
	}
	b.sleep(300 * time.Millisecond)
	after, err := cpuTimes()
	if err != nil {
		return
	}
	b.others = append(b.others, after.busyShare(before))
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

var errTooSlow = errors.New("not all messages came in time")
