package redisson

import (
	"slices"
	"testing"
	"time"
)

// What Go offers, each generation of Java's own scripts reads, finds, removes and
// transfers.
func TestJavaReadsUniversalElement(t *testing.T) {
	t.Parallel()
	rdb := connect(t, realServer.Addr())
	for _, format := range []string{formatOld, formatNew} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			k := newQueue()
			at := time.UnixMilli(nowMs(t, rdb) - 10)
			payloads := []string{"", "\x00", "hello", string(make([]byte, 300)), "gone"}
			for _, p := range payloads {
				must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(p), At: at}))
			}
			for _, p := range payloads {
				if found := must[any](t)(javaContains(format).Run(t.Context(), rdb, []string{k.Pending}, p)); found != int64(1) {
					t.Errorf("contains(%q) = %v", p, found)
				}
			}
			if removed := must[any](t)(javaRemove(format).Run(t.Context(), rdb, []string{k.Pending, k.Timeout}, "gone")); removed != int64(1) {
				t.Errorf("remove = %v", removed)
			}
			next := must[any](t)(javaTransfer(format).Run(t.Context(), rdb, javaKeys(k), nowMs(t, rdb), 100))
			if got := ready(t, rdb, k); next != nil || !slices.Equal(got, payloads[:4]) {
				t.Errorf("ready %q, next %v", got, next)
			}
			if n := counts(t, rdb, k); n != [4]int64{4, 0, 0, 0} {
				t.Errorf("ready, timeout, pending, dead = %v", n)
			}
		})
	}
}
