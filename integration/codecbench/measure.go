package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
)

// results are samples in nanoseconds per value, by what was measured.
type results struct {
	ns     map[string][]float64
	allocs map[string]float64
	sizes  map[string]int
	limits map[string]int // allocations that a row may take
	java   string         // the JVM of the run
}

func newResults() *results {
	return &results{ns: map[string][]float64{}, allocs: map[string]float64{}, sizes: map[string]int{}, limits: map[string]int{}}
}

// measureGo takes n samples of every row, round by round, so that a slow minute
// hits all of them.
func measureGo(ctx context.Context, rows []row, n int, sample time.Duration, r *results) error {
	for range n {
		for _, row := range rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			ns, allocs, err := measure(row.op, sample)
			if err != nil {
				return fmt.Errorf("%s: %w", row.what, err)
			}
			key := "go " + row.what
			r.ns[key] = append(r.ns[key], ns)
			r.allocs[key], r.sizes[key], r.limits[key] = allocs, row.bytes, row.allowed
		}
	}
	return nil
}

// measure repeats an operation for about the given time and returns nanoseconds
// and allocations of one.
func measure(op func() error, sample time.Duration) (ns, allocs float64, err error) {
	const warmUp = 200
	started := time.Now()
	for range warmUp {
		if err := op(); err != nil {
			return 0, 0, err
		}
	}
	n := max(1, int(sample/max(time.Since(started)/warmUp, 1)))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started = time.Now()
	for range n {
		if err := op(); err != nil {
			return 0, 0, err
		}
	}
	took := time.Since(started)
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n), nil
}

// jmhResult is what is used of JMH's JSON.
type jmhResult struct {
	Benchmark     string            `json:"benchmark"`
	Params        map[string]string `json:"params"`
	JDKVersion    string            `json:"jdkVersion"`
	VMName        string            `json:"vmName"`
	PrimaryMetric struct {
		RawData [][]float64 `json:"rawData"` // by fork
	} `json:"primaryMetric"`
}

// measureJVM runs JMH and adds the samples of all its forks.
func measureJVM(ctx context.Context, p plan, r *results) error {
	dir, err := os.MkdirTemp("", "codecbench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is small and in the system's temporary directory
	file := filepath.Join(dir, "jmh.json")
	args := append([]string{"-bm", "avgt", "-tu", "ns", "-foe", "true", "-rf", "json", "-rff", file}, p.jmh...)
	cmd := exec.CommandContext(ctx, filepath.Join(here(), "..", "java", "jmh.sh"), args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err = cmd.Run(); err != nil {
		return fmt.Errorf("JMH: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all []jmhResult
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, b := range all {
		// duequeue.bench.Kryo5.decode
		parts := strings.Split(b.Benchmark, ".")
		codec, op := strings.ToLower(parts[len(parts)-2]), parts[len(parts)-1]
		key := "jvm " + codec + " " + b.Params["payload"] + " " + op
		for _, fork := range b.PrimaryMetric.RawData {
			r.ns[key] = append(r.ns[key], fork...)
		}
		r.java = b.VMName + " " + b.JDKVersion
	}
	return nil
}

// median returns the middle of the samples, and false where there is none.
func (r *results) median(what string) (float64, bool) {
	samples := r.ns[what]
	return rounds.Median(samples), len(samples) > 0
}

// spread is the width of the middle half of the samples against the median, in percent.
func (r *results) spread(what string) float64 {
	samples := slices.Sorted(slices.Values(r.ns[what]))
	m, ok := r.median(what)
	if !ok {
		return 0
	}
	return 100 * (samples[len(samples)*3/4] - samples[len(samples)/4]) / m
}

// ratio is one median over another; false where either was not measured.
func (r *results) ratio(what, peer string) (float64, bool) {
	a, ok := r.median(what)
	b, found := r.median(peer)
	return a / b, ok && found
}
