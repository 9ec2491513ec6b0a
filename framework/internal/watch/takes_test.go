package watch

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// A transfer is offered to the one who takes where it is likely to move something: one that
// finds nothing would cost a take, too.
func TestTransfersThatAreOffered(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{1, 40} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, b *bubble) {
				const messages = 100
				k, offers, stopped := queuetest.NewQueue(), make(script.Offer, processes), make(chan struct{})
				defer close(stopped)
				var offered atomic.Int64
				go func() {
					for {
						select {
						case a := <-offers:
							offered.Add(1)
							a.Refuse()
						case <-stopped:
							return
						}
					}
				}()
				a := newArrivals()
				for range processes {
					w := New(b.rdb, []Queue{{
						Keys: k, Served: a.serve(t.Context(), b.rdb, k), Processes: func() int { return processes }, Takes: offers,
					}}, Options{})
					if err := w.Start(t.Context()); err != nil {
						t.Fatal(err)
					}
					defer b.stop(w)
				}
				b.pass(time.Minute)
				if n := offered.Swap(0); n > 0 {
					t.Errorf("%d sweeps were offered", n)
				}
				for i := range messages {
					b.offer(k, fmt.Sprint(i), 10*time.Second)
					b.pass(100 * time.Millisecond)
				}
				b.pass(20 * time.Second)
				if n := offered.Load(); a.count() != messages || n < messages*9/10 || n > messages*3/2 {
					t.Errorf("%d transfers were offered for %d messages", n, a.count())
				}
			})
		})
	}
}
