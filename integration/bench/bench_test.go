package main

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// momentPlan lets each part run for a moment.
var momentPlan = plan{
	rounds: 1, single: 300, batch: 500, bulk: 1_000, lateFor: 500 * time.Millisecond,
	burst: 1_000, pending: 5_000, steadyRounds: 1, steadyFor: time.Second, calls: 5, offers: 300, bulkOffers: 2_000,
	idleFor: time.Second, pushes: 5, rush: 1_000,
	codecSample: time.Millisecond, jmh: []string{"-f", "1", "-wi", "0", "-i", "1", "-r", "10ms"},
}

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" { // a process that a part has started
		if err := serveCommands(context.Background()); err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRatioIsTheMedianOfTheRounds(t *testing.T) {
	t.Parallel()
	s := series{"a": {10, 30, 8}, "b": {5, 10, 8}} // 2, 3, 1
	if got := s.ratio("a", "b"); got != 2 {
		t.Errorf("ratio %v, want 2", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
	if !math.IsNaN(s.ratio("a", "c")) {
		t.Error("a ratio to what was not measured is a number")
	}
}

// Each part runs for a moment, which needs a JVM and Node.js.
func TestParts(t *testing.T) {
	if !lab.LongForm() {
		return
	}
	b, err := newBench(t.Context(), momentPlan)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	page, err := b.measure(parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"## Consume", "## Codecs", "| goal |"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %q:\n%s", part, page)
		}
	}
}
