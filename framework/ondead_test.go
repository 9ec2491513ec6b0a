package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Two processes with partitions: letters that lay there before and those that die now are told
// of once each, with the queue's code; the other queue has no function.
func TestOnDead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("told", registry.Partitions(3))
	quiet := stringQueue("quiet")
	b.bury(t, "told", handlers.ReasonExhausted, "before 1", "before 2")
	told := make(chan framework.DeadMessage, 100)
	tell := func(_ context.Context, m framework.DeadMessage) error {
		told <- m
		return nil
	}
	reject := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return handlers.Reject("broken") })
	b.run(t, framework.Consume(q, reject, framework.OnDead(tell)), framework.Consume(quiet, reject))
	b.run(t, framework.Consume(q, reject, framework.OnDead(tell)))
	for i := range 12 {
		b.offer(t, q, fmt.Sprint("now ", i))
		b.offer(t, quiet, fmt.Sprint("quiet ", i))
	}
	got := map[string]int{}
	for range 14 {
		m := await(t, told, "letter")
		got[string(m.Body)]++
		if m.Queue != "told" || m.Reason == "" {
			t.Errorf("%+v", m)
		}
		if one, err := framework.Bind(b.client, q).Dead().Get(t.Context(), m.Entry); err != nil || string(one.Body) != string(m.Body) {
			t.Errorf("its entry leads to %q, %v", one.Body, err)
		}
	}
	if len(got) != 14 || len(told) != 0 {
		t.Errorf("told of %v, and of %d more", got, len(told))
	}
}

func TestOnDeadNeedsAFunction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	_, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("nil"), h, framework.OnDead(nil))})
	if err == nil || !strings.Contains(err.Error(), "OnDead(…): the function is nil") {
		t.Fatal(err)
	}
}
