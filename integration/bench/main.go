// Command bench measures duequeue and its peers, in one run on one machine, and writes a page of
// results. It starts its own Redis servers, a JVM and Node.js. All that is compared runs in
// each round, and a ratio is the median of the ratios of the rounds, so that a busy machine
// disturbs both sides.
//
//	go run ./bench                          everything; writes bin/results/bench.md
//	go run ./bench -quick                   the same in some ten minutes
//	go run ./bench -quick -parts burst,bulk some parts; prints instead of writing
//
// Two commits are compared by "go test -bench" in each and benchstat.
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
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// gcPercent is GOGC of all Go programs measured, ours and peers alike: the heap of a benchmark is
// so small that the default would collect it a hundred times a second, which no service does.
const gcPercent = 400

// part makes a chapter of the page.
type part struct {
	name string
	run  func(b *bench) (*chapter, error)
}

// parts in the order in which they run.
var parts = []part{
	{"consume", (*bench).consume},
	{"lateness", (*bench).lateness},
	{"burst", func(b *bench) (*chapter, error) { return b.bursts(false) }},
	{"overdue", func(b *bench) (*chapter, error) { return b.bursts(true) }},
	{"steady", (*bench).steady},
	{"cancel", (*bench).cancel},
	{"offers", (*bench).offers},
	{"bulk", (*bench).bulk},
	{"idle", (*bench).idle},
	{"processes", (*bench).processes},
	{"codecs", (*bench).codecs},
}

// plan says how much is measured.
type plan struct {
	command string
	rounds  int // of everything but steady and idle

	single, batch, bulk int           // messages of one measurement of consume, by how fast they go
	lateFor             time.Duration // of messages that fall due at each rate
	burst               int           // messages due together
	pending             int           // messages, of steady and cancel
	steadyRounds        int
	steadyFor           time.Duration
	calls               int // of each operation that cancels
	offers              int // of one caller; many make more
	bulkOffers          int
	idleFor             time.Duration
	pushes              int           // messages into one of many idle queues
	rush                int           // messages of a rush on several processes
	codecSample         time.Duration // of one codec in Go
	jmh                 []string      // arguments, of one round
}

var fullPlan = plan{
	command: "`go run ./bench`", rounds: 5, single: 15_000, batch: 100_000, bulk: 300_000, lateFor: 5 * time.Second,
	burst: 100_000, pending: 500_000, steadyRounds: 3, steadyFor: 20 * time.Second, calls: 500, offers: 15_000, bulkOffers: 200_000,
	idleFor: 30 * time.Second, pushes: 200, rush: 100_000,
	codecSample: 300 * time.Millisecond, jmh: []string{"-f", "1", "-wi", "3", "-w", "1s", "-i", "3", "-r", "1s"},
}

var quickPlan = plan{
	command: "`go run ./bench -quick`", rounds: 2, single: 4_000, batch: 40_000, bulk: 100_000, lateFor: 2 * time.Second,
	burst: 20_000, pending: 500_000, steadyRounds: 1, steadyFor: 6 * time.Second, calls: 200, offers: 2_500, bulkOffers: 60_000,
	idleFor: 8 * time.Second, pushes: 100, rush: 30_000,
	codecSample: 60 * time.Millisecond, jmh: []string{"-f", "1", "-wi", "2", "-w", "1s", "-i", "2", "-r", "500ms"},
}

func main() {
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	if os.Getenv(roleEnv) != "" {
		return serveCommands(ctx)
	}
	quick := flag.Bool("quick", false, "fewer and shorter rounds")
	only := flag.String("parts", "", "what to measure, by comma; empty means everything")
	out := flag.String("out", "", "file to write; by default bin/results/bench.md for everything, standard output for some parts")
	profile := flag.String("profile", "", "directory for a CPU profile of this process, which is worth reading of one part")
	flag.Parse()
	wanted := slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
		return *only != "" && !slices.Contains(strings.Split(*only, ","), p.name)
	})
	if len(wanted) == 0 {
		return fmt.Errorf("there is no part %q", *only)
	}
	if *out == "" && *only == "" {
		*out = filepath.Join(here(), "..", "..", "bin", "results", "bench.md")
		if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
			return err
		}
	}
	if err := os.Setenv("GOGC", strconv.Itoa(gcPercent)); err != nil { // of the benchmarks of other packages
		return err
	}
	p := fullPlan
	if *quick {
		p = quickPlan
	}
	b, err := newBench(ctx, p)
	if err != nil {
		return err
	}
	defer b.close()
	if *profile != "" {
		var file *os.File
		if file, err = os.Create(filepath.Join(*profile, "bench.pprof")); err == nil {
			err = pprof.StartCPUProfile(file)
		}
		if err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	page, err := b.measure(wanted)
	if err != nil || *out == "" {
		fmt.Print(page)
		return err
	}
	return os.WriteFile(*out, []byte(page), 0o644)
}

// measure runs parts and returns the page. Where one fails, the page has those before it.
func (b *bench) measure(wanted []part) (string, error) {
	var chapters []*chapter
	for _, p := range wanted {
		b.progress("%s", p.name)
		began, before := time.Now(), cpuNow()
		c, err := p.run(b)
		if err != nil {
			return b.page(chapters), fmt.Errorf("%s: %w", p.name, err)
		}
		c.took, c.others = time.Since(began), cpuNow().others(before)
		chapters = append(chapters, c)
	}
	return b.page(chapters), nil
}

// here is the directory of this program's source.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}
