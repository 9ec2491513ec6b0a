package delayed

import (
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// What Go offers, each generation of Java's own scripts reads, finds, removes and
// transfers.
func TestJavaReadsUniversalElement(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	for _, format := range []string{queuetest.FormatOld, queuetest.FormatNew} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			k := queuetest.NewQueue()
			at := time.UnixMilli(queuetest.NowMs(t, rdb) - 10)
			payloads := []string{"", "\x00", "hello", string(make([]byte, 300)), "gone"}
			for _, p := range payloads {
				queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(p), At: at}))
			}
			for _, p := range payloads {
				if found := queuetest.Must[any](t)(queuetest.JavaContains(format).Run(t.Context(), rdb, []string{k.Pending}, p)); found != int64(1) {
					t.Errorf("contains(%q) = %v", p, found)
				}
			}
			if removed := queuetest.Must[any](t)(queuetest.JavaRemove(format).Run(t.Context(), rdb, []string{k.Pending, k.Timeout}, "gone")); removed != int64(1) {
				t.Errorf("remove = %v", removed)
			}
			next := queuetest.Must[any](t)(queuetest.JavaTransfer(format).Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb), 100))
			if got := queuetest.Ready(t, rdb, k); next != nil || !slices.Equal(got, payloads[:4]) {
				t.Errorf("ready %q, next %v", got, next)
			}
			if n := queuetest.Counts(t, rdb, k); n != [4]int64{4, 0, 0, 0} {
				t.Errorf("ready, timeout, pending, dead = %v", n)
			}
		})
	}
}
