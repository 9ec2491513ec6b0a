package redisson

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// pick draws a pending message, or one that is gone.
func (m *model) pick(rt *rapid.T) (i int, args ChangeArgs, ok bool) {
	i = rapid.IntRange(-1, len(m.pending)-1).Draw(rt, "which")
	if i < 0 {
		return i, ChangeArgs{DueMs: m.now, ID: m.ids.Next()}, true
	}
	id, _, err := Parse([]byte(m.pending[i].element), false)
	return i, ChangeArgs{DueMs: m.pending[i].due, ID: id}, err == nil
}

func (m *model) cancel(rt *rapid.T) {
	i, args, ok := m.pick(rt)
	if !ok {
		return
	}
	got, err := Cancel(m.t.Context(), m.s.rdb, m.k, args)
	if i < 0 {
		if !errors.Is(err, ErrGone) {
			rt.Fatalf("cancelled what never was: %+v %v", got, err)
		}
		return
	}
	if err != nil || string(got.Payload) != m.pending[i].payload || got.DueMs != m.pending[i].due {
		rt.Fatalf("cancel: %+v %v, want %+v", got, err, m.pending[i])
	}
	m.pending = slices.Delete(m.pending, i, i+1)
}

func (m *model) reschedule(rt *rapid.T) {
	i, args, ok := m.pick(rt)
	if !ok {
		return
	}
	due := m.draw(rt)
	got, err := Reschedule(m.t.Context(), m.s.rdb, m.k, args, due)
	if i < 0 {
		if !errors.Is(err, ErrGone) {
			rt.Fatalf("rescheduled what never was: %+v %v", got, err)
		}
		return
	}
	m.pending[i].due = due
	if head := m.sorted()[0].element == m.pending[i].element; err != nil || got.Head != head || got.DueMs != due {
		rt.Fatalf("reschedule: %+v %v, head %v", got, err, head)
	}
}

func (m *model) bulk(rt *rapid.T) {
	var offers []OfferArgs
	for range rapid.IntRange(1, 5).Draw(rt, "n") {
		offers = append(offers, OfferArgs{Payload: []byte(m.payload(rt)), At: time.UnixMilli(m.draw(rt)), IDs: m.ids})
	}
	OfferAll(m.t.Context(), m.s.rdb, m.k, slices.Values(offers), func(i int, r OfferResult, err error) {
		if err != nil {
			rt.Fatalf("bulk: %v", err)
		}
		m.pending = append(m.pending, entry{due: r.DueMs, element: string(Pack(r.ID, offers[i].Payload)), payload: string(offers[i].Payload)})
	})
}

// keyed offers with one of three keys, whose windows stay open.
func (m *model) keyed(rt *rapid.T) {
	key := fmt.Sprint(rapid.IntRange(1, 3).Draw(rt, "key"))
	policy := rapid.SampledFrom([]DedupPolicy{DedupKeep, DedupReplace, DedupExtend}).Draw(rt, "policy")
	args := OfferArgs{
		Payload: []byte(m.payload(rt)), At: time.UnixMilli(m.draw(rt)), IDs: m.ids,
		Dedup: Dedup{Key: key, Policy: policy, Window: time.Hour},
	}
	got, err := Offer(m.t.Context(), m.s.rdb, m.k, args)
	if err != nil {
		rt.Fatalf("keyed: %v", err)
	}
	held, taken := m.keys[key]
	at := slices.IndexFunc(m.pending, func(e entry) bool { return e.element == held })
	want := DedupNone
	switch {
	case taken && policy == DedupKeep:
		want = DedupKept
	case taken && at >= 0 && policy == DedupExtend:
		want = DedupExtended
		m.pending[at].due = got.DueMs
	case taken && at >= 0:
		want = DedupReplaced
		m.pending = slices.Delete(m.pending, at, at+1)
	}
	if got.Dedup != want {
		rt.Fatalf("keyed: outcome %v, want %v", got.Dedup, want)
	}
	if want == DedupNone || want == DedupReplaced {
		m.keys[key] = string(Pack(got.ID, args.Payload))
		m.pending = append(m.pending, entry{due: got.DueMs, element: m.keys[key], payload: string(args.Payload)})
	}
}
