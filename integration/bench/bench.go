package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/bench/gobench"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// bench is one run: a server, a JVM, and what else all parts need.
type bench struct {
	ctx  context.Context // of the program; it ends on Ctrl-C
	plan plan
	dir  string // temporary
	settings
	srv      *lab.Server
	rdb      *redis.Client
	java     *program
	bull     *program       // the Node side, once it is needed
	bare     *gobench.Tests // of framework/internal/lease, once built
	offered  *capture
	need     int // messages that it holds
	slowness int // of the machine: what fills are given time for, by factors of 2
	machine  machine
	began    time.Time
	others   []float64     // share of the machine that others used before each measurement
	waited   time.Duration // for others
	cleanups []func()
}

// settings come from the command line.
type settings struct {
	profiles string // directory to keep CPU profiles in; empty: none are kept
	redisson string // release
	verbose  bool
	check    bool // compares with recorded results instead of writing some
}

func newBench(ctx context.Context, p plan, set settings) (*bench, error) {
	b := &bench{ctx: ctx, plan: p, began: time.Now(), settings: set, slowness: 1}
	if err := b.prepare(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare() error {
	b.progress("building the Java side")
	var err error
	if b.dir, err = os.MkdirTemp("", "duequeue-bench-"); err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, func() { _ = os.RemoveAll(b.dir) })
	if b.java, err = startJVM(b.ctx, b.redisson, b.dir); err != nil {
		return err
	}
	b.cleanups = append(b.cleanups, b.java.stop)
	if b.srv, err = b.startServer(); err != nil {
		return err
	}
	b.rdb = b.srv.Client()
	if b.machine, err = describeMachine(b.ctx, b.rdb, b.java.hello); err != nil {
		return err
	}
	if !b.check {
		b.quiet()
		b.machine.stall = longestStall(b.ctx)
	}
	return nil
}

// buildBare builds the bare take script's benchmark.
func (b *bench) buildBare() (err error) {
	b.progress("building the bare take script's benchmark")
	b.bare, err = gobench.Build(b.ctx, "bare take", filepath.Join(here(), "..", ".."), b.dir, "./framework/internal/lease")
	return err
}

// startServer runs a Redis until the end of the program.
func (b *bench) startServer(opts ...lab.Option) (*lab.Server, error) {
	srv, err := lab.Run(opts...)
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

// detail tells what is only wanted with -v.
func (b *bench) detail(format string, args ...any) {
	if b.verbose {
		b.progress("  "+format, args...)
	}
}

// clean empties the server.
func (b *bench) clean() error {
	return b.rdb.FlushAll(b.ctx).Err()
}

// busy is the share of the machine above which others would spoil a measurement.
const busy = 0.2

// until looks every so often whether something holds, for as long as limit.
func (b *bench) until(limit, every time.Duration, holds func() (bool, error)) error {
	for began := time.Now(); time.Since(began) < limit; b.sleep(every) {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
	}
	return errTooSlow
}

// quiet looks how much of the machine others use while nothing of ours runs, and
// waits for a quieter moment as long as the plan has patience.
func (b *bench) quiet() {
	for b.ctx.Err() == nil {
		before, err := cpuTimes()
		if err != nil {
			return // not Linux
		}
		const look = 200 * time.Millisecond
		b.sleep(look)
		after, err := cpuTimes()
		if err != nil {
			return
		}
		share := after.busyShare(before)
		if share > busy && b.waited < b.plan.patience {
			b.waited += look
			continue
		}
		b.others = append(b.others, share)
		return
	}
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
