// Command bench measures duequeue beside its peers, all in one run on one machine:
// consumption, lateness, single offers, and what an idle queue costs. It starts its
// own Redis servers and one JVM. Rounds are interleaved, and a ratio is the median
// of those taken inside the rounds, so that a busy machine disturbs both sides.
//
//	make bench            everything, writes RESULTS.md beside this file
//	make bench QUICK=1    shorter, prints only
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "fewer and shorter rounds; prints instead of writing RESULTS.md")
	parts := flag.String("parts", strings.Join(allParts, ","), "what to measure; with fewer than all it prints instead of writing RESULTS.md")
	out := flag.String("out", "", "file to write instead of RESULTS.md or standard output")
	var set settings
	flag.StringVar(&set.profiles, "profiles", "", "directory to keep the CPU profiles in")
	flag.StringVar(&set.redisson, "redisson", "4.7.0", "release of Redisson to measure")
	flag.BoolVar(&set.verbose, "v", false, "tell each measurement as it is made")
	flag.Parse()
	debug.SetGCPercent(gcPercent)
	if err := os.Setenv("GOGC", strconv.Itoa(gcPercent)); err != nil { // of the bare take script's program
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := fullPlan
	if *quick {
		p = quickPlan
	}
	wanted := strings.Split(*parts, ",")
	if *out == "" && !*quick && len(wanted) == len(allParts) {
		*out = filepath.Join(here(), "RESULTS.md")
	}
	if err := run(ctx, p, wanted, *out, set); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1) //nolint:gocritic // the deferred stop has just been called
	}
}

// gcPercent is GOGC for every Go program measured, ours and peers alike. The heap
// of a benchmark is so small that the default would collect it a hundred times a
// second, which no service does.
const gcPercent = 400

// here is the directory of this program's source.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// allParts are the names for -parts, in the order in which they run.
var allParts = []string{"consume", "lateness", "offers", "idle"}

func run(ctx context.Context, p plan, parts []string, out string, set settings) error {
	b, err := newBench(ctx, p, set)
	if err != nil {
		return err
	}
	defer b.close()
	r := report{command: "make bench", plan: p, machine: b.machine, started: time.Now(), loadBefore: loadAverage()}
	if p.name == quickPlan.name {
		r.command += " QUICK=1"
	}
	steps := map[string]func() error{
		"consume":  func() (err error) { r.consume, err = b.consumption(); return err },
		"lateness": func() (err error) { r.late, err = b.lateness(); return err },
		"offers":   func() (err error) { r.offers, err = b.offering(); return err },
		"idle":     func() (err error) { r.idle, err = b.idling(); return err },
	}
	for _, part := range parts {
		step := steps[part]
		if step == nil {
			return fmt.Errorf("no part called %q; there are %s", part, strings.Join(allParts, ", "))
		}
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	r.took, r.loadAfter, r.others = time.Since(r.started), loadAverage(), b.others
	text := r.markdown()
	if out == "" {
		fmt.Print(text)
		return nil
	}
	b.progress("writing %s", out)
	return os.WriteFile(out, []byte(text), 0o644)
}
