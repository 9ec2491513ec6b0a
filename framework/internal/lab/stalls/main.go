// Command stalls runs a command on a machine that it makes busy: two busy loops on each core,
// and some ten times a second it picks one of the command's test processes, servers and JVMs at
// random and stops it for 20 to 300 ms. At the end it prints what it did and exits with the
// command's status. A process that a test has stopped itself stays as it is.
//
//	go run ./framework/internal/lab/stalls [-seed 7] -- make test
//
// It needs Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	every    = 100 * time.Millisecond // between two stalls, on average
	shortest = 20 * time.Millisecond
	longest  = 300 * time.Millisecond
)

// servers are the names of programs that it stops besides test binaries.
var servers = []string{"redis-server", "valkey-server", "java", "mysqld", "mariadbd", "postgres"}

func main() {
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "decides whom to stop, and for how long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := run(ctx, *seed, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "stalls:", err)
	}
	os.Exit(status)
}

// run runs the command among stalls and returns its exit status.
func run(ctx context.Context, seed uint64, args []string) (int, error) {
	if runtime.GOOS != "linux" {
		return 2, errors.New("needs Linux")
	}
	if len(args) == 0 {
		return 2, errors.New("which command? stalls -- make test")
	}
	dir, err := os.MkdirTemp("", "duequeue-stalls-")
	if err != nil {
		return 2, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), lab.EnvStalls+"="+dir)
	if err = cmd.Start(); err != nil {
		return 2, err
	}
	ctx, stop := context.WithCancel(ctx)
	s := &staller{dir: dir, root: cmd.Process.Pid, rng: rand.New(rand.NewPCG(seed, 0)), stopped: map[string]time.Duration{}, times: map[string]int{}}
	s.all.Go(func() { s.stallOthers(ctx) })
	loops, err := keepBusy(2 * runtime.NumCPU())
	err = errors.Join(err, cmd.Wait())
	stop()
	s.all.Wait()
	for _, loop := range loops {
		err = errors.Join(err, loop.Kill())
	}
	fmt.Printf("stalls: seed %d, %s\n", seed, s)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// keepBusy starts loops, which end with this program.
func keepBusy(n int) (loops []*lab.Process, err error) {
	for range n {
		loop, err := lab.StartProcess(exec.Command("sh", "-c", "while :; do :; done"))
		if err != nil {
			return loops, err
		}
		loops = append(loops, loop)
	}
	return loops, nil
}

// staller stops descendants of a process.
type staller struct {
	dir  string // of the locks of processes
	root int
	rng  *rand.Rand
	all  sync.WaitGroup

	mu      sync.Mutex
	stopped map[string]time.Duration // by program
	times   map[string]int
}

func (s *staller) stallOthers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(s.rng.Int64N(int64(2 * every)))):
		}
		if victims := victims(s.root); len(victims) > 0 {
			victim := victims[s.rng.IntN(len(victims))]
			d := shortest + time.Duration(s.rng.Int64N(int64(longest-shortest)))
			s.all.Go(func() { s.stall(ctx, victim, d) })
		}
	}
}

// stall stops a process for some time. It holds the process's lock, so that no test stops the
// process meanwhile (see lab.Pause): then it would wake what the test wants to stand still.
func (s *staller) stall(ctx context.Context, victim lab.Stat, d time.Duration) {
	release, err := lab.LockProcess(s.dir, victim.PID, false)
	if err != nil {
		return // a test stops it, or another stall
	}
	defer release()
	if now, err := lab.StatOf(victim.PID); err != nil || now.State == "T" || syscall.Kill(victim.PID, syscall.SIGSTOP) != nil {
		return // a test has stopped it, or it is gone
	}
	began := time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	_ = syscall.Kill(victim.PID, syscall.SIGCONT) // fails if it is gone
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped[victim.Name] += time.Since(began)
	s.times[victim.Name]++
}

// String says what was stopped, how often and for how long.
func (s *staller) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for name, n := range s.times {
		parts = append(parts, fmt.Sprintf("%s %d times for %v", name, n, s.stopped[name].Round(time.Millisecond)))
	}
	if len(parts) == 0 {
		return "nothing to stop"
	}
	slices.Sort(parts)
	return "stopped " + strings.Join(parts, ", ")
}

// victims returns the test binaries and servers among the descendants of a process.
func victims(root int) (found []lab.Stat) {
	for _, p := range lab.Descendants(root) {
		if !slices.Contains(servers, p.Name) {
			// /proc cuts names; the link to the program has the whole one.
			exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
			if p.Name = filepath.Base(strings.TrimSuffix(exe, " (deleted)")); !strings.HasSuffix(p.Name, ".test") {
				continue
			}
		}
		found = append(found, p)
	}
	return found
}
