package framework

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Offers without a key pass over a partition that failed a moment ago, one of them tries it now
// and then, and where all have failed all are in turn again.
func TestPartitionsThatFailRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSpread(delayed.Declared{Spread: delayed.Spread{N: 4}}, make([]wire.Keys, 4))
		for range 4 {
			s.parts = append(s.parts, &target{})
		}
		drawn := func(n int) map[*target]int {
			out := map[*target]int{}
			for range n {
				out[s.next()]++
			}
			return out
		}
		if got := drawn(8); got[s.parts[0]] != 2 || got[s.parts[3]] != 2 {
			t.Errorf("in turn: %v", got)
		}
		bad := s.parts[1]
		for _, err := range []error{
			&fault.OutcomeUnknownError{Err: errors.New("lost")}, context.DeadlineExceeded, rediserr.Answer("LOADING x"), rediserr.Answer("OOM x"),
		} {
			bad.rest.after(&fault.QueueError{Err: err})
			if got := drawn(9); got[bad] != 0 || len(got) != 3 || got[s.parts[0]] < 2 || got[s.parts[3]] < 2 {
				t.Errorf("%v: %v", err, got)
			}
			<-time.After(restFirst)
			if got := drawn(9); got[bad] != 1 {
				t.Errorf("%v: it is tried %d times", err, got[bad])
			}
			for range 2 { // and of another one that was under way
				bad.rest.after(err)
			}
			<-time.After(2*restFirst - 1)
			if got := drawn(9); got[bad] != 0 {
				t.Errorf("%v: it is tried too soon", err)
			}
			<-time.After(1)
			if got := drawn(9); got[bad] != 1 {
				t.Errorf("%v: it is tried %d times", err, got[bad])
			}
			bad.rest.after(nil)
		}
		bad.rest.after(nil)
		if got := drawn(8); got[bad] != 2 {
			t.Errorf("it works again: %v", got)
		}
		for _, err := range []error{context.Canceled, &fault.DelayError{}, rediserr.Answer("WRONGTYPE x")} {
			if bad.rest.after(err); drawn(4)[bad] != 1 {
				t.Errorf("%v: it is passed over", err)
			}
		}
		for _, p := range s.parts {
			p.rest.after(context.DeadlineExceeded)
		}
		if got := drawn(8); len(got) != 4 {
			t.Errorf("all have failed: %v", got)
		}
	})
}

// Of a node that hangs each partition takes one offer, then the others get them.
func TestOffersPassOverANodeThatHangs(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t, lab.Args("--cluster-require-full-coverage", "no"))
	c := openFor(t, Config{Redis: RedisConfig{Addrs: cluster.Addrs(), ReadTimeout: 500 * time.Millisecond}, NoTransfer: true}, WithLogger(slog.New(slog.DiscardHandler)))
	const parts = 6
	q := Bind(c, registry.Define[string]("hangs", "", registry.Codec(codecs.String()), registry.Partitions(parts), registry.OnForeign(registry.ForeignIgnore)))
	for range parts {
		if _, err := q.Offer(t.Context(), "x", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	hung := cluster.Nodes()[wire.Slot(wire.PartitionName("hangs", 1))*3/wire.Slots]
	hung.Pause()
	defer hung.Resume()
	failed := 0
	for range 20 * parts {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := q.Offer(ctx, "x", time.Hour); err != nil {
			failed++
		}
		cancel()
	}
	if failed == 0 || failed > 12 { // at least 20 for each partition that hangs, where none is passed over
		t.Errorf("%d of %d offers failed", failed, 20*parts)
	}
}
