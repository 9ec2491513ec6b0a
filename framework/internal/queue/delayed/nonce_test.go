package delayed

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// An offer whose nonce was used adds nothing, whatever became of the first one, and has its
// result; with a key of any policy too.
func TestNonce(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, d := range []Dedup{
		{}, {Key: "k"}, {Key: "k", Policy: DedupReplace}, {Key: "k", Policy: DedupExtend}, {Key: "k", Window: time.Hour},
	} {
		for _, before := range []bool{false, true} {
			name := fmt.Sprintf("%+v, taken before: %v", d, before)
			k := queuetest.NewQueue()
			if before && d.Key != "" {
				keyed(t, rdb, k, "before", d, time.Hour)
			}
			offer := func(nonce string) OfferResult {
				return queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{
					Payload: []byte("x"), Delay: time.Minute, Dedup: d, Nonce: Nonce{Text: nonce, Window: time.Hour},
				}))
			}
			first := offer("n1")
			pending := payloads(t, rdb, k)
			again := offer("n1")
			if again.Text != first.Text || again.DueMs != first.DueMs || !again.found || payloads(t, rdb, k) != pending {
				t.Errorf("%s: first %+v, again %+v; pending %q, now %q", name, first, again, pending, payloads(t, rdb, k))
			}
			// Delivered.
			rdb.Del(t.Context(), k.Timeout, k.Pending)
			again = offer("n1")
			if again.Text != first.Text || payloads(t, rdb, k) != "" {
				t.Errorf("%s: after the delivery %+v; pending %q", name, again, payloads(t, rdb, k))
			}
			if other := offer("n2"); other.Text == first.Text || payloads(t, rdb, k) != "x" {
				t.Errorf("%s: another nonce %+v; pending %q", name, other, payloads(t, rdb, k))
			}
			if ttl := rdb.PTTL(t.Context(), k.NonceRecord("n1")).Val(); ttl <= 50*time.Minute || ttl > time.Hour {
				t.Errorf("%s: the window is %v", name, ttl)
			}
		}
	}
}

// Many go in one script; two of one nonce do not.
func TestNonceInBulk(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	all := func(yield func(OfferArgs) bool) {
		for i := range 300 {
			n := Nonce{Text: fmt.Sprintf("n%d", i/2), Window: time.Hour}
			if i%3 == 0 {
				n = Nonce{}
			}
			d := Dedup{}
			if i%5 == 0 {
				d.Key = fmt.Sprintf("k%d", i)
			}
			if !yield(OfferArgs{Payload: fmt.Appendf(nil, "%d", i), Delay: time.Hour, Nonce: n, Dedup: d}) {
				return
			}
		}
	}
	ids := map[string]int{}
	OfferAll(t.Context(), rdb, k, all, func(i int, r OfferResult, err error) {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
		ids[r.Text]++
	})
	// 100 have none; of the 200 others each third is alone.
	if want := 100 + 150; len(ids) != want || queuetest.Counts(t, rdb, k)[1] != int64(want) {
		t.Errorf("%d ids, %v; want %d", len(ids), queuetest.Counts(t, rdb, k), want)
	}
}

// A try that may have been executed, and is sent again when its message would be due: the
// nonce tells that it was not.
func TestNonceIsNeverUnknown(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, d := range []Dedup{{}, {Key: "k"}, {Key: "k", Policy: DedupReplace}} {
		k := queuetest.NewQueue()
		for _, want := range []string{"added", "found"} {
			i := queuetest.Must[*item](t)(newItem(k, OfferArgs{Delay: time.Second, Dedup: d, Nonce: Nonce{Text: "n", Window: time.Hour}}))
			i.offer.unknown, i.offer.firstSent = true, time.Now().Add(-time.Minute)
			got, err := i.try(t.Context(), rdb)
			if err != nil || got.found != (want == "found") {
				t.Errorf("%+v: %+v, %v; want %s", d, got, err, want)
			}
			rdb.Del(t.Context(), k.Timeout, k.Pending)
		}
	}
}

// What Redis refuses uses no nonce.
func TestNonceOfWhatWasRefused(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	n := Nonce{Text: "n", Window: time.Hour}
	rdb.Set(t.Context(), k.Pending, "no list", 0)
	var wrong *fault.WrongTypeError
	if _, err := Offer(t.Context(), rdb, k, OfferArgs{Delay: time.Hour, Nonce: n}); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	rdb.Del(t.Context(), k.Pending)
	rdb.LPush(t.Context(), k.NonceRecord("n"), "no string")
	if _, err := Offer(t.Context(), rdb, k, OfferArgs{Delay: time.Hour, Nonce: n}); !errors.As(err, &wrong) || wrong.Key != k.NonceRecord("n") {
		t.Errorf("got %v", err)
	}
	if got := queuetest.Counts(t, rdb, k); got != [4]int64{} {
		t.Errorf("counts %v", got)
	}
	rdb.Set(t.Context(), k.NonceRecord("n"), "no record", 0)
	queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("x"), Delay: time.Hour, Nonce: n}))
	if got := payloads(t, rdb, k); got != "x" {
		t.Errorf("pending %q", got)
	}
	for _, n := range []Nonce{{Text: "n"}, {Window: time.Second}, {Text: "n", Window: -1}} {
		var refused *fault.DedupError
		if _, err := Offer(t.Context(), rdb, k, OfferArgs{Nonce: n}); !errors.As(err, &refused) {
			t.Errorf("%+v: got %v", n, err)
		}
	}
}
