package delayed

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// pick draws a pending message, or one that is gone.
func (m *model) pick(rt *rapid.T) (i int, args ChangeArgs, ok bool) {
	i = rapid.IntRange(-1, len(m.pending)-1).Draw(rt, "which")
	if i < 0 {
		return i, ChangeArgs{DueMs: m.now, ID: m.ids.Next()}, true
	}
	id, _, err := wire.Parse([]byte(m.pending[i].element), false)
	return i, ChangeArgs{DueMs: m.pending[i].due, ID: id}, err == nil
}

func (m *model) cancel(rt *rapid.T) {
	i, args, ok := m.pick(rt)
	if !ok {
		return
	}
	args.NoView = m.noView
	got, err := Cancel(m.t.Context(), m.rdb, m.k, args)
	if i < 0 {
		if !errors.Is(err, fault.ErrGone) {
			rt.Fatalf("cancelled what never was: %+v %v", got, err)
		}
		return
	}
	if err != nil || string(got.Payload) != m.pending[i].payload || got.DueMs != m.pending[i].due {
		rt.Fatalf("cancel: %+v %v, want %+v", got, err, m.pending[i])
	}
	m.finish(m.pending[i].element)
	m.pending = slices.Delete(m.pending, i, i+1)
}

func (m *model) reschedule(rt *rapid.T) {
	i, args, ok := m.pick(rt)
	if !ok {
		return
	}
	due := m.draw(rt)
	got, err := Reschedule(m.t.Context(), m.rdb, m.k, args, due)
	if i < 0 {
		if !errors.Is(err, fault.ErrGone) {
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
		offers = append(offers, OfferArgs{Payload: []byte(m.payload(rt)), At: time.UnixMilli(m.draw(rt)), IDs: m.ids, NoView: m.noView})
	}
	m.offerAll(rt, offers)
}

// burst offers so many that their transfer drains the head of the list, of one due time or
// of several, or passes over it.
func (m *model) burst(rt *rapid.T) {
	spread := rapid.SampledFrom([]int{1, 7}).Draw(rt, "spread")
	due := m.draw(rt)
	n := rapid.IntRange(30, 150).Draw(rt, "n")
	if rapid.IntRange(0, 3).Draw(rt, "hundreds") == 0 {
		n += 400
	}
	offers := make([]OfferArgs, n)
	for i := range offers {
		m.serial++
		offers[i] = OfferArgs{
			Payload: fmt.Appendf(nil, "burst %d", m.serial), At: time.UnixMilli(due - int64(i*5%spread)), IDs: m.ids, NoView: m.noView,
		}
	}
	m.offerAll(rt, offers)
}

func (m *model) offerAll(rt *rapid.T, offers []OfferArgs) {
	OfferAll(m.t.Context(), m.rdb, m.k, slices.Values(offers), func(i int, r OfferResult, err error) {
		if err != nil {
			rt.Fatalf("bulk: %v", err)
		}
		m.add(entry{due: r.DueMs, element: string(wire.Pack(r.ID, offers[i].Payload)), payload: string(offers[i].Payload)}, !m.noView)
	})
}

// keyed offers with one of three keys, whose windows stay open. A message that is ready holds its
// key as far as its due record tells.
func (m *model) keyed(rt *rapid.T) {
	key := fmt.Sprint(rapid.IntRange(1, 3).Draw(rt, "key"))
	policy := rapid.SampledFrom([]DedupPolicy{DedupKeep, DedupReplace, DedupExtend}).Draw(rt, "policy")
	args := OfferArgs{
		Payload: []byte(m.payload(rt)), At: time.UnixMilli(m.draw(rt)), IDs: m.ids,
		Dedup: Dedup{Key: key, Policy: policy, Window: time.Hour}, NoView: m.noView,
	}
	got, err := Offer(m.t.Context(), m.rdb, m.k, args)
	if err != nil {
		rt.Fatalf("keyed: %v", err)
	}
	held, taken := m.keys[key]
	at := slices.IndexFunc(m.pending, func(e entry) bool { return e.element == held })
	want := DedupNone
	switch {
	case taken && at >= 0 && policy == DedupKeep:
		want = DedupKept
	case taken && m.moved[held] && policy == DedupKeep && got.Dedup == DedupKept:
		want = DedupKept
	case taken && at >= 0 && policy == DedupExtend:
		want = DedupExtended
		m.pending[at].due = got.DueMs
	case taken && at >= 0:
		want = DedupReplaced
		m.finish(held)
		m.pending = slices.Delete(m.pending, at, at+1)
	}
	if got.Dedup != want {
		rt.Fatalf("keyed: outcome %v, want %v", got.Dedup, want)
	}
	if want == DedupNone || want == DedupReplaced {
		m.keys[key] = string(wire.Pack(got.ID, args.Payload))
		m.add(entry{due: got.DueMs, element: m.keys[key], payload: string(args.Payload)}, !m.noView)
	}
}

// poll takes the first ones that are messages.
func (m *model) poll(rt *rapid.T) {
	n := rapid.IntRange(1, 3).Draw(rt, "n")
	got, err := PollPending(m.t.Context(), m.rdb, m.k, int64(n), m.noView, false)
	if err != nil {
		rt.Fatal(err)
	}
	var want []entry
	for _, e := range m.sorted() {
		if !e.bad && len(want) < n {
			want = append(want, e)
		}
	}
	if len(got) != len(want) {
		rt.Fatalf("polled %d, want %d", len(got), len(want))
	}
	for i, e := range want {
		if string(got[i].Element) != e.element || got[i].DueMs != e.due {
			rt.Fatalf("polled %+v, want %+v", got[i], e)
		}
		m.finish(e.element)
		m.pending = slices.DeleteFunc(m.pending, func(p entry) bool { return p.element == e.element })
	}
}

// clear happens now and then, or nothing else would be tried.
func (m *model) clear(rt *rapid.T) {
	if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
		return
	}
	n, err := ClearPending(m.t.Context(), m.rdb, m.k)
	if err != nil || n != int64(len(m.pending)) {
		rt.Fatalf("cleared %d, %v", n, err)
	}
	m.pending, m.list = nil, nil
}

// redrive puts a malformed one back, whose bytes are then a payload.
func (m *model) redrive(rt *rapid.T) {
	dead := queuetest.Must[[]redis.XMessage](m.t)(m.rdb.XRangeN(m.t.Context(), m.k.Dead, "-", "+", 1).Result())
	if len(dead) == 0 {
		return
	}
	malformed := rapid.Bool().Draw(rt, "malformed")
	got, err := Redrive(m.t.Context(), m.rdb, m.k, RedriveArgs{Entries: []RedriveEntry{{Entry: dead[0].ID}, {Entry: "1-1"}}, Malformed: malformed})
	want := RedriveRefused
	if malformed {
		want = Redriven
		m.dead--
		body, _ := dead[0].Values["body"].(string)
		m.ready = append(m.ready, body)
	}
	if err != nil || !slices.Equal(got, []RedriveStatus{want, RedriveGone}) {
		rt.Fatalf("redrive: %v %v", got, err)
	}
}

// double puts a pending element into the list again, as resends of old Redissons did.
func (m *model) double(rt *rapid.T) {
	if len(m.pending) == 0 {
		return
	}
	element := m.pending[rapid.IntRange(0, len(m.pending)-1).Draw(rt, "which")].element
	if !slices.Contains(m.list, element) {
		return
	}
	m.rdb.RPush(m.t.Context(), m.k.Pending, element)
	m.list = append(m.list, element)
}
