package gate

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// TestConcurrentUse hammers every method; the race detector judges.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	rec := &recorder{}
	g := New("Q", Settings{Failures: 3, OpenFor: time.Millisecond, MaxOpenFor: 2 * time.Millisecond}, rec.hooks())
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 1000 {
				ps, v := g.Acquire(4)
				if ps.Len() == 0 {
					if v.Reason == ReasonNone {
						t.Error("refused without a reason")
					}
					if g.Wait(t.Context()) != nil {
						return
					}
					continue
				}
				var last Permit
				for p, ok := ps.Next(); ok; p, ok = ps.Next() {
					if last = p; i%7 == 0 {
						break // the rest is surplus, and this one ends without a start
					}
					if !g.Start(p) {
						continue
					}
					kind := Success
					if (i/200+worker)%3 == 0 {
						kind = Failure
					}
					if i%100 < 12 {
						g.Undecodable(p, "guess")
					} else {
						g.Decoded(p)
					}
					g.Done(p, Result{Kind: kind, Err: errDown, Message: func() string { return fmt.Sprint(worker) }})
				}
				if i%7 == 0 {
					g.GiveBack(last)
				}
				ps.Release()
				g.Snapshot()
			}
		})
	}
	wg.Wait()
	g.Close()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for i := 1; i < len(rec.changes); i++ {
		if rec.changes[i].From != rec.changes[i-1].To {
			t.Fatalf("changes out of order at %d: %+v", i, rec.changes[i-1:i+1])
		}
	}
}
