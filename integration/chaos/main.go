// Command chaos runs the matrix of faults: it starts Redis servers and processes that
// offer, transfer and handle, harms them, and accounts for every message by a ledger in
// a Redis of its own.
//
//	make chaos                            all rows, writes RESULTS.md beside this file
//	go run ./chaos -short                 fewer faults in each row, prints only
//	go run ./chaos -only storm -seed 7    one row (or several, by comma), prints only
//	go run ./chaos -list                  the names of the rows
//
// Progress goes to standard error. The exit code is 1 when a row fails that is judged,
// or one whose fault never struck.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/integration/host"
)

type flags struct {
	short, list bool
	seed        uint64
	only, out   string
}

func main() {
	if text := os.Getenv(envRole); text != "" {
		exitOn(play(text))
		return
	}
	var f flags
	flag.BoolVar(&f.short, "short", false, "fewer faults in each row; prints instead of writing RESULTS.md")
	flag.BoolVar(&f.list, "list", false, "print the names of the rows")
	flag.Uint64Var(&f.seed, "seed", 0, "seed of everything that is drawn by lot; 0 draws one")
	flag.StringVar(&f.only, "only", "", "rows to run, by comma; prints instead of writing RESULTS.md")
	flag.StringVar(&f.out, "out", "", "file to write instead of RESULTS.md or standard output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, f)
	stop()
	exitOn(err)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// allRows are the rows in the order in which they run.
func allRows() []row {
	return slices.Concat(processRows(), fleetRows(), serverRows(), stateRows(), networkRows(), clusterRows(), partitionRows(), clockRows(), longRows(), batchRows(), javaRows(), stormRows(), peerRows())
}

func run(ctx context.Context, f flags) error {
	rows, err := choose(f.only)
	if err != nil {
		return err
	}
	if f.list {
		for _, r := range rows {
			fmt.Fprintf(os.Stdout, "%-24s %s\n", r.name, r.title)
		}
		return nil
	}
	if f.seed == 0 {
		f.seed = rand.Uint64N(1e9) + 1
	}
	began := time.Now()
	logf := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%6.1fs %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	logf("seed %d", f.seed)
	ledger, err := fault.StartServer(ctx, fault.ServerOptions{Fsync: fault.Nothing})
	if err != nil {
		return err
	}
	defer func() { _ = ledger.Close() }() // nothing depends on it any more
	builds := &javaBuilds{}
	defer builds.close()
	h := &harness{ledger: ledger, java: builds, seed: f.seed, long: !f.short, log: logf}
	rep := report{command: "make chaos", seed: f.seed, short: f.short, began: began, load: host.LoadAverage()}
	if rep.results = h.all(ctx, rows); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := rep.describe(ctx, ledger); err != nil {
		return err
	}
	return errors.Join(write(f, &rep), rep.err())
}

// all runs the rows one after the other, those of the background beside them.
func (h *harness) all(ctx context.Context, rows []row) []result {
	results := make([]result, len(rows))
	one := func(i int) {
		h.log("row %d of %d: %s", i+1, len(rows), rows[i].title)
		results[i] = h.run(ctx, rows[i])
		h.log("%s: %s in %.1f s", rows[i].name, results[i].verdict(), results[i].took.Seconds())
	}
	var background sync.WaitGroup
	for i, r := range rows {
		if r.background {
			background.Go(func() { one(i) })
		}
	}
	for i, r := range rows {
		if !r.background && ctx.Err() == nil {
			one(i)
		}
	}
	background.Wait()
	return results
}

// write puts the report where the flags say.
func write(f flags, rep *report) error {
	out := f.out
	if out == "" && !f.short && f.only == "" {
		out = filepath.Join(here(), "RESULTS.md")
	}
	if out == "" {
		_, err := fmt.Fprint(os.Stdout, rep.markdown())
		return err
	}
	return os.WriteFile(out, []byte(rep.markdown()), 0o644)
}

// choose finds the rows by name.
func choose(names string) ([]row, error) {
	all := allRows()
	if names == "" {
		return slices.DeleteFunc(all, func(r row) bool { return r.name == "smoke" }), nil // it repeats a little of the others
	}
	var out []row
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(r row) bool { return r.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no row called %q; -list tells their names", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// errorsOf waits for as many results as the channel has room for.
func errorsOf(results chan error) error {
	var all error
	for range cap(results) {
		all = errors.Join(all, <-results)
	}
	return all
}
