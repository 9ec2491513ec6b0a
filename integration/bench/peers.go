package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/bench/gobench"
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

// bareTake runs the take script's own benchmark, which starts a server like ours.
func (b *bench) bareTake(batch, n int) (float64, error) {
	name, found := fmt.Sprintf("BenchmarkTake%d", batch), gobench.Results{}
	if err := b.bare.Measure(b.ctx, found, "^"+name+"$", fmt.Sprintf("%dx", n)); err != nil {
		return 0, err
	}
	if len(found[name]["ns/op"]) == 0 {
		return 0, fmt.Errorf("%s did not run", name)
	}
	return 1e9 / found[name]["ns/op"][0], nil
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
