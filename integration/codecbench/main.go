// Command codecbench measures what codecs cost in Go and on the JVM, in one run on
// the same payloads, and writes RESULTS.md: time per value, ratios, and whether the
// goals are met. The Go half goes through the public API, codecs.For; the JVM half
// is JMH on the libraries that Redisson uses, set up as it does. The Go half runs
// before and after JMH, so that a machine that changes meanwhile shows as spread.
//
// Usage: codecbench [-quick] [-payload order] [-out RESULTS.md] [-check]
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
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/bench/recorded"
	"github.com/duequeue/duequeue/framework/integration/host"
)

func main() {
	quick := flag.Bool("quick", false, "a short look: too few samples to judge by")
	payload := flag.String("payload", "", "only this payload: order, map, strings100 or nested5; all take half an hour")
	out := flag.String("out", filepath.Join(here(), "RESULTS.md"), "file that the results are written to")
	check := flag.Bool("check", false, "compare the ratios with those in RESULTS.md instead of writing them")
	flag.Parse()
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *quick, *payload, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "codecbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, quick bool, payload, out string, check bool) error {
	p := fullPlan()
	if quick {
		p = quickPlan()
	}
	rows, err := goRows()
	if err != nil {
		return err
	}
	if payload != "" {
		p.payload = payload
		p.jmh = append(p.jmh, "-p", "payload="+payload)
		rows = slices.DeleteFunc(rows, func(r row) bool { return !strings.Contains(r.what, " "+payload+" ") })
	}
	if len(rows) == 0 {
		return fmt.Errorf("there is no payload %q", payload)
	}
	r := &report{plan: p, started: time.Now(), machine: host.Line(), loadBefore: host.LoadAverage(), results: newResults()}
	half := p.goSamples / 2
	if err = measureGo(ctx, rows, half, p.goSample, r.results); err != nil {
		return err
	}
	if err = measureJVM(ctx, p, r.results); err != nil {
		return err
	}
	if err = measureGo(ctx, rows, p.goSamples-half, p.goSample, r.results); err != nil {
		return err
	}
	if payload == "" || payload == "order" {
		if err = measureTwins(ctx, p, r.results); err != nil {
			return err
		}
	}
	r.took, r.loadAfter = time.Since(r.started), host.LoadAverage()
	text := r.markdown()
	if check {
		return checkRatios(text)
	}
	if err = os.WriteFile(out, []byte(text), 0o644); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(text)
	return err
}

// checkRatios compares Go ÷ JVM with that of the recorded results.
func checkRatios(text string) error {
	return recorded.Check(os.Stdout, filepath.Join(here(), "RESULTS.md"), text, timesHeading, ratioColumn, recorded.Smaller, nil)
}

// gcPercent is GOGC of the Go half. The heap of a benchmark is so small that the
// default would collect it a hundred times a second, which no service does.
const gcPercent = 400

// here is this package's directory.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// plan is how long everything is measured.
type plan struct {
	quick     bool
	goSamples int           // of each row
	goSample  time.Duration // one of them
	jmh       []string      // arguments
	payload   string        // only this one; empty for all
}

func fullPlan() plan {
	return plan{
		goSamples: 10, goSample: 500 * time.Millisecond,
		jmh: []string{"-f", "3", "-wi", "3", "-w", "1s", "-i", "4", "-r", "1s"},
	}
}

func quickPlan() plan {
	return plan{
		quick: true, goSamples: 2, goSample: 50 * time.Millisecond,
		jmh: []string{"-f", "1", "-wi", "1", "-w", "500ms", "-i", "1", "-r", "500ms"},
	}
}
