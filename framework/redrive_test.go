package framework_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// bury puts entries into the dead store of a queue, as the engine writes them.
func (b *bundle) bury(t *testing.T, queue, reason string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		err := b.redis.XAdd(t.Context(), &redis.XAddArgs{
			Stream: "duequeue:dead:{" + queue + "}",
			Values: []any{"body", body, "reason", reason, "detail", "why", "delivered", 5, "failed", 5, "at", 1700000000000},
		}).Err()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A message dies, its handler is mended, it is put back and handled as a new one.
func TestRedrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("redrive")
	var mended atomic.Bool
	handled := make(chan int, 1)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if !mended.Load() {
			return handlers.Reject("broken")
		}
		handled <- d.Attempt()
		return nil
	})))
	b.offer(t, q, "order")
	var dead []framework.DeadMessage
	lab.WaitFor(t, "it dies", func() bool { dead = b.dead(t, q); return len(dead) == 1 })
	if one, err := framework.Bind(b.client, q).Dead().Get(t.Context(), dead[0].Entry); err != nil || string(one.Body) != "order" || one.Reason != handlers.ReasonRejected {
		t.Errorf("%+v %v", one, err)
	}
	mended.Store(true)
	if err := framework.Bind(b.client, q).Dead().Redrive(t.Context(), dead[0].Entry, framework.RedriveOptions{}); err != nil {
		t.Fatal(err)
	}
	if attempt := await(t, handled, "redriven message"); attempt != 1 {
		t.Errorf("attempt %d", attempt)
	}
	if err := framework.Bind(b.client, q).Dead().Redrive(t.Context(), dead[0].Entry, framework.RedriveOptions{}); !errors.Is(err, fault.ErrNoEntry) {
		t.Errorf("again: %v", err)
	}
	if _, err := framework.Bind(b.client, q).Dead().Get(t.Context(), dead[0].Entry); !errors.Is(err, fault.ErrNoEntry) {
		t.Errorf("again: %v", err)
	}
}

func TestRedriveAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("redrive all"), t.Context()
	var bodies []string
	for i := range 250 {
		bodies = append(bodies, fmt.Sprint(i))
	}
	b.bury(t, "redrive all", handlers.ReasonExhausted, bodies...)
	b.bury(t, "redrive all", handlers.ReasonMalformed, "garbage")
	b.bury(t, "redrive all", handlers.ReasonRejected, "no", "never")
	steps := 0
	r, err := framework.Bind(b.client, q).Dead().RedriveAll(ctx, framework.RedriveOptions{
		Filter: framework.DeadFilter{Reasons: []string{handlers.ReasonExhausted}}, Rate: -1, Progress: func(framework.RedriveResult) { steps++ },
	})
	if err != nil || r.Redriven != 250 || r.Skipped != 3 || r.Matched != 250 || steps == 0 {
		t.Errorf("%+v %v in %d steps", r, err, steps)
	}
	ms, err := framework.Bind(b.client, q).Ready().Page(ctx, 0, 1000)
	if err != nil || len(ms) != 250 || ms[0].Payload != "0" || ms[249].Payload != "249" {
		t.Errorf("%d ready %v", len(ms), err)
	}
	r, err = framework.Bind(b.client, q).Dead().RedriveAll(ctx, framework.RedriveOptions{Limit: 1, Rate: 1000})
	if err != nil || r.Redriven != 1 || r.Skipped != 1 {
		t.Errorf("one more: %+v %v", r, err)
	}
	left, err := framework.Bind(b.client, q).Dead().Page(ctx, "", 10)
	if err != nil || len(left) != 2 || left[0].Reason != handlers.ReasonMalformed || string(left[1].Body) != "never" {
		t.Fatalf("left %+v %v", left, err)
	}
	if err = framework.Bind(b.client, q).Dead().Redrive(ctx, left[0].Entry, framework.RedriveOptions{}); !errors.Is(err, fault.ErrMalformedEntry) {
		t.Errorf("malformed: %v", err)
	}
	if n, err := framework.Bind(b.client, q).Dead().Drop(ctx, left[0].Entry, left[1].Entry, "1-1"); err != nil || n != 2 {
		t.Errorf("dropped %d %v", n, err)
	}
	if r, err = framework.Bind(b.client, q).Dead().RedriveAll(ctx, framework.RedriveOptions{}); err != nil || r != (framework.RedriveResult{}) {
		t.Errorf("an empty store: %+v %v", r, err)
	}
	b.bury(t, "redrive all", handlers.ReasonExhausted, bodies...)
	stopped, cancel := context.WithCancel(ctx)
	r, err = framework.Bind(b.client, q).Dead().RedriveAll(stopped, framework.RedriveOptions{Rate: 20, Progress: func(framework.RedriveResult) { cancel() }})
	if !errors.Is(err, context.Canceled) || r.Redriven != 2 {
		t.Errorf("stopped: %+v %v", r, err)
	}
}
