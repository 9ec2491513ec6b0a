package framework_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// numbered is a queue of numbers for batches.
func numbered(opts ...registry.Option) *registry.Queue[int64] {
	all := append([]registry.Option{registry.Codec(codecs.Long()), registry.Backoff(registry.Steps(time.Minute))}, opts...)
	return registry.Define[int64]("numbered", "", all...)
}

// batchLog notes the batches that a handler got.
type batchLog struct {
	mu      sync.Mutex
	batches [][]int64
	at      []time.Time
}

func (l *batchLog) note(ds []*handlers.Delivery[int64]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var vs []int64
	for _, d := range ds {
		vs = append(vs, d.Payload)
	}
	l.batches = append(l.batches, vs)
	l.at = append(l.at, time.Now())
}

func (l *batchLog) sizes() (ns []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.batches {
		ns = append(ns, len(b))
	}
	return ns
}

// upTo is the numbers below n.
func upTo(n int64) (vs []int64) {
	for i := range n {
		vs = append(vs, i)
	}
	return vs
}

func offerNumbers(k *frameworktest.Kit, q *registry.Queue[int64], delay time.Duration, vs ...int64) {
	for _, v := range vs {
		frameworktest.Offer(k, q, v, delay)
	}
}

func TestBatchesAreWhatIsReady(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			<-time.After(time.Second)
			return nil
		}, framework.Workers(1), framework.BatchSize(20))
		offerNumbers(k, q, time.Minute, upTo(50)...)
		k.Advance(2 * time.Minute)
		k.RequireHandled(q, 50)
		if got := log.sizes(); !slices.Equal(got, []int{20, 20, 10}) {
			t.Errorf("batches of %v", got)
		}
		if got := frameworktest.Handled(k, q); !slices.Equal(got, upTo(50)) {
			t.Errorf("order %v", got)
		}
		for _, c := range k.Calls(q) {
			if late := c.Started.Sub(c.Due); c.Payload.(int64) < 20 && late > 2*time.Millisecond {
				t.Errorf("%v was late by %v", c.Payload, late)
			}
		}
	})
}

// While one batch runs, a second worker takes what comes.
func TestWorkersCountBatches(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			<-time.After(time.Minute)
			return nil
		}, framework.Workers(2), framework.BatchSize(10))
		for i := range int64(4) { // two batches run, the rest waits in Redis, not here
			offerNumbers(k, q, 0, 3*i, 3*i+1, 3*i+2)
			k.Advance(time.Second)
		}
		if got := log.sizes(); !slices.Equal(got, []int{3, 3}) {
			t.Errorf("batches of %v", got)
		}
		if got := k.Counts(q); got.Running != 6 || got.Ready != 6 {
			t.Errorf("counts %+v", got)
		}
		k.Advance(3 * time.Minute)
		if got := log.sizes(); !slices.Equal(got, []int{3, 3, 6}) {
			t.Errorf("batches of %v", got)
		}
	})
}

func TestBatchWait(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			return nil
		}, framework.Workers(2), framework.BatchSize(4), framework.BatchWait(10*time.Second))
		begin := time.Now()
		offerNumbers(k, q, 0, 1)
		k.Advance(4 * time.Second)
		offerNumbers(k, q, 0, 2)
		k.Advance(4 * time.Second)
		if len(log.sizes()) != 0 {
			t.Fatal("it did not wait")
		}
		k.Advance(4 * time.Second)
		due := time.Now().Add(time.Minute)
		offerNumbers(k, q, time.Minute, 3, 4, 5, 6, 7) // four fill a batch, the fifth waits
		k.Advance(2 * time.Minute)
		if got := fmt.Sprint(log.batches); got != "[[1 2] [3 4 5 6] [7]]" {
			t.Fatal(got)
		}
		for i, want := range []time.Time{begin.Add(10 * time.Second), due, due.Add(10 * time.Second)} {
			if off := log.at[i].Sub(want); off < 0 || off > 5*time.Millisecond {
				t.Errorf("batch %d began %v after %v", i, off, want)
			}
		}
	})
}

func TestEveryOutcomePerItem(t *testing.T) {
	t.Parallel()
	results := map[int64]error{
		1: errors.New("plain"), 2: handlers.Retry(nil), 3: handlers.RetryAfter(3*time.Minute, nil),
		4: handlers.Reject("no such order"), 5: handlers.Transient(errors.New("down")), 6: handlers.Permanent(errors.New("hopeless")),
	}
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, failed := numbered(), map[int64]bool{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			errs := make([]error, len(ds))
			for i, d := range ds {
				if !failed[d.Payload] {
					errs[i], failed[d.Payload] = results[d.Payload], true
				}
			}
			return handlers.PerItem(errs)
		}, framework.Workers(1))
		begin := time.Now()
		offerNumbers(k, q, time.Second, upTo(8)...)
		k.Advance(time.Second)
		k.RequireHandled(q, 2) // 0 and 7
		k.RequireRetried(q, 4)
		k.RequireDead(q, 2)
		k.Advance(10 * time.Minute)
		k.RequireHandled(q, 6)
		for _, d := range k.Dead(q) {
			if d.Reason != handlers.ReasonRejected {
				t.Errorf("dead: %+v", d)
			}
		}
		for _, c := range k.Calls(q)[8:] {
			want, attempt := time.Minute, 2
			switch c.Payload {
			case int64(3):
				want = 3 * time.Minute
			case int64(5): // transient
				attempt = 1
			}
			if c.Attempt != attempt || c.Started.Sub(begin) < want {
				t.Errorf("second call %+v", c)
			}
		}
	})
}

// failWhole are the ways in which one message can spoil a whole batch.
var failWhole = map[string]func(ctx context.Context) error{
	"panic":     func(context.Context) error { panic("oops") },
	"error":     func(context.Context) error { return errors.New("constraint violated") },
	"permanent": func(context.Context) error { return handlers.Permanent(errors.New("syntax error")) },
	"goexit":    func(context.Context) error { runtime.Goexit(); return nil },
	"timeout":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	"hangs":     func(context.Context) error { <-time.After(time.Hour); return errors.New("at last") },
}

// One bad message hurts itself only: its neighbours are handled at once and are
// charged nothing, even where the first failure is the last.
func TestWholeFailureHurtsOnlyTheCulprit(t *testing.T) {
	t.Parallel()
	for name, fail := range failWhole {
		for _, attempts := range []int{1, 3} {
			if attempts == 1 && name != "error" && name != "hangs" && !lab.LongForm() {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d attempts", name, attempts), func(t *testing.T) {
				t.Parallel()
				frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) { spoil(t, k, fail, attempts) })
			})
		}
	}
}

func spoil(t *testing.T, k *frameworktest.Kit, fail func(context.Context) error, attempts int) {
	q := numbered(registry.MaxAttempts(attempts), registry.Timeout(time.Second), registry.Grace(time.Second))
	frameworktest.HandleBatchFunc(k, q, func(ctx context.Context, ds []*handlers.Delivery[int64]) error {
		for _, d := range ds {
			if d.Payload == 3 {
				return fail(ctx)
			}
			if d.Payload < 12 && d.Redelivered() != (len(ds) == 1) {
				t.Errorf("%d in a batch of %d: redelivered %v", d.Payload, len(ds), d.Redelivered())
			}
		}
		return nil
	}, framework.Workers(2), framework.BatchWait(5*time.Second), framework.BatchSize(12))
	offerNumbers(k, q, time.Second, upTo(12)...)
	k.Advance(10 * time.Second)
	k.RequireHandled(q, 11)
	if !k.Engine().Health().Ready && !strings.Contains(fmt.Sprint(k.Engine().Health().Reasons), "hang") {
		t.Errorf("the intake closed for one bad message: %v", k.Engine().Health().Reasons)
	}
	for i := range int64(30) { // beside the culprit's next attempts
		offerNumbers(k, q, time.Duration(2*i)*time.Second, 20+i)
	}
	k.Advance(2 * time.Hour)
	k.RequireHandled(q, 41)
	k.RequireDead(q, 1)
	if d := k.Dead(q)[0]; string(d.Body) != "3" {
		t.Errorf("dead: %+v", d)
	}
	together := 0
	for _, c := range k.Calls(q) {
		if c.Payload.(int64) >= 20 {
			together = max(together, c.Batch)
		}
		switch {
		case c.Payload != int64(3) && (c.Attempt != 1 || c.Batch > 1 && c.Outcome != handlers.Done && c.Outcome != handlers.Released):
			t.Errorf("a neighbour suffers: %+v", c)
		case c.Payload == int64(3) && c.Attempt > 1 && c.Batch > 1:
			t.Errorf("what has spoiled a batch is put into another: %+v", c)
		}
	}
	if together < 2 {
		t.Error("no batches any more")
	}
}

func TestResultsThatDoNotFitFailAll(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q := numbered(registry.MaxAttempts(2))
		frameworktest.HandleBatchFunc(k, q, func(context.Context, []*handlers.Delivery[int64]) error {
			return handlers.PerItem(nil)
		}, framework.Workers(1), framework.Breaker(framework.BreakerConfig{Disabled: true}))
		offerNumbers(k, q, 0, 1, 2, 3)
		k.Advance(time.Hour)
		k.RequireHandled(q, 0)
		k.RequireDead(q, 3)
		if d := k.Dead(q)[0]; !strings.Contains(d.Detail, "handlers.PerItem") {
			t.Errorf("dead: %+v", d)
		}
	})
}

func TestUndecodableLeavesItsBatch(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			return nil
		}, framework.Workers(1))
		offerNumbers(k, q, time.Second, 1)
		k.OfferBytes(q, []byte("no number"), time.Second)
		offerNumbers(k, q, time.Second, 2)
		k.Advance(time.Second)
		k.RequireHandled(q, 2)
		k.RequireDead(q, 1)
		if got := fmt.Sprint(log.batches); got != "[[1 2]]" {
			t.Errorf("batches %s", got)
		}
		for range 30 { // a wrong deploy: nothing is lost, the intake closes
			k.OfferBytes(q, []byte("of another codec"), time.Second)
		}
		k.Advance(2 * time.Second)
		k.RequireDead(q, 1)
		h := k.Engine().Health() // ready, since some could be decoded
		if n := k.Counts(q); n.Ready != 30 || !h.Ready || len(h.Degraded) != 1 || h.Queues[0].Reason != health.BecauseUndecodable {
			t.Errorf("%+v, health %+v", n, h)
		}
	})
}

func TestStaleMessagesLeaveTheirBatch(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(registry.MaxLateness(10*time.Second, registry.Expire)), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			<-time.After(30 * time.Second)
			return nil
		}, framework.Workers(1))
		offerNumbers(k, q, 0, 1)
		k.Advance(time.Second)
		offerNumbers(k, q, 0, 2, 3)
		offerNumbers(k, q, 28*time.Second, 4, 5)
		k.Advance(time.Hour)
		k.RequireHandled(q, 3)
		k.RequireDead(q, 2)
		if d := k.Dead(q)[0]; d.Reason != handlers.ReasonExpired {
			t.Errorf("dead: %+v", d)
		}
		if got := fmt.Sprint(log.batches); got != "[[1] [4 5]]" {
			t.Errorf("batches %s", got)
		}
	})
}

func TestOutageOfABatchHandler(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"plain": errors.New("down"), "transient": handlers.Transient(errors.New("down"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
				q, log := numbered(registry.MaxAttempts(2)), &batchLog{}
				down := true
				frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
					log.note(ds)
					if down {
						return failure
					}
					return nil
				}, framework.Workers(2), framework.BatchSize(50))
				offerNumbers(k, q, time.Second, upTo(200)...)
				k.Advance(2 * time.Second)
				if n := len(log.sizes()); n > 2+5+2 { // the batches, what opens the breaker, what ran beside it
					t.Errorf("%d calls before the intake closed", n)
				}
				if k.Engine().Health().Queues[0].Intake == health.IntakeOpen {
					t.Error("the intake is open")
				}
				k.Advance(30 * time.Minute)
				k.RequireHandled(q, 0)
				for _, n := range log.sizes()[9:] {
					if n > 3 {
						t.Errorf("a probe of %d messages", n)
					}
				}
				down = false
				k.Advance(30 * time.Minute)
				k.RequireHandled(q, 200)
				k.RequireDead(q, 0)
			})
		})
	}
}

func TestBatchUnderARateLimit(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q, log := numbered(), &batchLog{}
		frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
			log.note(ds)
			return nil
		}, framework.Workers(1), framework.BatchSize(10), framework.BatchWait(10*time.Second), framework.RateLimit(2, 1))
		offerNumbers(k, q, 0, upTo(40)...)
		k.Advance(5 * time.Second)
		k.RequireHandled(q, 10)
		k.Advance(25 * time.Second)
		k.RequireHandled(q, 40)
		if got := log.sizes(); !slices.Equal(got, []int{10, 10, 10, 10}) {
			t.Errorf("batches of %v", got)
		}
	})
}
