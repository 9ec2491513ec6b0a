package queuetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Redis serves who waits longest; the in-memory server wakes all, and any may win. The
// simulator therefore serves BLMOVE itself.
func TestBlockingMovesAreServedInOrder(t *testing.T) {
	t.Parallel()
	srv, key := lab.StartRedis(t), NewQueue().Queue
	rdb := srv.Client()
	var all []string
	for i := range 20 {
		own := lab.Connect(t, srv.Addr())
		to := fmt.Sprint(key, ":", i)
		all = append(all, to)
		done := make(chan struct{})
		go func() {
			defer close(done)
			own.BLMove(t.Context(), key, to, "LEFT", "RIGHT", 10*time.Second)
		}()
		t.Cleanup(func() { <-done })
		lab.WaitFor(t, "one more waits", func() bool {
			return rdb.InfoMap(t.Context(), "clients").Item("Clients", "blocked_clients") == fmt.Sprint(i+1)
		})
	}
	for i, to := range all {
		if err := rdb.RPush(t.Context(), key, i).Err(); err != nil {
			t.Fatal(err)
		}
		if got := rdb.LRange(t.Context(), to, 0, -1).Val(); !slices.Equal(got, []string{fmt.Sprint(i)}) {
			t.Fatalf("the one that waited as number %d got %q", i, got)
		}
	}
}
