// Command run plays seeds of the simulator, see package simulation, each in a process of
// its own and several at once, and prints what they found. It fails when one found
// something.
//
//	run [-seeds 10] [-first 1] [-shrink] [-twice]
//	run -replay simulation-7-0123456789abcdef.gz [-shrink]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	seeds := flag.Int("seeds", 10, "how many")
	first := flag.Int("first", 1, "the first one")
	shrink := flag.Bool("shrink", false, "leave out what a finding does not need, which takes minutes")
	twice := flag.Bool("twice", false, "play each seed twice, and tell where the second run differs")
	replay := flag.String("replay", "", "play this record of a run in place of seeds")
	flag.Parse()
	dir, err := os.MkdirTemp("", "simulate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s := simulator{binary: filepath.Join(dir, "simulation.test"), dir: dir, twice: *twice}
	if *shrink {
		s.env = append(s.env, "DUEQUEUE_TEST_SHRINK=1")
	}
	if err = s.build(ctx, dir); err != nil {
		return err
	}
	if *replay != "" {
		return s.replay(ctx, *replay)
	}
	if out, testErr := s.test(ctx, nil, "-test.skip", "^TestSimulation$"); testErr != nil {
		return fmt.Errorf("the simulator's own tests: %w\n%s", testErr, out)
	}
	begin := time.Now()
	found := s.play(ctx, *first, *seeds)
	if *twice {
		fmt.Fprintf(os.Stdout, "%d of %d seeds went another way the second time\n", s.differ, s.played)
	}
	fmt.Fprintf(os.Stdout, "%d virtual hours in %v, %d with findings\n", s.played, time.Since(begin).Round(time.Second), found)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case found > 0:
		return errors.New("the simulator found something: make simulate REPLAY=… with the record that is named above repeats it, SHRINK=1 leaves out what it does not need")
	}
	return nil
}

// simulator is a test binary that plays seeds.
type simulator struct {
	binary string
	dir    string // for its time
	env    []string
	twice  bool

	mu     sync.Mutex
	played int
	found  int
	differ int
}

// play returns how many seeds found something.
func (s *simulator) play(ctx context.Context, first, seeds int) (found int) {
	todo := make(chan int)
	var workers sync.WaitGroup
	for range max(runtime.NumCPU(), 1) {
		workers.Go(func() {
			for seed := range todo {
				s.seed(ctx, seed)
			}
		})
	}
	for seed := first; seed < first+seeds && ctx.Err() == nil; seed++ {
		select {
		case todo <- seed:
		case <-ctx.Done():
		}
	}
	close(todo)
	workers.Wait()
	return s.found
}

// seed plays one, and prints what it found.
func (s *simulator) seed(ctx context.Context, seed int) {
	env := []string{fmt.Sprint("DUEQUEUE_TEST_SEED=", seed), "DUEQUEUE_TEST_SEEDS=1"}
	if s.twice {
		env = append(env, "DUEQUEUE_TEST_KEEP=1")
	}
	out, err := s.simulation(ctx, env...)
	if ctx.Err() != nil {
		return
	}
	differs, known := "", true
	if s.twice {
		differs, known = s.again(ctx, out, env)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played++
	if !known {
		return
	}
	if differs != "" {
		s.differ++
		fmt.Fprintf(os.Stdout, "seed %d: DIFFERS, %s\n", seed, differs)
	}
	if err != nil {
		s.found++
		fmt.Fprintf(os.Stdout, "seed %d: FOUND\n%s\n", seed, out[max(0, len(out)-20_000):])
		return
	}
	fmt.Fprintf(os.Stdout, "seed %d: %s\n", seed, said(out, "played: "))
}

// again plays a seed once more and returns where the record of the second run differs, ""
// where it does not.
func (s *simulator) again(ctx context.Context, first []byte, env []string) (differs string, known bool) {
	dir, err := os.MkdirTemp(s.dir, "again-")
	if err != nil {
		return err.Error(), true
	}
	second, _ := s.simulation(ctx, append(env, "DUEQUEUE_TEST_RECORDS="+dir)...)
	if ctx.Err() != nil {
		return "", false
	}
	one, other := said(first, "record: "), said(second, "record: ")
	if differs, err = differ(one, other); err != nil {
		return err.Error(), true
	}
	if differs != "" { // both are of use
		kept := filepath.Join(filepath.Dir(one), filepath.Base(other))
		if err = os.Rename(other, kept); err != nil {
			return err.Error(), true
		}
		return fmt.Sprintf("%s and %s: %s", one, kept, differs), true
	}
	_ = os.Remove(other)
	if !bytes.Contains(first, []byte("--- FAIL: ")) {
		_ = os.Remove(one)
	}
	return "", true
}

// replay plays a record.
func (s *simulator) replay(ctx context.Context, name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	out, err := s.simulation(ctx, "DUEQUEUE_TEST_REPLAY="+name)
	fmt.Fprintf(os.Stdout, "%s", out)
	return err
}

func (s *simulator) simulation(ctx context.Context, env ...string) ([]byte, error) {
	return s.test(ctx, env, "-test.run", "^TestSimulation$")
}

// test runs the binary on one processor that nothing interrupts: goroutines run in the same
// order each time.
func (s *simulator) test(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.binary, append(args, "-test.v", "-test.timeout", "10m")...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	cmd.Env = slices.Concat(cmd.Env, s.env, env)
	return cmd.CombinedOutput()
}

// said returns what a run said after a word.
func said(out []byte, word string) string {
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, word); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
