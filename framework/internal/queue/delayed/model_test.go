package delayed

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Any sequence of offers, single, in bulk and with keys, resends, Java's offers,
// garbage, removals, cancellations, changes of due times, polls, redrives and transfers,
// with any view: what was accepted is ready, pending or dead, exactly once, comes out in
// the order that the view promises, and Java's list is what the view makes of it.
func TestOfferTransferModel(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: t, rt: rt, rdb: rdb, k: queuetest.NewQueue(), ids: wire.NewIDs(), now: queuetest.NowMs(t, rdb), keys: map[string]string{}, moved: map[string]bool{}, ever: map[string]bool{}}
		m.noView = rapid.Bool().Draw(rt, "no view")
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
			"burst":    m.burst,
			"poll":     m.poll,
			"clear":    m.clear,
			"redrive":  m.redrive,
			"double":   m.double,
			"":         m.check,
		})
		m.drain()
		rdb.Del(t.Context(), m.k.All()...)
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
	moved   map[string]bool   // elements that became ready
	t       *testing.T
	rt      *rapid.T
	rdb     *redis.Client
	k       wire.Keys
	ids     *wire.IDs
	now     int64
	serial  int
	last    *item // the last offer, for resends
	pending []entry
	ready   []string
	dead    int
	noView  bool
	list    []string        // what Java's list should hold
	ever    map[string]bool // what was ever put into it
}

// add notes a message that is pending now.
func (m *model) add(e entry, listed bool) {
	m.pending = append(m.pending, e)
	if listed {
		m.list = append(m.list, e.element)
		m.ever[e.element] = true
	}
}

// unlist notes that an element left Java's list, once.
func (m *model) unlist(element string) {
	if i := slices.Index(m.list, element); i >= 0 {
		m.list = slices.Delete(m.list, i, i+1)
	}
}

// finish notes that a message is no longer pending by a doing of ours.
func (m *model) finish(element string) {
	// A list that is off stays as Java left it.
	if !m.noView {
		m.unlist(element)
	}
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
	i := queuetest.Must[*item](m.t)(newItem(m.k, OfferArgs{Payload: []byte(m.payload(rt)), IDs: m.ids, NoView: m.noView}))
	o := &i.offer
	o.mode, o.ms = "at", m.draw(rt)
	got, err := i.try(m.t.Context(), m.rdb)
	if err != nil || got.DueMs != o.ms {
		rt.Fatalf("offer: %+v %v", got, err)
	}
	e := entry{due: o.ms, element: string(o.element), payload: string(o.args.Payload)}
	m.add(e, !m.noView)
	if head := m.sorted()[0].element == e.element; head != got.Head {
		rt.Fatalf("head %v, want %v", got.Head, head)
	}
	m.last = i
}

// resend repeats the last offer, as after a lost reply.
func (m *model) resend(rt *rapid.T) {
	if m.last == nil {
		return
	}
	last := &m.last.offer
	last.unknown, last.firstSent = true, last.began
	_, err := m.last.try(m.t.Context(), m.rdb)
	held := slices.ContainsFunc(m.pending, func(e entry) bool { return e.element == string(last.element) })
	far := last.ms > m.now+1000
	switch {
	case held && err != nil:
		rt.Fatalf("resend while it is pending: %v", err)
	case !held && far && err != nil:
		rt.Fatalf("resend before it is due: %v", err)
	case !held && far: // it was removed meanwhile, which a resend cannot know
		m.add(entry{last.ms, string(last.element), string(last.args.Payload), false}, !m.noView)
	case !held && err == nil:
		rt.Fatal("a resend after delivery was added")
	}
}

func (m *model) java(rt *rapid.T) {
	payload := m.payload(rt)
	m.serial++
	element := queuetest.JavaNew(fmt.Appendf(nil, "%08d", m.serial), []byte(payload))
	if rapid.Bool().Draw(rt, "old") {
		element = queuetest.JavaOld(int64(m.serial), []byte(payload))
	}
	e := entry{due: m.draw(rt), element: string(element), payload: payload}
	queuetest.Put(m.t, m.rdb, m.k, e.due, element)
	m.add(e, true)
}

func (m *model) garbage(rt *rapid.T) {
	m.serial++
	e := entry{due: m.draw(rt), element: fmt.Sprintf("garbage %d", m.serial), bad: true}
	queuetest.Put(m.t, m.rdb, m.k, e.due, []byte(e.element))
	m.add(e, true)
}

func (m *model) remove(rt *rapid.T) {
	if len(m.pending) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.pending)-1).Draw(rt, "which")
	m.rdb.ZRem(m.t.Context(), m.k.Timeout, m.pending[i].element)
	m.rdb.LRem(m.t.Context(), m.k.Pending, 1, m.pending[i].element)
	m.unlist(m.pending[i].element)
	m.pending = slices.Delete(m.pending, i, i+1)
}

func (m *model) transfer(rt *rapid.T) {
	limit := rapid.SampledFrom([]int{1, 3, 100, 300}).Draw(rt, "limit")
	args := TransferArgs{Limit: limit, NoView: m.noView, NoDueTracking: rapid.Bool().Draw(rt, "untracked")}
	args.budget = rapid.SampledFrom([]time.Duration{0, time.Microsecond, patient}).Draw(rt, "budget")
	r, err := Transfer(m.t.Context(), m.rdb, m.k, args)
	if err != nil {
		rt.Fatal(err)
	}
	m.take(rt, r)
}

// take plays a transfer's result in the model.
func (m *model) take(rt *rapid.T, r TransferResult) {
	order := m.sorted()
	left := map[string]bool{}
	for _, element := range queuetest.Must[[]string](m.t)(m.rdb.ZRange(m.t.Context(), m.k.Timeout, 0, -1).Result()) {
		left[element] = true
	}
	var gone, rest []entry
	for _, e := range order {
		if left[e.element] {
			rest = append(rest, e)
		} else {
			gone = append(gone, e)
		}
	}
	if len(gone) != r.Done() || len(gone)+len(left) != len(order) {
		rt.Fatalf("%d are gone, %+v", len(gone), r)
	}
	overdue := slices.IndexFunc(append(order, entry{due: m.now + 1001}), func(e entry) bool { return e.due > m.now+1000 })
	strict := overdue < 32 || m.noView // fewer than a drain needs
	passed := !m.noView && overdue >= 400
	if n := len(gone); strict && !slices.Equal(gone, order[:n]) {
		rt.Fatal("others went than those that come first")
	} else if n > 0 && len(rest) > 0 && !passed && gone[n-1].due > rest[0].due {
		rt.Fatal("one went before others that were due before it")
	}
	var payloads []string
	for _, e := range gone {
		if e.due > m.now+1000 {
			rt.Fatal("moved before it was due")
		}
		m.finish(e.element)
		if e.bad {
			m.dead++
		} else {
			payloads = append(payloads, e.payload)
			m.moved[e.element] = true
		}
	}
	m.pending = rest
	m.arrive(rt, payloads, gone, strict, passed)
	if passed { // another order is right; who is in it, check compares
		list := queuetest.Must[[]string](m.t)(m.rdb.LRange(m.t.Context(), m.k.Pending, 0, -1).Result())
		if slices.Equal(slices.Sorted(slices.Values(list)), slices.Sorted(slices.Values(m.list))) {
			m.list = list
		}
	}
}

// arrive compares what came to the ready list with what left the pending messages: in
// that order where strict, else in any order within one due time, or, where the list was
// passed over, at all.
func (m *model) arrive(rt *rapid.T, payloads []string, gone []entry, strict, passed bool) {
	got := queuetest.Ready(m.t, m.rdb, m.k)
	if len(got) != len(m.ready)+len(payloads) {
		rt.Fatalf("%d ready, want %d and %d", len(got), len(m.ready), len(payloads))
	}
	came := slices.Clone(got[len(m.ready):])
	m.ready = got
	switch {
	case strict:
	case passed:
		slices.Sort(came)
		slices.Sort(payloads)
	default:
		good := slices.DeleteFunc(slices.Clone(gone), func(e entry) bool { return e.bad })
		for from := 0; from < len(good); {
			to := from
			for to < len(good) && good[to].due == good[from].due {
				to++
			}
			slices.Sort(came[from:to])
			slices.Sort(payloads[from:to])
			from = to
		}
	}
	if !slices.Equal(came, payloads) {
		rt.Fatalf("%q came, want %q", came, payloads)
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
	list := queuetest.Must[[]string](m.t)(m.rdb.LRange(m.t.Context(), m.k.Pending, 0, -1).Result())
	want := [4]int64{int64(len(m.ready)), int64(len(m.pending)), int64(len(list)), int64(m.dead)}
	if got := queuetest.Counts(m.t, m.rdb, m.k); got != want {
		rt.Fatalf("ready, timeout, pending, dead = %v, want %v", got, want)
	}
	if got := queuetest.Ready(m.t, m.rdb, m.k); !slices.Equal(got, m.ready) {
		rt.Fatalf("ready %q, want %q", got, m.ready)
	}
	if !slices.Equal(list, m.list) {
		rt.Fatalf("Java's list has %q, want %q", list, m.list)
	}
}

func (m *model) drain() {
	for {
		r := queuetest.Must[TransferResult](m.t)(Transfer(m.t.Context(), m.rdb, m.k, TransferArgs{NoView: m.noView}))
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
