// Command compare runs benchmarks of two source trees in turn, round by round, and prints for
// each the ratio of now to base: the median of the ratios taken inside each round, so that what
// else the machine does meanwhile strikes both sides.
//
//	compare [-rounds 7] [-bench regexp] [-benchtime 100000x] BASE-DIRECTORY PACKAGE…
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/integration/bench/rounds"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		stop()
		os.Exit(1)
	}
}

// side is one of the two source trees.
type side struct {
	name, root string
	tests      []string // a test binary for each package
	folders    []string // where each runs
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	times := flags.Int("rounds", 7, "how often both sides run")
	bench := flags.String("bench", ".", "which benchmarks, a regular expression")
	benchtime := flags.String("benchtime", "100000x", "how long each runs, as of go test")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 || *times < 1 {
		return errors.New("want the directory of the base, and packages, at least one round")
	}
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	now, err := os.Getwd()
	if err != nil {
		return err
	}
	sides := []*side{{name: "base", root: flags.Arg(0)}, {name: "now", root: now}}
	for _, s := range sides {
		if err := s.build(ctx, dir, flags.Args()[1:]); err != nil {
			return err
		}
	}
	taken := []results{{}, {}}
	for round := range *times {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *times)
		for i := range sides {
			which := (i + round) % 2 // each goes first in turn
			if err := sides[which].measure(ctx, taken[which], *bench, *benchtime); err != nil {
				return err
			}
		}
	}
	return report(out, taken[0], taken[1])
}

// build compiles the tests of the packages.
func (s *side) build(ctx context.Context, dir string, packages []string) error {
	for i, p := range packages {
		binary := filepath.Join(dir, fmt.Sprintf("%s-%d.test", s.name, i))
		cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-o", binary, p)
		cmd.Dir = s.root
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: build %s: %w\n%s", s.name, p, err, text)
		}
		s.tests = append(s.tests, binary)
		s.folders = append(s.folders, filepath.Join(s.root, p))
	}
	return nil
}

// results are the measurements of each benchmark, one a round, by unit.
type results map[string]map[string][]float64

// measure runs all benchmarks once.
func (s *side) measure(ctx context.Context, into results, bench, benchtime string) error {
	for i, binary := range s.tests {
		cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.benchmem", "-test.bench="+bench, "-test.benchtime="+benchtime)
		cmd.Dir = s.folders[i]
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %s: %w\n%s", s.name, s.folders[i], err, text.Bytes())
		}
		into.add(text.String())
	}
	return nil
}

var (
	line   = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)
	figure = regexp.MustCompile(`([\d.]+) (\S+)`)
)

// add reads what a test binary has printed.
func (r results) add(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if r[m[1]] == nil {
			r[m[1]] = map[string][]float64{}
		}
		for _, f := range figure.FindAllStringSubmatch(m[2], -1) {
			if v, err := strconv.ParseFloat(f[1], 64); err == nil {
				r[m[1]][f[2]] = append(r[m[1]][f[2]], v)
			}
		}
	}
}

// report prints a line for each benchmark that both sides have.
func report(out io.Writer, base, now results) error {
	names := []string{}
	for name := range now {
		if base[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return errors.New("no benchmark ran on both sides")
	}
	slices.Sort(names)
	fmt.Fprintf(out, "%-50s %12s %12s %7s %-15s %9s %9s\n", "benchmark", "base ns/op", "now ns/op", "ratio", "lowest…highest", "allocs", "now")
	for _, name := range names {
		b, n := base[name], now[name]
		ratios := rounds.Ratios(n["ns/op"], b["ns/op"])
		if len(ratios) == 0 {
			continue
		}
		fmt.Fprintf(out, "%-50s %12.1f %12.1f %7.3f %-15s %9.0f %9.0f\n", name, rounds.Median(b["ns/op"]), rounds.Median(n["ns/op"]), rounds.Median(ratios),
			fmt.Sprintf("%.2f…%.2f", slices.Min(ratios), slices.Max(ratios)), rounds.Median(b["allocs/op"]), rounds.Median(n["allocs/op"]))
	}
	return nil
}
