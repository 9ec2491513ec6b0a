package interop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
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

// fails offers a message and waits until its retry is pending. Go alone transfers it: a
// transfer by Java drops the id of the offer, as javaTransfersRetry shows.
func (r retrying) fails(t testing.TB, value string) framework.ID {
	t.Helper()
	r.java.Destroy(t)
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
	lab.Wait(t, func() string {
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
	if ids := r.ids(t); ids["a"] != first {
		t.Errorf("the retry has id %s, the offer %s", ids["a"], first)
	}

	r.removes(t, "b", true)
	r.removes(t, "b", false)
	r.contains(t, "b", false)
	r.polls(t, "a")
	r.cancel(t, first, fault.ErrGone)
	r.sees(t, "c")
	r.pending(t, 1)
	r.cancel(t, r.fails(t, "d"), nil) // by the id of its offer
	r.sees(t, "c")

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

// javaTransfersRetry: a transfer by Java drops the id of a message. A retry of Go's that
// Java transferred is known again all the same: it keeps its ID, its attempts go on, and
// after the last one it is dead. So is one that Java offered.
func javaTransfersRetry(t testing.TB, b *bench) {
	const attempts = 3
	o := newBoth(t, b, registry.MaxAttempts(attempts))
	type delivery struct {
		id      framework.ID
		attempt int
	}
	came := map[string]chan delivery{"go": make(chan delivery, 10), "java": make(chan delivery, 10)}
	handler := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		came[d.Payload] <- delivery{framework.ID(d.ID()), d.Attempt()}
		return handlers.RetryAfter(never, errors.New("not yet"))
	})
	ids := map[string]framework.ID{}
	for n := 1; n <= attempts; n++ {
		engine := rig.Run(t, o.client, framework.Consume(o.queue, handler))
		for _, value := range []string{"go", "java"} {
			switch {
			case n > 1:
			case value == "go":
				ids[value] = o.offer(t, value, 0)
			default:
				o.java.Offer(t, text(t, value), 0)
			}
			select {
			case d := <-came[value]:
				if n == 1 && value == "java" {
					ids[value] = d.id // only now it is known
				}
				if d.id == "" || d.id != ids[value] || d.attempt != n {
					t.Errorf("%s: attempt %d of %s, want %d of %s", value, d.attempt, d.id, n, ids[value])
				}
			case <-time.After(patient):
				t.Fatalf("%s: attempt %d did not come", value, n)
			}
		}
		rig.Stop(t, engine) // from here on Java alone transfers
		if n == attempts {
			break
		}
		o.pending(t, 2)
		for _, id := range ids {
			o.reschedule(t, id, 0) // the retry has the id
		}
		o.java.Hold(t)
		lab.Wait(t, func() string {
			if n := o.java.Ready().Size(t); n != 2 {
				return fmt.Sprintf("Java transferred %d of 2", n)
			}
			return ""
		})
		o.java.Destroy(t)
	}

	dead, err := framework.Bind(o.client, o.queue).Dead().Page(t.Context(), "", 10)
	if err != nil || len(dead) != 2 {
		t.Fatalf("%d dead, %v", len(dead), err)
	}
	for _, m := range dead {
		if m.ID != ids["go"] && m.ID != ids["java"] || m.Failed != attempts || m.Reason != handlers.ReasonExhausted {
			t.Errorf("dead: %s of %s after %d attempts, want %v", m.Reason, m.ID, m.Failed, ids)
		}
	}
	o.pending(t, 0)
	for _, kind := range []string{"attempts", "names", "ids", "trace"} {
		key := "duequeue:" + kind + ":{" + o.queue.Key() + "}"
		if n, err := b.srv.Client().Exists(t.Context(), key).Result(); err != nil || n != 0 {
			t.Errorf("%s is left of messages that are done: %v", key, err)
		}
	}
}

// javaTakesRetry: a Java consumer on the same queue may get the retry.
func javaTakesRetry(t testing.TB, b *bench) {
	r := newRetrying(t, b, 2*soon)
	r.fails(t, "x")
	if err := r.engine.Pause("Java shall have it", "test"); err != nil {
		t.Fatal(err)
	}
	r.takes(t, "x")
	if err := r.engine.Resume(); err != nil {
		t.Fatal(err)
	}
	r.pending(t, 0)
	if c := rig.Counts(t, r.client, r.queue); c.Ready+c.Dead != 0 {
		t.Errorf("left over: %+v", c)
	}
}
