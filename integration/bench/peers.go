package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// blpop is the plainest consumer there is: no safety, one message a round trip.
func (b *bench) blpop(n int) (float64, error) {
	watch := newStopwatch(n)
	for !watch.finished() {
		if err := b.rdb.BLPop(b.ctx, time.Second, "list").Err(); err != nil {
			return 0, err
		}
		watch.hit()
	}
	return watch.rate(b.ctx)
}

// lpop is the fastest one, without any safety.
func (b *bench) lpop(n int) (float64, error) {
	watch := newStopwatch(n)
	for !watch.finished() {
		got, err := b.rdb.LPopCount(b.ctx, "list", 100).Result()
		if err != nil {
			return 0, err
		}
		for range got {
			watch.hit()
		}
	}
	return watch.rate(b.ctx)
}

var nsPerMessage = regexp.MustCompile(`\s([0-9.]+) ns/op`)

// bareTake runs the take script's own benchmark, which starts a server like ours.
func (b *bench) bareTake(batch, n int) (float64, error) {
	cmd := exec.CommandContext(b.ctx, b.bare, "-test.run=^$",
		fmt.Sprintf("-test.bench=^BenchmarkTake%d$", batch), fmt.Sprintf("-test.benchtime=%dx", n))
	cmd.Dir = filepath.Join(here(), "..", "..", "framework", "internal", "lease")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	found := nsPerMessage.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no result in\n%s", out)
	}
	ns, err := strconv.ParseFloat(string(found[1]), 64)
	return 1e9 / ns, err
}

// pprofTop is what costs most, as a table.
func pprofTop(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=45", path).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	_, table, _ := strings.Cut(string(out), "\nShowing")
	return "Showing" + table, nil
}
