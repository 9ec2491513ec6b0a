package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func TestWatchdogCancelsOnceAndSleepsWhileNothingRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		r := &handling{queue: &queue{policy: registry.Policy{Timeout: time.Second, Grace: time.Hour}, pool: &pool{slots: []*worker{w}}}}
		d := newWatchdog([]*handling{r})
		if d.tick != 50*time.Millisecond {
			t.Fatalf("tick %v", d.tick)
		}
		go d.loop()
		defer d.close()
		pass(time.Hour)
		synctest.Wait()
		if !d.asleep.Load() {
			t.Fatal("awake while nothing runs")
		}
		for range 2 {
			j := &job{started: time.Now()}
			j.ctx.Begin(t.Context(), time.Time{})
			ctx := context.Context(&j.ctx)
			w.current.Store(j)
			d.watch()
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), handlers.ErrTimeout) {
				t.Fatal(context.Cause(ctx))
			}
			if ran := time.Since(j.started); ran < time.Second || ran > time.Second+2*d.tick {
				t.Fatalf("cancelled after %v", ran)
			}
			w.current.Store(nil)
			pass(time.Minute)
		}
	})
}

func TestWatchdogLeavesHandlersWithoutTimeoutAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &worker{}
		r := &handling{queue: &queue{pool: &pool{slots: []*worker{w}}}}
		d := newWatchdog([]*handling{r})
		go d.loop()
		defer d.close()
		j := &job{started: time.Now()}
		j.ctx.Begin(t.Context(), time.Time{})
		ctx := context.Context(&j.ctx)
		w.current.Store(j)
		d.watch()
		pass(1000 * time.Hour)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
	})
}

// pass lets virtual time pass: it is called in bubbles of synctest only.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // virtual time
}
