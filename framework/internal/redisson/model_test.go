package redisson

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Any sequence of offers, single, in bulk and with keys, resends, Java's offers,
// garbage, removals, cancellations, changes of due times and transfers: what was accepted is ready, pending or dead, exactly once, and comes
// out in the order of due time and offer.
func TestOfferTransferModel(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		rapid.Check(t, func(rt *rapid.T) {
			m := &model{t: t, rt: rt, s: s, k: newQueue(), ids: NewIDs(), now: nowMs(t, s.rdb), keys: map[string]string{}}
			rt.Repeat(map[string]func(*rapid.T){
				"offer":    m.offer,
				"resend":   m.resend,
				"java":     m.java,
				"garbage":  m.garbage,
				"remove":   m.remove,
				"transfer": m.transfer,
				"cancel":   m.cancel,
				"later":    m.reschedule,
				"bulk":     m.bulk,
				"keyed":    m.keyed,
				"":         m.check,
			})
			m.drain()
			s.rdb.Del(t.Context(), m.k.all()...)
		})
	})
}

// entry is one message the model knows; due in the past or far in the future.
type entry struct {
	due     int64
	element string
	payload string
	bad     bool
}

type model struct {
	keys    map[string]string // the element that holds each key, while its window is open
	t       *testing.T
	rt      *rapid.T
	s       server
	k       Keys
	ids     *IDs
	now     int64
	serial  int
	last    *offer // the last offer, for resends
	pending []entry
	ready   []string
	dead    int
}

// draw returns a due time: most are overdue, some far away.
func (m *model) draw(rt *rapid.T) int64 {
	if rapid.IntRange(0, 3).Draw(rt, "far") == 0 {
		return m.now + 3_600_000 + rapid.Int64Range(0, 5).Draw(rt, "ms")
	}
	return m.now - 10 + rapid.Int64Range(0, 5).Draw(rt, "ms")
}

func (m *model) payload(rt *rapid.T) string {
	m.serial++
	if rapid.Bool().Draw(rt, "same") {
		return "same"
	}
	return fmt.Sprintf("payload %d", m.serial)
}

func (m *model) offer(rt *rapid.T) {
	o := must[*offer](m.t)(newOffer(m.k, OfferArgs{Payload: []byte(m.payload(rt)), IDs: m.ids}))
	o.mode, o.ms = "at", m.draw(rt)
	call := o.next()
	value, err := call.Script.Run(m.t.Context(), m.s.rdb, call.Keys, call.Args...)
	got, err := o.settle(value, err)
	if err != nil || got.DueMs != o.ms {
		rt.Fatalf("offer: %+v %v", got, err)
	}
	e := entry{due: o.ms, element: string(o.element), payload: string(o.args.Payload)}
	m.pending = append(m.pending, e)
	if head := m.sorted()[0].element == e.element; head != got.Head {
		rt.Fatalf("head %v, want %v", got.Head, head)
	}
	m.last = o
}

// resend repeats the last offer, as after a lost reply.
func (m *model) resend(rt *rapid.T) {
	if m.last == nil {
		return
	}
	m.last.unknown, m.last.firstSent = true, m.last.began
	call := m.last.next()
	value, err := call.Script.Run(m.t.Context(), m.s.rdb, call.Keys, call.Args...)
	_, err = m.last.settle(value, err)
	held := slices.ContainsFunc(m.pending, func(e entry) bool { return e.element == string(m.last.element) })
	far := m.last.ms > m.now+1000
	switch {
	case held && err != nil:
		rt.Fatalf("resend while it is pending: %v", err)
	case !held && far && err != nil:
		rt.Fatalf("resend before it is due: %v", err)
	case !held && far: // it was removed meanwhile, which a resend cannot know
		m.pending = append(m.pending, entry{m.last.ms, string(m.last.element), string(m.last.args.Payload), false})
	case !held && err == nil:
		rt.Fatal("a resend after delivery was added")
	}
}

func (m *model) java(rt *rapid.T) {
	payload := m.payload(rt)
	m.serial++
	element := javaNew(fmt.Appendf(nil, "%08d", m.serial), []byte(payload))
	if rapid.Bool().Draw(rt, "old") {
		element = javaOld(int64(m.serial), []byte(payload))
	}
	e := entry{due: m.draw(rt), element: string(element), payload: payload}
	put(m.t, m.s.rdb, m.k, e.due, element)
	m.pending = append(m.pending, e)
}

func (m *model) garbage(rt *rapid.T) {
	m.serial++
	e := entry{due: m.draw(rt), element: fmt.Sprintf("garbage %d", m.serial), bad: true}
	put(m.t, m.s.rdb, m.k, e.due, []byte(e.element))
	m.pending = append(m.pending, e)
}

func (m *model) remove(rt *rapid.T) {
	if len(m.pending) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.pending)-1).Draw(rt, "which")
	m.s.rdb.ZRem(m.t.Context(), m.k.Timeout, m.pending[i].element)
	m.s.rdb.LRem(m.t.Context(), m.k.Pending, 1, m.pending[i].element)
	m.pending = slices.Delete(m.pending, i, i+1)
}

func (m *model) transfer(rt *rapid.T) {
	limit := rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "limit")
	args := TransferArgs{Limit: limit, NoDueTracking: rapid.Bool().Draw(rt, "untracked")}
	r, err := Transfer(m.t.Context(), m.s.rdb, m.k, args)
	if err != nil {
		rt.Fatal(err)
	}
	m.take(rt, r)
}

// take plays a transfer's result in the model.
func (m *model) take(rt *rapid.T, r TransferResult) {
	order := m.sorted()
	n := r.Moved + r.Malformed
	for _, e := range order[:n] {
		if e.due > m.now+1000 {
			rt.Fatal("moved before it was due")
		}
		if e.bad {
			m.dead++
		} else {
			m.ready = append(m.ready, e.payload)
		}
	}
	m.pending = order[n:]
	if r.Ready != int64(len(m.ready)) {
		rt.Fatalf("%d ready, want %d", r.Ready, len(m.ready))
	}
}

func (m *model) sorted() []entry {
	order := slices.Clone(m.pending)
	slices.SortFunc(order, func(a, b entry) int {
		if a.due != b.due {
			return int(a.due - b.due)
		}
		if a.element < b.element {
			return -1
		}
		return 1
	})
	return order
}

func (m *model) check(rt *rapid.T) {
	n := int64(len(m.pending))
	want := [4]int64{int64(len(m.ready)), n, n, int64(m.dead)}
	if got := counts(m.t, m.s.rdb, m.k); got != want {
		rt.Fatalf("ready, timeout, pending, dead = %v, want %v", got, want)
	}
	if got := ready(m.t, m.s.rdb, m.k); !slices.Equal(got, m.ready) {
		rt.Fatalf("ready %q, want %q", got, m.ready)
	}
}

func (m *model) drain() {
	for {
		r := must[TransferResult](m.t)(Transfer(m.t.Context(), m.s.rdb, m.k, TransferArgs{}))
		m.take(m.rt, r)
		if !r.More() {
			break
		}
	}
	if i := slices.IndexFunc(m.pending, func(e entry) bool { return e.due <= m.now }); i >= 0 {
		m.rt.Fatalf("still pending: %+v", m.pending[i])
	}
	m.check(m.rt)
}
