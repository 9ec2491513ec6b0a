package interop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/integration/rig"
)

// retrying is a queue whose Go handler fails on each message once and asks for it again.
type retrying struct {
	both
	engine *framework.Engine
	failed chan framework.ID // of the deliveries that failed
	done   chan string
}

func newRetrying(t testing.TB, b *bench, after time.Duration) retrying {
	t.Helper()
	r := retrying{both: newBoth(t, b), failed: make(chan framework.ID, 10), done: make(chan string, 10)}
	r.engine = rig.Run(t, r.client, framework.Consume(r.queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Attempt() > 1 {
			r.done <- d.Payload
			return nil
		}
		r.failed <- framework.ID(d.ID())
		return handlers.RetryAfter(after, errors.New("not yet"))
	})))
	return r
}

// fails offers a message and waits until its retry is pending.
func (r retrying) fails(t testing.TB, value string) framework.ID {
	t.Helper()
	before := rig.Counts(t, r.client, r.queue).Delayed
	offered := r.offer(t, value, 0)
	select {
	case id := <-r.failed:
		if id != offered {
			t.Errorf("the first delivery has id %s, the offer %s", id, offered)
		}
	case <-time.After(patient):
		t.Fatal("not delivered")
	}
	rig.Eventually(t, patient, func() string {
		if n := rig.Counts(t, r.client, r.queue).Delayed; n != before+1 {
			return fmt.Sprintf("%d pending, want %d", n, before+1)
		}
		return ""
	})
	return offered
}

// javaSeesRetries: to Java a message that waits for its retry is a pending one, with
// the delay of the retry. What Java takes out is gone.
func javaSeesRetries(t testing.TB, b *bench) {
	r := newRetrying(t, b, never)
	first := r.fails(t, "a")
	r.fails(t, "b")
	r.fails(t, "c")
	r.sees(t, "a", "b", "c")
	if n := r.java.Ready().Size(t); n != 0 {
		t.Errorf("queue.size() = %d while all wait", n)
	}
	r.cancel(t, first, framework.ErrGone) // a retry has an id of its own
	if ids := r.ids(t); ids["a"] == "" || ids["a"] == first {
		t.Errorf("ids %v", ids)
	}

	r.removes(t, "b", true)
	r.removes(t, "b", false)
	r.contains(t, "b", false)
	r.polls(t, "a")
	r.sees(t, "c")
	r.pending(t, 1)

	// None of the two comes back, and the third one does.
	r.reschedule(t, r.ids(t)["c"], 0)
	select {
	case v := <-r.done:
		if v != "c" {
			t.Errorf("%q came back", v)
		}
	case <-time.After(patient):
		t.Error("the retry did not come")
	}
	r.pending(t, 0)
	r.sees(t)
}

// javaTakesRetry: a Java consumer on the same queue may get the retry, and has it when
// it is due.
func javaTakesRetry(t testing.TB, b *bench) {
	r := newRetrying(t, b, 2*soon)
	r.fails(t, "x")
	limit, due := punctual(t), time.Now().Add(2*soon)
	if err := r.engine.Pause("Java shall have it", "test"); err != nil {
		t.Fatal(err)
	}
	taken := r.takes(t, "x")
	if late := taken.At.Sub(due); late > limit() {
		t.Errorf("taken %v after it was due", late)
	}
	if err := r.engine.Resume(); err != nil {
		t.Fatal(err)
	}
	r.pending(t, 0)
	if c := rig.Counts(t, r.client, r.queue); c.Ready+c.Dead != 0 {
		t.Errorf("left over: %+v", c)
	}
}
