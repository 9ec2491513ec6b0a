package lease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// world is the model: what every message may be, beside the real scripts.
// Handlers are zombies by nature: a message that was handed out may be settled at any
// later time, whatever has become of its session.
type world struct {
	t       *rapid.T
	e       *env
	rdb     *redis.Client
	rest    []*Session // living sessions
	handed  []handedOut
	made    int
	settled map[string]bool // acked with effect: never seen again (I2)
}

type handedOut struct {
	s     *Session
	token Token
	body  string
	lost  bool // its session was reaped, or it was settled: it must have no effect (I3)
}

func (w *world) check(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) session() *Session {
	if len(w.rest) == 0 || len(w.rest) < 3 && rapid.Bool().Draw(w.t, "new session") {
		s, err := New(w.rdb, w.rdb, w.e.keys, Options{MaxPayload: 40})
		w.check(err)
		w.rest = append(w.rest, s)
		return s
	}
	return w.rest[rapid.IntRange(0, len(w.rest)-1).Draw(w.t, "session")]
}

func (w *world) push(*rapid.T) {
	w.made++
	body := fmt.Sprintf("m%d", w.made)
	if rapid.IntRange(0, 19).Draw(w.t, "size") == 0 {
		body += "-oversized-oversized-oversized-oversized"
	}
	w.check(w.rdb.RPush(w.ctx(), w.e.keys.Queue, body).Err())
	if rapid.Bool().Draw(w.t, "due") {
		rec := wire.DueRecord{
			ID:    wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(w.made >> 8), byte(w.made)}},
			DueMs: int64(w.made), WrittenMs: w.rdb.Time(w.ctx()).Val().UnixMilli(),
		}
		w.check(w.rdb.RPush(w.ctx(), w.e.keys.Due, rec.Entry([]byte(body))).Err())
	}
}

func (w *world) take(*rapid.T) {
	s := w.session()
	n := rapid.IntRange(1, 5).Draw(w.t, "n")
	var acks Acks
	var acked []int
	for i, h := range w.handed {
		if h.s == s && rapid.Bool().Draw(w.t, "ack") {
			acks = append(acks, h.token)
			acked = append(acked, i)
		}
	}
	before := append(w.list(w.e.keys.Stage(s.ID())), w.queue()...)
	b, err := s.Take(w.ctx(), n, acks)
	w.check(err)
	if b.Lost {
		w.t.Fatal("lost without a reap")
	}
	w.settle(acked, b.Stale)
	w.took(s, b, before)
}

// took notes a batch, which must be a prefix of what was ready.
func (w *world) took(s *Session, b Batch, before []string) {
	at := 0
	for _, m := range b.Messages {
		body := string(m.Body)
		for at < len(before) && before[at] != body {
			at++
		}
		if at == len(before) {
			w.t.Fatalf("%q was not ready, or out of order, in %q", body, before)
		}
		if m.DueMs >= 0 && m.Delivered == 0 && body != fmt.Sprintf("m%d", m.DueMs) {
			w.t.Fatalf("%q has the due time of %d", body, m.DueMs)
		}
		w.handed = append(w.handed, handedOut{s: s, token: m.Token, body: body})
	}
}

// settle notes acks; those of zombies must have been without effect (I3).
func (w *world) settle(acked []int, stale int) {
	want := 0
	for _, i := range acked {
		if w.handed[i].lost {
			want++
			continue
		}
		w.settled[w.handed[i].body] = true
		w.handed[i].lost = true
	}
	if stale != want {
		w.t.Fatalf("%d stale acks, want %d", stale, want)
	}
}

func (w *world) pick() (int, bool) {
	if len(w.handed) == 0 {
		return 0, false
	}
	return rapid.IntRange(0, len(w.handed)-1).Draw(w.t, "message"), true
}

func (w *world) ack(*rapid.T) {
	i, ok := w.pick()
	if !ok {
		return
	}
	stale, err := w.handed[i].s.Ack(w.ctx(), Acks{w.handed[i].token})
	w.check(err)
	w.settle([]int{i}, stale)
}

// rawAck is the ack of a process that knows nothing of its fate.
func (w *world) rawAck(*rapid.T) {
	i, ok := w.pick()
	if !ok || !w.handed[i].lost {
		return
	}
	h := w.handed[i]
	before := w.everything()
	arg := fmt.Sprintf("P%d", h.token.Index)
	if w.fetchIsClosed(h) && rapid.Bool().Draw(w.t, "whole") {
		arg = "W1"
	}
	_, err := ackScript.Run(w.ctx(), w.rdb,
		[]string{h.s.fetches, w.e.keys.Attempts, w.e.keys.MessageNames, w.e.keys.IDs, w.e.keys.Inflight(h.s.ID(), h.token.Nonce)}, arg)
	w.check(err)
	if after := w.everything(); !slices.Equal(before, after) {
		w.t.Fatalf("a zombie's ack changed %q to %q", before, after)
	}
}

func (w *world) fetchIsClosed(h handedOut) bool {
	for _, o := range w.handed {
		if o.token.Nonce == h.token.Nonce && !o.lost {
			return false
		}
	}
	return true
}

func (w *world) nack(*rapid.T) {
	i, ok := w.pick()
	if !ok {
		return
	}
	h := &w.handed[i]
	charge := rapid.Bool().Draw(w.t, "charge")
	before := w.failed(h.body)
	r, err := h.s.Nack(w.ctx(), h.token, NackArgs{Charge: charge, MaxAttempts: 3})
	w.check(err)
	if h.lost != (r.Outcome == Gone) {
		w.t.Fatalf("nack of %+v: %+v", *h, r)
	}
	want := before
	if charge && !h.lost {
		want++
	}
	if r.Outcome == Retried && r.Failed != want || r.Outcome == Dead && want != 3 {
		w.t.Fatalf("nack of %q: %+v after %d failures", h.body, r, before)
	}
	if got := w.failed(h.body); r.Outcome != Dead && got != want {
		w.t.Fatalf("failures went from %d to %d (I5)", before, got)
	}
	h.lost = true
}

func (w *world) failed(body string) int {
	var d, f, x int
	for _, value := range w.rdb.HGetAll(w.ctx(), w.e.keys.Attempts).Val() {
		if strings.Contains(value, wholeDigest(body)) {
			_, _ = fmt.Sscanf(value, "%d,%d,%d", &d, &f, &x)
		}
	}
	return f
}

func (w *world) dead(*rapid.T) {
	i, ok := w.pick()
	if !ok {
		return
	}
	h := &w.handed[i]
	r, err := h.s.Dead(w.ctx(), h.token, DeadArgs{Reason: "rejected"})
	w.check(err)
	if h.lost != r.Gone {
		w.t.Fatalf("dead of %+v: %+v", *h, r)
	}
	h.lost = true
	if !r.Gone && rapid.Bool().Draw(w.t, "restore") {
		_, err := Restore(w.ctx(), w.rdb, w.e.keys, []string{r.Entry})
		w.check(err)
		if q := w.queue(); q[0] != h.body {
			w.t.Fatalf("restored to %q", q)
		}
	}
}

func (w *world) release(*rapid.T) {
	var some []Released
	var want []string
	s := w.session()
	for i := range w.handed {
		h := &w.handed[i]
		if h.s != s || !rapid.Bool().Draw(w.t, "give back") {
			continue
		}
		some = append(some, Released{Token: h.token, Started: rapid.Bool().Draw(w.t, "started")})
		if !h.lost {
			want = append(want, h.body) // handed is in the order of the fetches
		}
		h.lost = true
	}
	staged := w.list(w.e.keys.Stage(s.ID()))
	queue := w.queue()
	if rapid.Bool().Draw(w.t, "backwards") {
		slices.Reverse(some)
	}
	r, err := s.Release(w.ctx(), some)
	w.check(err)
	if r.Given != len(want) || r.Given+r.Gone != len(some) || r.Staged != len(staged) {
		w.t.Fatalf("released %+v of %d", r, len(some))
	}
	w.wantQueue(slices.Concat(want, staged, queue))
}

func (w *world) stage(*rapid.T) {
	s := w.session()
	if len(w.queue()) == 0 {
		return
	}
	_, err := s.Wait(w.ctx())
	w.check(err)
}

// end ends a session: by death and reap, or by closing.
func (w *world) end(*rapid.T) {
	if len(w.rest) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.rest)-1).Draw(w.t, "ended")
	s := w.rest[i]
	var want []string
	for i := range w.handed {
		h := &w.handed[i]
		if h.s == s && !h.lost {
			want = append(want, h.body)
			h.lost = true
		}
	}
	want = slices.Concat(want, w.list(w.e.keys.Stage(s.ID())), w.queue())
	var buried int
	if rapid.Bool().Draw(w.t, "die") {
		w.rdb.ZAddXX(w.ctx(), w.e.keys.Sessions, redis.Z{Score: 1, Member: s.ID()})
		h, err := NewReaper(w.rdb, w.e.keys, ReaperOptions{}).Reap(w.ctx(), s.ID())
		w.check(err)
		buried = h.Buried
	} else {
		_, err := s.Close(w.ctx())
		w.check(err)
	}
	s.lanes.close()
	w.rest = slices.Delete(w.rest, i, i+1)
	if buried == 0 {
		w.wantQueue(want) // I4
	}
	left, err := w.rdb.Keys(w.ctx(), "*"+s.ID()+"*").Result()
	w.check(err)
	if score := w.rdb.ZScore(w.ctx(), w.e.keys.Sessions, s.ID()); len(left) > 0 || !errors.Is(score.Err(), redis.Nil) {
		w.t.Fatalf("the session left %q (I9)", left)
	}
}

func (w *world) wantQueue(want []string) {
	if got := w.queue(); !slices.Equal(got, want) {
		w.t.Fatalf("queue holds %q, want %q", got, want)
	}
}

// transfer moves all pending messages to the ready list, as any client does.
func (w *world) transfer(*rapid.T) {
	for _, el := range w.rdb.ZRange(w.ctx(), w.e.keys.Timeout, 0, -1).Val() {
		_, body, err := wire.Parse([]byte(el), false)
		w.check(err)
		w.check(w.rdb.RPush(w.ctx(), w.e.keys.Queue, body).Err())
	}
	w.rdb.Del(w.ctx(), w.e.keys.Timeout, w.e.keys.Pending)
}

func (w *world) list(key string) []string { return w.rdb.LRange(w.ctx(), key, 0, -1).Val() }
func (w *world) queue() []string          { return w.list(w.e.keys.Queue) }

// everything returns all messages wherever they are.
func (w *world) everything() []string {
	all := w.queue()
	for _, el := range w.rdb.ZRange(w.ctx(), w.e.keys.Timeout, 0, -1).Val() {
		_, body, _ := wire.Parse([]byte(el), false)
		all = append(all, string(body))
	}
	for _, m := range w.rdb.XRange(w.ctx(), w.e.keys.Dead, "-", "+").Val() {
		all = append(all, m.Values["body"].(string))
	}
	for _, k := range w.rdb.Keys(w.ctx(), "duequeue:stage:*").Val() {
		all = append(all, w.list(k)...)
	}
	for _, k := range w.rdb.Keys(w.ctx(), "duequeue:inflight:*").Val() {
		for _, body := range w.list(k)[1:] {
			if body[0] != 0 { // no tombstone
				all = append(all, body)
			}
		}
	}
	slices.Sort(all)
	return all
}

// invariant: every message that is not settled is in exactly one place, byte for byte
// (I1, I7), and no settled one is anywhere (I2).
func (w *world) invariant(*rapid.T) {
	var want []string
	found := w.everything()
	for i := 1; i <= w.made; i++ {
		body := fmt.Sprintf("m%d", i)
		if !w.settled[body] {
			want = append(want, body)
		}
	}
	for i, body := range found {
		if len(body) > 20 {
			found[i] = body[:len(body)-len("-oversized-oversized-oversized-oversized")]
		}
	}
	slices.Sort(want)
	slices.Sort(found)
	if !slices.Equal(found, want) {
		w.t.Fatalf("messages %q, want %q", found, want)
	}
}

func TestNothingIsLostWhateverHappens(t *testing.T) {
	t.Parallel()
	_, srv := own(t)
	rdb := srv.Client()
	rapid.Check(t, func(rt *rapid.T) {
		must(t, rdb.FlushAll(t.Context()).Err())
		w := &world{
			t: rt, rdb: rdb, e: &env{rdb: rdb, keys: wire.KeysOf("orders")},
			settled: map[string]bool{},
		}
		defer func() {
			for _, s := range w.rest {
				s.lanes.close()
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"push": w.push, "push more": w.push, "take": w.take, "take more": w.take, "ack": w.ack,
			"zombie ack": w.rawAck, "nack": w.nack, "dead": w.dead, "release": w.release,
			"stage": w.stage, "end": w.end, "transfer": w.transfer, "": w.invariant,
		})
	})
}
