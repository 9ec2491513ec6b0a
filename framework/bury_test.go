package framework_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What is buried is chosen, bounded, and keeps its ID, key and order; the others stay where they
// are, and a redrive puts it back.
func TestBuryMovesReadyMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for partitions := range 2 {
		t.Run(fmt.Sprint(partitions+1, " partitions"), func(t *testing.T) {
			t.Parallel()
			q := registry.Define[string](fmt.Sprint("bury", partitions), "", registry.Codec(codecs.String()), registry.Partitions(partitions+1))
			queue := framework.Bind(b.client, q)
			ids := map[string]framework.ID{}
			for i := range 250 {
				body := fmt.Sprintf("%s %03d", []string{"good", "bad"}[i%2], i)
				r, err := queue.Offer(t.Context(), body, 0, framework.Key(body))
				if err != nil {
					t.Fatal(err)
				}
				ids[body] = r.ID
			}
			lab.WaitFor(t, "all ready", func() bool {
				n, err := queue.Counts(t.Context())
				return err == nil && n.Ready == 250
			})
			o := framework.BuryOptions{Detail: "why", Class: "bad", DryRun: true}
			if r, err := queue.Ready().Bury(t.Context(), o); err != nil || r.Matched != 125 || r.Buried != 0 || r.Looked != 250 {
				t.Fatalf("dry: %+v %v", r, err)
			}
			o.DryRun, o.Limit = false, 5
			if r, err := queue.Ready().Bury(t.Context(), o); err != nil || r.Buried != 5 || r.Left == 0 {
				t.Fatalf("five: %+v %v", r, err)
			}
			o.Limit = 0
			if r, err := queue.Ready().Bury(t.Context(), o); err != nil || r.Buried != 120 || r.Left != 0 {
				t.Fatalf("others: %+v %v", r, err)
			}
			dead, err := queue.Dead().Page(t.Context(), "", 0)
			if err != nil || len(dead) != 125 {
				t.Fatalf("%d dead: %v", len(dead), err)
			}
			for _, d := range dead {
				if d.Reason != handlers.ReasonBuried || d.Detail != "why" || d.ID != ids[string(d.Body)] || d.Key != string(d.Body) || d.Due.IsZero() {
					t.Fatalf("%+v, offered as %s", d, ids[string(d.Body)])
				}
			}
			if partitions == 0 && !slices.IsSortedFunc(dead, func(a, b framework.DeadMessage) int { return slices.Compare(a.Body, b.Body) }) {
				t.Error("not in the order of the queue")
			}
			ready, err := queue.Ready().Page(t.Context(), 0, 0)
			if err != nil || len(ready) != 125 || slices.ContainsFunc(ready, func(m framework.ReadyMessage[string]) bool { return m.Payload[:4] != "good" }) {
				t.Fatalf("%d ready: %v", len(ready), err)
			}
			if r, err := queue.Dead().RedriveAll(t.Context(), framework.RedriveOptions{Rate: -1}); err != nil || r.Redriven != 125 {
				t.Fatalf("%+v %v", r, err)
			}
		})
	}
}

// Nothing is lost while consumers take what is buried: each message is handled or dead, once.
func TestBuryBesideConsumersLosesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("bury beside", "", registry.Codec(codecs.String()))
	queue := framework.Bind(b.client, q)
	const all = 2000
	for i := range all / 10 {
		var bodies []string
		for j := range 10 {
			bodies = append(bodies, fmt.Sprintf("m%05d", i*10+j))
		}
		b.push(t, q, bodies...)
	}
	got := make(chan string, all)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- d.Payload
		return nil
	})))
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	_, _ = queue.Ready().Bury(ctx, framework.BuryOptions{Progress: func(framework.BuryResult) { // ends half way
		if !first {
			cancel()
		}
		first = false
	}})
	lab.WaitFor(t, "the queue empty", func() bool {
		n, err := queue.Counts(t.Context())
		return err == nil && n.Ready == 0 && int64(len(got))+n.Dead == all
	})
	seen := map[string]bool{}
	for len(got) > 0 {
		seen[<-got] = true
	}
	dead, err := queue.Dead().Page(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dead {
		seen[string(d.Body)] = true
	}
	if len(seen) != all {
		t.Errorf("%d of %d are handled or dead", len(seen), all)
	}
}
