// Command run tries mutants, see package mutants, and prints what noticed them. It fails
// when one survives, or when a test fails without any.
//
//	run [-only 1,7] [-part 1/2] [-rows [-seed N]] [-- arguments of go test]
//	run -overlay 7
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/mutants"
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
	only := flag.String("only", "", "numbers of mutants, by comma; all without")
	part := flag.String("part", "1/1", "as 1/3: each third mutant, from the first on")
	rows := flag.Bool("rows", false, "try the row of make chaos of each, not its tests")
	seed := flag.Int64("seed", 7, "of the rows")
	overlay := flag.Int("overlay", 0, "write the files of this mutant, and print the path for -overlay")
	flag.Parse()
	root, err := mutants.Root(ctx)
	if err != nil {
		return err
	}
	if *overlay != 0 {
		return printOverlay(root, *overlay)
	}
	chosen, err := choose(*only)
	if err == nil {
		chosen, err = partOf(chosen, *part)
	}
	if err != nil {
		return err
	}
	t := trial{root: root, seed: *seed, rows: *rows, args: flag.Args()}
	return t.all(ctx, chosen)
}

func printOverlay(root string, number int) error {
	m, err := mutants.Of(number)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", fmt.Sprintf("mutant%d-", number))
	if err != nil {
		return err
	}
	path, err := m.Overlay(root, dir)
	if err == nil {
		fmt.Fprintln(os.Stdout, path)
	}
	return err
}

// partOf returns the mutants of a part: of 2/3 the second, the fifth and so on.
func partOf(all []mutants.Mutant, part string) ([]mutants.Mutant, error) {
	which, parts := 0, 0
	if _, err := fmt.Sscanf(part, "%d/%d", &which, &parts); err != nil || which < 1 || which > min(parts, len(all)) {
		return nil, fmt.Errorf("-part %q: want which of how many, as 1/3, of at least one mutant", part)
	}
	var chosen []mutants.Mutant
	for i := which - 1; i < len(all); i += parts {
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func choose(only string) ([]mutants.Mutant, error) {
	if only == "" {
		return mutants.All, nil
	}
	var chosen []mutants.Mutant
	for word := range strings.SplitSeq(only, ",") {
		number, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		m, err := mutants.Of(number)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

// trial is what mutants are tried against.
type trial struct {
	root string
	seed int64
	rows bool
	args []string // of go test, instead of the mutants' own tests
}

// attempt is one command, and how its output shows that it noticed.
type attempt struct {
	name string
	dir  string
	args []string // of go
	bad  string   // what the output has then; "" for any failure of a test
}

func (t trial) of(m mutants.Mutant) []attempt {
	if t.rows {
		if m.Row == "" {
			return nil
		}
		return []attempt{{
			name: "row " + m.Row, dir: filepath.Join(t.root, "integration"), bad: cmp.Or(m.Says, "**FAILED**"),
			args: []string{"run", "./chaos", "-only", m.Row, "-seed", strconv.FormatInt(t.seed, 10)},
		}}
	}
	test := []string{"test", "-vet=off", "-count=1", "-timeout=5m"}
	if len(t.args) > 0 {
		return []attempt{{name: strings.Join(t.args, " "), dir: t.root, args: slices.Concat(test, t.args)}}
	}
	var all []attempt
	for _, one := range m.Tests {
		all = append(all, attempt{
			name: one.Name, dir: t.root, args: slices.Concat(test, []string{"-run", "^" + one.Name + "$", one.Package}), bad: "--- FAIL: " + one.Name + " ",
		})
	}
	return all
}

// all tries every attempt with each mutant, and each one without.
func (t trial) all(ctx context.Context, chosen []mutants.Mutant) error {
	var failed []string
	sound := map[string]verdict{}
	for _, m := range chosen {
		for _, a := range t.of(m) {
			before, known := sound[a.name]
			if !known {
				var err error
				if before, err = a.run(ctx, ""); err != nil {
					return err
				}
				sound[a.name] = before
			}
			with, err := t.mutated(ctx, m, a)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stdout, "%2d %-26s %-46s %-10s (without %s) %3.0f s\n", m.Number, m.Name, a.name, with.word, before.word, with.took.Seconds())
			if with.word != red || before.word != green {
				failed = append(failed, fmt.Sprintf("%d %s, with the mutant:\n%s\nwithout:\n%s", m.Number, a.name, with.tail, before.tail))
			}
		}
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "\n"))
	}
	return nil
}

func (t trial) mutated(ctx context.Context, m mutants.Mutant, a attempt) (verdict, error) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return verdict{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := m.Overlay(t.root, dir)
	if err != nil {
		return verdict{}, err
	}
	return a.run(ctx, overlay)
}

// What came of an attempt.
const (
	green  = "green"
	red    = "red"    // a failure of a test or row, or the process died
	broken = "BROKEN" // neither: it did not compile, took too long, or failed otherwise
)

type verdict struct {
	word string
	took time.Duration
	tail string // of the output
}

func (a attempt) run(ctx context.Context, overlay string) (verdict, error) {
	args := a.args
	if overlay != "" {
		args = slices.Insert(slices.Clone(args), 1, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = a.dir, append(os.Environ(),
		"RAPID_CHECKS=200", // a model notices some after dozens
		"RAPID_NOFAILFILE=1", "RAPID_SHRINKTIME=1s")
	cmd.WaitDelay = 10 * time.Second
	begin := time.Now()
	b, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return verdict{}, context.Cause(ctx)
	}
	out := string(b)
	v := verdict{took: time.Since(begin), tail: out[max(0, len(out)-4000):]}
	bad := cmp.Or(a.bad, "--- FAIL: ")
	switch {
	case err == nil && !strings.Contains(out, "no tests to run"):
		v.word = green
	case strings.Contains(out, "panic: test timed out"):
		v.word = broken
	case err != nil && strings.Contains(out, bad) || strings.Contains("\n"+out, "\npanic: "):
		v.word = red
	default:
		v.word = broken
	}
	return v, nil
}
