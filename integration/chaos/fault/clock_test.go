package fault_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// asker is a program that tells the time when asked.
type asker struct {
	in  io.Writer
	out *bufio.Reader
}

func startAsker(t *testing.T, env []string, name string, args ...string) *asker {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), t.Output()
	in, err := cmd.StdinPipe()
	noError(t, err)
	// A pipe of our own: the command's would be closed as soon as it ends.
	out, written, err := os.Pipe()
	noError(t, err)
	cmd.Stdout = written
	child, err := fault.Start(cmd)
	noError(t, err)
	t.Cleanup(func() {
		noError(t, in.Close(), child.Err(), written.Close(), out.Close())
	})
	return &asker{in, bufio.NewReader(out)}
}

// ask returns the program's clock and how long it says it has run.
func (a *asker) ask() (now time.Time, ran time.Duration, err error) {
	if _, err = io.WriteString(a.in, "\n"); err != nil {
		return now, 0, err
	}
	var ms, ranMs int64
	if _, err = fmt.Fscan(a.out, &ms, &ranMs); err != nil {
		return now, 0, err
	}
	return time.UnixMilli(ms), time.Duration(ranMs) * time.Millisecond, nil
}

func (a *asker) read(context.Context) (time.Time, error) {
	now, _, err := a.ask()
	return now, err
}

func wantSkew(t *testing.T, a *asker, want time.Duration) {
	t.Helper()
	before := time.Now()
	now, _, err := a.ask()
	noError(t, err)
	if off := now.Sub(before) - want; off < -2*time.Millisecond || off > time.Since(before)+2*time.Millisecond {
		t.Errorf("the clock is wrong by %v, want %v", now.Sub(before), want)
	}
}

func TestRedisClock(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Clock: true})
	for _, skew := range []time.Duration{10 * time.Second, -10 * time.Second} {
		f := fault.RedisClock(srv, skew)
		strike(t, f)
		ours := time.Now()
		theirs, err := srv.Client().Eval(ctx, "return redis.call('TIME')[1]", nil).Int64()
		noError(t, err)
		if off := theirs - ours.Unix(); off < int64(skew.Seconds())-1 || off > int64(skew.Seconds())+1 {
			t.Errorf("in a script: wrong by %d s, want %v", off, skew)
		}
		// It is a server like any other: it restarts with that clock, and keeps its data.
		noError(t, srv.Client().Set(ctx, "k", "v", time.Minute).Err(), srv.Kill(), srv.Restart(ctx))
		if got := srv.Client().Get(ctx, "k").Val(); got != "v" {
			t.Errorf("k = %q after a restart", got)
		}
		heal(t, f)
		wantTally(t, f, 1, 2)
	}
}

// TestRedisClockEndsBlocks: the end of a blocking command is a time of the server's clock. When
// that goes forward the block ends at once, when it goes back it lasts longer. (The fleet's
// simulator does the same.)
func TestRedisClockEndsBlocks(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	srv := startServer(t, fault.ServerOptions{Clock: true})
	block := func(d time.Duration) <-chan error {
		ended := make(chan error, 1)
		rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = time.Minute })
		t.Cleanup(func() { closed(t, rdb) })
		go func() { ended <- rdb.BLMove(ctx, "from", "to", "LEFT", "RIGHT", d).Err() }()
		awaitField(t, srv, "clients", "blocked_clients", "1")
		return ended
	}
	nothing := func(ended <-chan error, within time.Duration) {
		t.Helper()
		select {
		case err := <-ended:
			if !errors.Is(err, redis.Nil) {
				t.Errorf("ended with %v, want nothing", err)
			}
		case <-time.After(within):
			t.Errorf("blocks still after %v", within)
		}
	}
	forward := fault.RedisClock(srv, time.Minute)
	long := block(50 * time.Second)
	strike(t, forward)
	nothing(long, 10*time.Second)

	short := block(time.Second)
	heal(t, forward) // a minute back
	select {
	case err := <-short:
		t.Errorf("a block of 1 s ended with %v although the clock had gone back by a minute", err)
	case <-time.After(3 * time.Second):
	}
	strike(t, forward)
	nothing(short, 10*time.Second)
	heal(t, forward)
}

func TestRedisClockNeedsItsOption(t *testing.T) {
	t.Parallel()
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	if err := fault.RedisClock(srv, 10*time.Second).Strike(bounded(t)); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("got %v, want ErrNoTarget", err)
	}
}

// TestJavaClock: a JVM starts with a wrong clock, which then jumps under it.
func TestJavaClock(t *testing.T) {
	t.Parallel()
	clock, err := fault.NewClock(-10 * time.Second)
	noError(t, err)
	defer closed(t, clock)
	env, err := clock.Env()
	noError(t, err)
	java := startAsker(t, env, "java", "-Xmx64m", filepath.Join("testdata", "Clock.java"))
	began := time.Now()
	_, ran, err := java.ask()
	noError(t, err)
	wantSkew(t, java, -10*time.Second)
	f := fault.ClockJump("Java's clock", clock, 10*time.Second, java.read)
	strike(t, f)
	wantSkew(t, java, 10*time.Second)
	heal(t, f)
	wantSkew(t, java, 0)
	wantTally(t, f, 1, 2)
	_, ranThen, err := java.ask()
	noError(t, err)
	if took := ranThen - ran; took < 0 || took > time.Since(began) {
		t.Errorf("its monotonic time went on by %v in %v", took, time.Since(began))
	}
}

// TestGoClock: a Go program with a wrong clock, whose monotonic time is right.
func TestGoClock(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "clock")
	noError(t, fault.BuildSkewed(t.Context(), ".", "./testdata/clock", program))
	for _, skew := range []time.Duration{0, 10 * time.Second, -10 * time.Second, -1999 * time.Millisecond, 1001 * time.Millisecond} {
		a := startAsker(t, []string{fault.GoSkew(skew)}, program)
		wantSkew(t, a, skew)
	}
	wantSkew(t, startAsker(t, nil, program), 0)

	jumping := startAsker(t, []string{fault.GoJumps(10*time.Second, -10*time.Second, 50*time.Millisecond)}, program)
	seen := map[time.Duration]bool{}
	began := time.Now()
	var last time.Duration
	for len(seen) < 2 || time.Since(began) < 200*time.Millisecond {
		before := time.Now()
		now, ran, err := jumping.ask()
		noError(t, err)
		if time.Since(before) < 400*time.Millisecond { // else a busy machine took it for a second
			seen[now.Sub(before).Round(time.Second)] = true
		}
		if ran < last || ran > time.Since(began)+time.Second {
			t.Fatalf("its monotonic time went from %v to %v", last, ran)
		}
		last = ran
	}
	if len(seen) != 2 || !seen[10*time.Second] || !seen[-10*time.Second] {
		t.Errorf("skews %v", seen)
	}
}
