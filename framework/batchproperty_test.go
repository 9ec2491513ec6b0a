package framework_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// step is what the handler does with a message at one attempt.
type step int

const (
	succeeds step = iota
	fails
	laterOn
	rejects
	hopeless
	spoils // fails the whole batch
	panics // so
	steps
)

const propertyAttempts = 3

// fate is where a message ends by its own steps alone, whatever its neighbours do.
func fate(script []step) (attempts int, reason string) {
	for i, s := range script {
		switch s {
		case succeeds:
			return i + 1, ""
		case rejects, hopeless:
			return i + 1, handlers.ReasonRejected
		case fails, laterOn, spoils, panics, steps:
		}
	}
	return propertyAttempts, handlers.ReasonExhausted
}

// obey does to a batch what the scripts say.
func obey(ds []*handlers.Delivery[int64], scripts [][]step) error {
	errs := make([]error, len(ds))
	for i, d := range ds {
		switch scripts[d.Payload][d.Failed()] {
		case spoils:
			return errors.New("spoiled")
		case panics:
			panic("spoiled")
		case fails:
			errs[i] = errors.New("failed")
		case laterOn:
			errs[i] = handlers.RetryAfter(time.Second, nil)
		case rejects:
			errs[i] = handlers.Reject("never")
		case hopeless:
			errs[i] = handlers.Permanent(errors.New("never"))
		case succeeds, steps:
		}
	}
	return handlers.PerItem(errs)
}

// Each message ends where its own results lead it, in one place only and with its own
// number of attempts, whatever becomes of the others in its batches.
func TestEveryMessageEndsInOnePlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 2*int(steps)-1), likely), propertyAttempts, propertyAttempts)
		scripts := rapid.SliceOfN(script, 1, 40).Draw(rt, "scripts")
		opts := []framework.ConsumeOption{
			framework.Workers(rapid.IntRange(1, 3).Draw(rt, "workers")),
			framework.BatchSize(rapid.IntRange(1, 15).Draw(rt, "size")),
			framework.BatchWait(time.Duration(rapid.IntRange(0, 3).Draw(rt, "wait")) * time.Second),
			framework.Breaker(framework.BreakerConfig{Disabled: true}),
		}
		var found string
		frameworktest.Run(t, func(_ *testing.T, k *frameworktest.Kit) { found = runScripts(k, scripts, opts) })
		if found != "" {
			rt.Fatal(found)
		}
	})
}

// runScripts says what is wrong with the ends of the messages.
func runScripts(k *frameworktest.Kit, scripts [][]step, opts []framework.ConsumeOption) string {
	q := numbered(registry.MaxAttempts(propertyAttempts))
	frameworktest.HandleBatchFunc(k, q, func(_ context.Context, ds []*handlers.Delivery[int64]) error {
		return obey(ds, scripts)
	}, opts...)
	for i := range scripts {
		frameworktest.Offer(k, q, int64(i), time.Duration(i/7)*time.Second)
	}
	k.Advance(time.Hour)
	type end struct {
		done, charged int
		reasons       []string
	}
	ends := make([]end, len(scripts))
	for _, c := range k.Calls(q) {
		e := &ends[c.Payload.(int64)]
		switch c.Outcome {
		case handlers.Done:
			e.done++
			e.charged++
		case handlers.Retried, handlers.Rejected:
			e.charged++
		case handlers.Released: // its batch failed as a whole
		}
	}
	for _, d := range k.Dead(q) {
		var i int
		if _, err := fmt.Sscan(string(d.Body), &i); err != nil {
			return err.Error()
		}
		ends[i].reasons = append(ends[i].reasons, d.Reason)
	}
	for i, e := range ends {
		attempts, reason := fate(scripts[i])
		good := e.charged == attempts && e.done+len(e.reasons) == 1
		if reason != "" {
			good = good && e.done == 0 && e.reasons[0] == reason
		}
		if !good {
			return fmt.Sprintf("message %d with %v ended as %+v, want %d attempts and %q", i, scripts[i], e, attempts, reason)
		}
	}
	if n := k.Counts(q); n.Ready+n.Pending+n.Running != 0 {
		return fmt.Sprintf("left over: %+v", n)
	}
	return ""
}

// likely draws a step: half of them succeed.
func likely(i int) step { return step(max(0, i-int(steps))) }
