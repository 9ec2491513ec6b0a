package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// With every view all messages are handled, those that fail once included, and the
// list holds nothing that the view does not want there.
func TestViewsDeliver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const n = 300
	var mu sync.Mutex
	handled := map[string][]string{}
	done := make(chan struct{}, 4)
	var consumers []framework.Consumer
	modes := []registry.ViewMode{registry.ViewExact, registry.ViewOff}
	for _, mode := range modes {
		q := stringQueue(mode.String(), registry.View(mode))
		messages := func(yield func(framework.Item[string]) bool) {
			for i := range n {
				if !yield(framework.Item[string]{Value: fmt.Sprintf("%03d", i), Delay: time.Duration(i*7919%101) * time.Millisecond}) {
					return
				}
			}
		}
		if _, err := framework.Bind(b.client, q).OfferAll(t.Context(), messages); err != nil {
			t.Fatal(err)
		}
		consumers = append(consumers, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			if d.Attempt() == 1 && d.Payload[2] == '7' {
				return errors.New("once")
			}
			mu.Lock()
			defer mu.Unlock()
			handled[q.Code()] = append(handled[q.Code()], d.Payload)
			if len(handled[q.Code()]) == n {
				done <- struct{}{}
			}
			return nil
		})))
	}
	b.run(t, consumers...)
	for range modes {
		await(t, done, "whole queue")
	}
	mu.Lock()
	defer mu.Unlock()
	for code, values := range handled {
		if slices.Sort(values); len(slices.Compact(values)) != n {
			t.Errorf("%s: %d different ones", code, len(slices.Compact(values)))
		}
	}
}
