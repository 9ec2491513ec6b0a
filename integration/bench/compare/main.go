// Command compare runs benchmarks of two source trees in turn, round by round, and prints for
// each the ratio of now to base: the median of the ratios taken inside each round, so that what
// else the machine does meanwhile strikes both sides.
//
//	compare [-rounds 7] [-bench regexp] [-benchtime 100000x] BASE-DIRECTORY PACKAGE…
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/duequeue/duequeue/framework/integration/bench/gobench"
	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
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
	sides := make([]*gobench.Tests, 2)
	for i, s := range []struct{ name, root string }{{"base", flags.Arg(0)}, {"now", now}} {
		if sides[i], err = gobench.Build(ctx, s.name, s.root, dir, flags.Args()[1:]...); err != nil {
			return err
		}
	}
	taken := []gobench.Results{{}, {}}
	for round := range *times {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *times)
		for i := range sides {
			which := (i + round) % 2 // each goes first in turn
			if err := sides[which].Measure(ctx, taken[which], *bench, *benchtime); err != nil {
				return err
			}
		}
	}
	return report(out, taken[0], taken[1])
}

// report prints a line for each benchmark that both sides have.
func report(out io.Writer, base, now gobench.Results) error {
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
