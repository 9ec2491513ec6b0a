// Command bench measures duequeue beside its peers, all in one run on one machine. It
// starts its own Redis servers and one JVM. Rounds are interleaved, and a ratio is the
// median of those taken inside the rounds, so that a busy machine disturbs both sides.
//
// A part takes about ten minutes at most on two slow cores, and all together 78.
//
// The engine's parts write RESULTS.md: consume (beside asynq, BullMQ and Redisson), lateness,
// offers, idle.
//
// The delayed queue's write RESULTS-delayed.md and the plots, beside the jar on copies of what
// the jar offered:
//
//	burst      very many messages due at one instant, handled through the public API
//	overdue    the same, due before the process begins
//	pending    what a transfer costs among 10k to 1M pending messages
//	steady     messages fall due steadily among 500k pending; Redis with a log on disk and a replica
//	processes  1 and 4 processes on one queue
//	bulk       offers in bulk
//	cancel     Cancel, CancelKey and Reschedule among 1M pending messages
//	peers      offers and messages due at once, beside asynq, BullMQ and Redisson
//
// Those of very many write RESULTS-scale.md and its plots:
//
//	callers    offers by many goroutines at the same time
//	partitions one queue over a cluster of three
//	thousand   a thousand queues in one process
//	mixed      four processes and a JVM on a thousand queues, every message accounted for
//	fleets10   1 to 300 processes with 10 queues each
//	fleets50   the same with 50 queues each
//
// Many pending messages need memory: 3 GB for pending and cancel. consume and peers install
// BullMQ, for which they need Node.js and npm.
//
//	make bench                           everything
//	make bench PARTS=delayed             the parts of one file: engine, delayed or scale
//	make bench PARTS=burst,bulk          some parts: replaces their chapters of the files
//	make bench QUICK=1 PARTS=delayed     a short look: prints, writes no file
//	make bench-check                     a short look at consume, beside the ratios of RESULTS.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/framework/integration/bench/recorded"
)

func main() {
	if spec := os.Getenv(roleEnv); spec != "" {
		debug.SetGCPercent(gcPercent)
		if err := serveRole(spec); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	quick := flag.Bool("quick", false, "fewer and shorter rounds; prints instead of writing files")
	parts := flag.String("parts", allParts, "what to measure: names of parts; engine, delayed or scale for all of one file; each replaces its own chapter of the file")
	out := flag.String("out", "", "file to write everything to instead")
	var set settings
	flag.StringVar(&set.profiles, "profiles", "", "directory to keep the CPU profiles in")
	flag.StringVar(&set.redisson, "redisson", "4.7.0", "release of Redisson to measure")
	flag.BoolVar(&set.check, "check", false, "compare the ratios of consume with those in RESULTS.md instead of writing files")
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
	wanted, err := choose(*parts)
	if err == nil {
		err = run(ctx, p, wanted, *out, set)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1) // the deferred stop has just been called
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

// The parts of each file, in the order in which they run.
var (
	engineParts  = []string{"consume", "lateness", "offers", "idle"}
	delayedParts = []string{"burst", "overdue", "pending", "steady", "processes", "bulk", "cancel", "peers"}
	scaleParts   = []string{"callers", "partitions", "thousand", "mixed", "fleets10", "fleets50"}
)

// allParts asks for the parts of all files.
const allParts = "engine,delayed,scale"

// choose returns the parts that a list of names means, in their order.
func choose(list string) ([]string, error) {
	all := slices.Concat(engineParts, delayedParts, scaleParts)
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		switch {
		case name == "engine":
			markAll(wanted, engineParts)
		case name == "delayed":
			markAll(wanted, delayedParts)
		case name == "scale":
			markAll(wanted, scaleParts)
		case slices.Contains(all, name):
			wanted[name] = true
		default:
			return nil, fmt.Errorf("no part called %q; there are engine, delayed, scale, %s", name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return !wanted[name] }), nil
}

func markAll(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}

func run(ctx context.Context, p plan, parts []string, out string, set settings) error {
	b, err := newBench(ctx, p, set)
	if err != nil {
		return err
	}
	defer b.close()
	h := head{plan: p, machine: b.machine, started: time.Now(), took: map[string]time.Duration{}}
	var engine report
	var delayed delayedReport
	var scale scaleReport
	steps := map[string]func() error{
		"consume":    func() (err error) { engine.consume, err = b.consumption(); return err },
		"lateness":   func() (err error) { engine.late, err = b.lateness(); return err },
		"offers":     func() (err error) { engine.offers, err = b.offering(); return err },
		"idle":       func() (err error) { engine.idle, err = b.idling(); return err },
		"burst":      func() (err error) { delayed.burst, err = b.bursting(false); return err },
		"overdue":    func() (err error) { delayed.overdue, err = b.bursting(true); return err },
		"pending":    func() (err error) { delayed.pending, err = b.amongPending(); return err },
		"steady":     func() (err error) { delayed.steady, err = b.keepingUp(); return err },
		"processes":  func() (err error) { delayed.crowd, err = b.crowding(); return err },
		"bulk":       func() (err error) { delayed.bulk, err = b.bulkOffering(); return err }, //nolint:contextcheck // it has the context of the program, b.ctx
		"cancel":     func() (err error) { delayed.cancel, err = b.cancelling(); return err },
		"peers":      func() (err error) { delayed.peers, err = b.peersDelayed(); return err },
		"partitions": func() (err error) { scale.spread, err = b.spreading(); return err },
		"callers":    func() (err error) { scale.callers, err = b.offeringTogether(); return err },
		"thousand":   func() (err error) { scale.thousand, err = b.thousand(); return err },
		"mixed":      func() (err error) { scale.mixed, err = b.mixing(); return err },
		"fleets10":   func() error { return b.curving(&scale.fleets, 10) }, //nolint:contextcheck // it has the context of the program, b.ctx
		"fleets50":   func() error { return b.curving(&scale.fleets, 50) }, //nolint:contextcheck // it has the context of the program, b.ctx
	}
	for _, part := range parts {
		b.need = max(b.need, p.captured(part))
	}
	var failed error
	for i, part := range parts {
		began := time.Now()
		if err := steps[part](); err != nil { // what was measured before is published
			failed, parts = fmt.Errorf("%s: %w", part, err), parts[:i]
			break
		}
		h.took[part] = time.Since(began)
		b.progress("%s took %.0f s", part, h.took[part].Seconds())
	}
	if len(parts) == 0 || b.check && failed != nil {
		return failed
	}
	h.others = b.others
	return errors.Join(failed, b.publish(parts, h, out, []resultFile{engine.file(), delayed.file(p), scale.file()}))
}

// checkRatios compares the goals that are ratios with those of the recorded results; the others
// depend on the machine.
func checkRatios(text string) error {
	return recorded.Check(os.Stdout, filepath.Join(here(), "RESULTS.md"), text, consumeHeading, measuredColumn, recorded.Larger,
		func(what string) bool { return strings.Contains(what, "÷") })
}

func (b *bench) writeAll(dir string, files map[string][]byte) error {
	for name, data := range files {
		path := filepath.Join(dir, name)
		b.progress("writing %s", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
