package delayed

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Offers with keys go with the others in one script: each key has its policy and its outcome,
// and the list is in the order of the offers. A key that two of them have makes these go
// alone, in the same pipeline.
func TestOffersWithKeysGather(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	trace := slices.Repeat([]byte{1}, wire.TraceContextBytes)
	held := map[string]OfferResult{}
	for _, key := range []string{"kept", "replaced", "extended"} {
		held[key] = queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("old " + key), Delay: time.Hour, Dedup: Dedup{Key: key}, Trace: trace}))
	}
	o, h := holding(t, rdb)
	go func() { _, _ = o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), Delay: time.Hour}) }()
	<-h.arrived
	offers := []struct {
		dedup Dedup
		want  DedupOutcome
	}{
		{Dedup{}, DedupNone},
		{Dedup{Key: "kept"}, DedupKept},
		{Dedup{Key: "new", Window: time.Minute}, DedupNone},
		{Dedup{Key: "replaced", Policy: DedupReplace}, DedupReplaced},
		{Dedup{Key: "extended", Policy: DedupExtend}, DedupExtended},
		{Dedup{}, DedupNone},
		{Dedup{Key: "twice"}, DedupNone},
		{Dedup{Key: "twice"}, DedupKept},
		{Dedup{Key: "free", Policy: DedupReplace}, DedupNone},
	}
	wait := inTurn(t, o, k, len(offers), func(i int) OfferArgs {
		return OfferArgs{Payload: fmt.Append(nil, i), Delay: 2 * time.Hour, Dedup: offers[i].dedup, Trace: trace}
	})
	close(h.let)
	out := wait()
	for i, c := range offers {
		r := out[i].result
		if out[i].err != nil || r.Dedup != c.want {
			t.Errorf("%d: %+v, %v", i, r, out[i].err)
		}
		switch first := held[c.dedup.Key]; c.want {
		case DedupKept:
			if first.Text == "" {
				first = out[6].result
			}
			if r.ID != first.ID || r.Text != first.Text || r.DueMs != first.DueMs {
				t.Errorf("%d: kept %+v, is told %+v", i, first, r)
			}
		case DedupExtended:
			if r.ID != first.ID || r.Text != first.Text || r.DueMs < first.DueMs+3_500_000 {
				t.Errorf("%d: extended %+v, is told %+v", i, first, r)
			}
		default:
			if got := queuetest.Must[PendingMessage](t)(Get(t.Context(), rdb, k, ChangeArgs{DueMs: r.DueMs, ID: r.ID}, false)); string(got.Payload) != fmt.Sprint(i) {
				t.Errorf("%d: its ID leads to %q", i, got.Payload)
			}
		}
	}
	if got := h.tries(); !slices.Equal(got, []int{1, len(offers)}) {
		t.Errorf("messages of each try: %v", got)
	}
	list := bodies(t, rdb.LRange(t.Context(), k.Pending, 0, -1).Val())
	if want := []string{"old kept", "old extended", "first", "0", "2", "3", "5", "8", "6"}; !slices.Equal(list, want) {
		t.Errorf("list %q, want %q", list, want)
	}
	if n := rdb.ZCard(t.Context(), k.Trace).Val(); int(n) != len(list)-1 { // the first one has none
		t.Errorf("%d traces", n)
	}
	for key, want := range map[string]string{"kept": "old kept", "replaced": "3", "extended": "old extended", "new": "2", "twice": "6", "free": "8"} {
		got, err := Cancel(t.Context(), rdb, k, ChangeArgs{Key: key})
		if err != nil || string(got.Payload) != want {
			t.Errorf("%s: cancelled %q (%v), want %q", key, got.Payload, err, want)
		}
	}
	if n := rdb.HLen(t.Context(), k.Attempts).Val() + rdb.HLen(t.Context(), k.MessageNames).Val() + rdb.ZCard(t.Context(), k.IDs).Val(); n != 0 {
		t.Errorf("%d records are left", n)
	}
	o.mustBeIdle(t)
}

// A user who may not write what keys need hinders no message without one.
func TestOffersWithKeysRefused(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for command, by := range map[string]OfferArgs{
		"hset": {Dedup: Dedup{Key: "k"}}, "hmget": {Dedup: Dedup{Key: "k"}},
		"get": {Nonce: Nonce{Text: "n", Window: time.Hour}}, "set": {Nonce: Nonce{Text: "n", Window: time.Hour}},
	} {
		k := queuetest.NewQueue()
		by.Payload, by.Delay = []byte("b"), time.Hour
		var out []outcome
		OfferAll(t.Context(), lab.AsUser(t, srv, "-"+command), k, slices.Values([]OfferArgs{
			{Payload: []byte("a"), Delay: time.Hour}, by, {Payload: []byte("c"), Delay: time.Hour},
		}), func(i int, r OfferResult, err error) { out = append(out, outcome{i, r, err}) })
		var refused *fault.PermissionError
		if out[0].err != nil || out[2].err != nil || !errors.As(out[1].err, &refused) {
			t.Errorf("without %s: %+v", command, out)
		}
		if got := payloads(t, srv.Client(), k); got != "a c" {
			t.Errorf("without %s: pending %q", command, got)
		}
		if n := len(srv.Client().Keys(t.Context(), "duequeue:*"+k.Queue+"*").Val()); n != 0 {
			t.Errorf("without %s: %d keys are left", command, n)
		}
	}
}

// Each message that is replaced costs a walk of a long list, so a script has few of them.
func TestOffersReplaceInALongList(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	const n, keys = 20_000, 5
	k := queuetest.NewQueue()
	for _, out := range all(t, rdb, k, numbered(n, func(i int) OfferArgs {
		a := OfferArgs{Delay: time.Hour}
		if i >= n-keys {
			a.Dedup.Key = fmt.Sprint(i - n + keys)
		}
		return a
	})) {
		if out.err != nil {
			t.Fatal(out.err)
		}
	}
	o, h := holding(t, rdb)
	go func() { _, _ = o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), Delay: time.Hour}) }()
	<-h.arrived
	wait := inTurn(t, o, k, keys, func(i int) OfferArgs {
		return OfferArgs{Payload: fmt.Append(nil, "new ", i), Delay: time.Hour, Dedup: Dedup{Key: fmt.Sprint(i), Policy: DedupReplace}}
	})
	close(h.let)
	for i, out := range wait() {
		if out.err != nil || out.result.Dedup != DedupReplaced || out.result.Tries != 1 {
			t.Errorf("%d: %+v, %v", i, out.result, out.err)
		}
	}
	if got := h.tries(); !slices.Equal(got, []int{1, keys, keys - 2}) {
		t.Errorf("messages of each try: %v", got)
	}
	if got := queuetest.Counts(t, rdb, k); got[1] != n+1 || got[2] != n+1 {
		t.Errorf("counts %v", got)
	}
	rdb.Del(t.Context(), k.All()...)
}
