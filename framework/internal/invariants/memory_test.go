package invariants

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// keyWorld is a queue with keyed messages, by a clock of its own.
type keyWorld struct {
	t       testing.TB
	fatalf  func(format string, args ...any)
	rdb     *redis.Client
	k       wire.Keys
	s       *lease.Session
	now     time.Time
	serial  int
	fetches int

	all       []*keyedMessage
	latest    map[string]*keyedMessage // of each key
	queue     []*keyedMessage          // the ready list in order
	disturbed bool                     // others pushed to the ready list or removed from its middle
}

// keyedMessage is what the model knows of one. Its place is one of world, or gone.
type keyedMessage struct {
	key    string
	body   string
	due    int64
	ends   time.Time // of its window; zero for none
	id     delayed.OfferResult
	place  place
	token  lease.Token
	fetch  int
	failed bool // or given back: its counters stay for a week
}

const gone = done + 1

func newKeyWorld(t testing.TB) *keyWorld {
	w := &keyWorld{t: t, fatalf: t.Fatalf, k: queuetest.NewQueue(), now: time.UnixMilli(4102444800000), latest: map[string]*keyedMessage{}}
	w.rdb = queuetest.WithClock(t, func() time.Time { return w.now })
	w.newSession()
	t.Cleanup(func() { w.rdb.Del(t.Context(), w.k.All()...) })
	return w
}

func (w *keyWorld) newSession() {
	s, err := lease.New(w.rdb, w.rdb, w.k, lease.Options{})
	w.check(err)
	w.s = s
}

func (w *keyWorld) check(err error) {
	if err != nil {
		w.t.Helper()
		w.fatalf("%v", err)
	}
}

func (w *keyWorld) open(m *keyedMessage) bool { return w.now.Before(m.ends) }

// offer offers with a key, and compares the outcome with what is there.
func (w *keyWorld) offer(key string, policy delayed.DedupPolicy, delay, window time.Duration) delayed.OfferResult {
	w.t.Helper()
	w.serial++
	m := &keyedMessage{key: key, body: fmt.Sprintf("m%d", w.serial)}
	got, err := delayed.Offer(w.t.Context(), w.rdb, w.k, delayed.OfferArgs{
		Payload: []byte(m.body), Delay: delay, Dedup: delayed.Dedup{Key: key, Policy: policy, Window: window},
		Trace: []byte(strings.Repeat("t", wire.TraceContextBytes)),
	})
	w.check(err)
	first := w.latest[key]
	var held *keyedMessage // that the answer names
	if i := slices.IndexFunc(w.all, func(m *keyedMessage) bool { return m.id.Text == got.Text }); i >= 0 {
		held = w.all[i]
	}
	switch got.Dedup {
	case delayed.DedupKept:
		alive := held != nil && held.key == key && (held.place == pending || (held.place == ready || held.place == inFlight) && w.open(held))
		if !alive || policy != delayed.DedupKeep {
			w.fatalf("%s: kept wrongly: %+v, %+v", m.body, got, held)
		}
		return got
	case delayed.DedupHandled:
		if held == nil || held.key != key || held.place != done || !w.open(held) || policy != delayed.DedupKeep {
			w.fatalf("%s: not handled within its window: %+v, %+v", m.body, got, held)
		}
		return got
	case delayed.DedupExtended:
		if held == nil || held.place != pending || policy != delayed.DedupExtend {
			w.fatalf("%s: extended wrongly: %+v, %+v", m.body, got, held)
		}
		held.due = got.DueMs
		held.ends = w.now.Add(window)
		return got
	case delayed.DedupReplaced:
		if first == nil || first.place != pending || policy != delayed.DedupReplace {
			w.fatalf("%s: replaced wrongly: %+v, %+v", m.body, got, first)
		}
		first.place = gone
	default:
		if first == nil {
			break
		}
		if first.place == pending || policy == delayed.DedupKeep && w.open(first) &&
			(first.place == done || first.place == inFlight || first.place == ready && !w.disturbed) {
			w.fatalf("%s: a second one beside %+v", m.body, first)
		}
	}
	m.id, m.due = got, got.DueMs
	if window > 0 {
		m.ends = w.now.Add(window)
	}
	w.all = append(w.all, m)
	w.latest[key] = m
	return got
}

// sorted returns what is pending in the order of its due times.
func (w *keyWorld) sorted() []*keyedMessage {
	var out []*keyedMessage
	for _, element := range w.rdb.ZRange(w.t.Context(), w.k.Timeout, 0, -1).Val() {
		_, body, err := wire.Parse([]byte(element), false)
		w.check(err)
		i := slices.IndexFunc(w.all, func(m *keyedMessage) bool { return m.body == string(body) })
		if i < 0 || w.all[i].place != pending {
			w.fatalf("%q is pending", body)
		}
		out = append(out, w.all[i])
	}
	return out
}

func (w *keyWorld) arrive(due []*keyedMessage) {
	for _, m := range due {
		if m.due <= w.now.UnixMilli() {
			m.place = ready
			w.queue = append(w.queue, m)
		}
	}
}

func (w *keyWorld) transfer() {
	due := w.sorted()
	_, err := delayed.Transfer(w.t.Context(), w.rdb, w.k, delayed.TransferArgs{})
	w.check(err)
	w.arrive(due)
}

func (w *keyWorld) javaTransfer() {
	due := w.sorted()
	_, err := queuetest.JavaTransfer(queuetest.FormatOld).Run(w.t.Context(), w.rdb, queuetest.JavaKeys(w.k), w.now.UnixMilli(), 100)
	if err != nil && !errors.Is(err, redis.Nil) {
		w.fatalf("%v", err)
	}
	w.arrive(due)
	w.disturbed = true
}

func (w *keyWorld) take(n int) {
	b, err := w.s.Take(w.t.Context(), n, nil)
	w.check(err)
	w.fetches++
	for _, got := range b.Messages {
		m := w.queue[0]
		w.queue = w.queue[1:]
		if m.body != string(got.Body) {
			w.fatalf("took %q, want %+v", got.Body, m)
		}
		m.place, m.token, m.fetch = inFlight, got.Token, w.fetches
	}
}

func (w *keyWorld) ack(m *keyedMessage) {
	stale, err := w.s.Ack(w.t.Context(), lease.Acks{m.token})
	if w.check(err); stale > 0 {
		w.fatalf("%+v was not there", m)
	}
	m.place = done
}

func (w *keyWorld) nack(m *keyedMessage, delay time.Duration) {
	r, err := w.s.Nack(w.t.Context(), m.token, lease.NackArgs{Charge: true, Delay: delay})
	w.check(err)
	m.place, m.due, m.failed = pending, r.DueMs, true
}

// back puts what a session held before all others.
func (w *keyWorld) back() {
	var held []*keyedMessage
	for _, m := range w.all {
		if m.place == inFlight {
			m.place, m.failed = ready, true
			held = append(held, m)
		}
	}
	slices.SortStableFunc(held, func(a, b *keyedMessage) int {
		if a.fetch != b.fetch {
			return a.fetch - b.fetch
		}
		return a.token.Index - b.token.Index
	})
	w.queue = append(held, w.queue...)
}

func (w *keyWorld) reap() {
	w.rdb.ZAddXX(w.t.Context(), w.k.Sessions, redis.Z{Score: 1, Member: w.s.ID()})
	_, err := lease.NewReaper(w.rdb, w.k, lease.ReaperOptions{}).Reap(w.t.Context(), w.s.ID())
	w.check(err)
	w.back()
	w.newSession()
}

// vanish ends all messages at a place.
func (w *keyWorld) vanish(from place) {
	for _, m := range w.all {
		if m.place == from {
			m.place = gone
		}
	}
	if from == ready {
		w.queue, w.disturbed = nil, false
	}
}

func (w *keyWorld) at(p place) []*keyedMessage {
	return slices.DeleteFunc(slices.Clone(w.all), func(m *keyedMessage) bool { return m.place != p })
}

func (w *keyWorld) unready(m *keyedMessage) {
	w.queue = slices.DeleteFunc(w.queue, func(o *keyedMessage) bool { return o == m })
	m.place = gone
}

// ids names a message for a change.
func (m *keyedMessage) change() delayed.ChangeArgs {
	id, _ := wire.ParseID(m.id.Text)
	return delayed.ChangeArgs{DueMs: id.DueMs, ID: id.Element}
}

// forget sweeps as reapers do, n times.
func (w *keyWorld) forget(n int) {
	for range n {
		_, err := lease.NewReaper(w.rdb, w.k, lease.ReaperOptions{}).Forget(w.t.Context())
		w.check(err)
	}
}

// records returns how many records, names and members of the index there are.
func (w *keyWorld) records() [3]int64 {
	ctx := w.t.Context()
	return [3]int64{w.rdb.HLen(ctx, w.k.Attempts).Val(), w.rdb.HLen(ctx, w.k.MessageNames).Val(), w.rdb.ZCard(ctx, w.k.IDs).Val()}
}

// end lets everything vanish that is left, and looks at what is kept then.
func (w *keyWorld) end(failed bool) {
	ctx := w.t.Context()
	w.check(w.rdb.Del(ctx, w.k.Timeout, w.k.Pending, w.k.Queue).Err())
	w.vanish(pending)
	w.vanish(ready)
	for _, m := range w.at(inFlight) {
		w.ack(m)
	}
	open := int64(0)
	for _, m := range w.all {
		if m.place == done && w.open(m) {
			open++
		}
	}
	w.now = w.now.Add(4*time.Minute + time.Second) // what is due within two is left alone for two more
	w.forget(40)
	if got := w.records(); !failed && (got[0] > open || got[1] > open || got[2] > 0) {
		w.fatalf("four minutes later %v records, names and index; %d windows are open: %q", got, open, w.rdb.HGetAll(ctx, w.k.Attempts).Val())
	}
	w.now = w.now.Add(8*24*time.Hour + 100*time.Hour)
	w.forget(40)
	if got := w.records(); got != [3]int64{} {
		w.fatalf("a week later %v records, names and index: %q", got, w.rdb.HGetAll(ctx, w.k.Attempts).Val())
	}
	if n := w.rdb.Exists(ctx, w.k.NonceRecord("k")).Val(); n != 0 {
		w.fatalf("a record of its own is left")
	}
	for _, key := range []string{w.k.Due, w.k.Trace} { // they end by themselves
		if ttl := w.rdb.PTTL(ctx, key).Val(); ttl == -1 {
			w.fatalf("%s has no end", key)
		}
	}
}

// After any sequence of what Go, Java and operators do, no offer with a key is told of a message
// that is not there, and once everything has vanished, what is kept of it ends within its
// bounds.
func TestNothingOutlivesItsMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newKeyWorld(t)
		w.fatalf = rt.Fatalf
		roll := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
		some := func(from []*keyedMessage) (*keyedMessage, bool) {
			if len(from) == 0 {
				return nil, false
			}
			return from[roll(len(from), "which")], true
		}
		ctx := t.Context()
		offer := func(*rapid.T) {
			w.offer(fmt.Sprint("key ", roll(3, "key")), []delayed.DedupPolicy{delayed.DedupKeep, delayed.DedupKeep, delayed.DedupReplace, delayed.DedupExtend}[roll(4, "policy")],
				[]time.Duration{0, 30 * time.Second, time.Hour}[roll(3, "delay")], []time.Duration{0, time.Minute, 3 * time.Hour}[roll(3, "window")])
		}
		on := func(p place, do func(m *keyedMessage)) func(*rapid.T) {
			return func(*rapid.T) {
				if m, ok := some(w.at(p)); ok {
					do(m)
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"offer":       offer,
			"offer again": offer,
			"time passes": func(*rapid.T) {
				w.now = w.now.Add([]time.Duration{time.Millisecond, 20 * time.Second, 10 * time.Minute, 2 * time.Hour}[roll(4, "how long")])
			},
			"transfer":       func(*rapid.T) { w.transfer() },
			"Java transfers": func(*rapid.T) { w.javaTransfer() },
			"take":           func(*rapid.T) { w.take(1 + roll(3, "how many")) },
			"ack":            on(inFlight, w.ack),
			"nack":           on(inFlight, func(m *keyedMessage) { w.nack(m, []time.Duration{0, time.Hour}[roll(2, "later")]) }),
			"dead": on(inFlight, func(m *keyedMessage) {
				_, err := w.s.Dead(ctx, m.token, lease.DeadArgs{Reason: "rejected"})
				w.check(err)
				m.place = dead
			}),
			"reap": func(*rapid.T) {
				if roll(3, "rarely") == 0 && len(w.at(inFlight)) > 0 {
					w.reap()
				}
			},
			"cancel": on(pending, func(m *keyedMessage) {
				_, err := delayed.Cancel(ctx, w.rdb, w.k, m.change())
				w.check(err)
				m.place = gone
			}),
			"reschedule": on(pending, func(m *keyedMessage) {
				m.due = w.now.Add(time.Duration(roll(3, "hours")) * time.Hour).UnixMilli()
				_, err := delayed.Reschedule(ctx, w.rdb, w.k, m.change(), m.due)
				w.check(err)
			}),
			"poll": func(*rapid.T) {
				got, err := delayed.PollPending(ctx, w.rdb, w.k, 1, false, false)
				w.check(err)
				for _, p := range got {
					i := slices.IndexFunc(w.all, func(m *keyedMessage) bool { return m.body == string(p.Payload) })
					w.all[i].place = gone
				}
			},
			"clear": func(*rapid.T) {
				if roll(4, "rarely") == 0 {
					_, err := delayed.ClearPending(ctx, w.rdb, w.k)
					w.check(err)
					w.vanish(pending)
				}
			},
			"Java removes": on(pending, func(m *keyedMessage) {
				_, err := queuetest.JavaRemove(queuetest.FormatOld).Run(ctx, w.rdb, []string{w.k.Pending, w.k.Timeout}, m.body)
				w.check(err)
				m.place = gone
			}),
			"Java removes from the ready list": on(ready, func(m *keyedMessage) {
				w.check(w.rdb.LRem(ctx, w.k.Queue, 1, m.body).Err())
				w.unready(m)
				w.disturbed = true
			}),
			"Java takes": func(*rapid.T) {
				if len(w.queue) > 0 {
					w.check(w.rdb.LPop(ctx, w.k.Queue).Err())
					w.unready(w.queue[0])
				}
			},
			"Java deletes": func(*rapid.T) {
				if roll(4, "rarely") == 0 {
					w.check(w.rdb.Del(ctx, w.k.Timeout, w.k.Pending).Err())
					w.vanish(pending)
				}
			},
			"Java deletes the ready list": func(*rapid.T) {
				if roll(4, "rarely") == 0 {
					w.check(w.rdb.Del(ctx, w.k.Queue).Err())
					w.vanish(ready)
				}
			},
			"sweep": func(*rapid.T) { w.forget(1) },
			"":      func(*rapid.T) { w.sorted() },
		})
		w.end(slices.ContainsFunc(w.all, func(m *keyedMessage) bool { return m.failed }))
		w.rdb.Del(ctx, w.k.All()...)
	})
}

// Where Java takes what Go offers with keys, the records stay few: twice as many as messages fell
// due within two minutes, whatever the number of all.
func TestRecordsOfKeyedMessagesThatJavaTakes(t *testing.T) {
	t.Parallel()
	const rate, minutes = 10, 12 // a second
	for name, left := range map[string]int64{"nothing stays ready": 0, "five stay ready": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newKeyWorld(t)
			ctx, serial, most := t.Context(), 0, int64(0)
			for range minutes * 60 / 5 {
				w.now = w.now.Add(5 * time.Second)
				var offers []delayed.OfferArgs
				for range rate * 5 {
					serial++
					offers = append(offers, delayed.OfferArgs{Payload: fmt.Append(nil, serial), Delay: time.Second, Dedup: delayed.Dedup{Key: fmt.Sprint("order:", serial), Window: time.Hour}})
				}
				delayed.OfferAll(ctx, w.rdb, w.k, slices.Values(offers), func(_ int, r delayed.OfferResult, err error) {
					if err != nil || r.Dedup != delayed.DedupNone {
						t.Fatalf("%+v %v", r, err)
					}
				})
				w.now = w.now.Add(2 * time.Second)
				_, err := delayed.Transfer(ctx, w.rdb, w.k, delayed.TransferArgs{})
				w.check(err)
				if n := w.rdb.LLen(ctx, w.k.Queue).Val() - left; n > 0 {
					w.check(w.rdb.LPopCount(ctx, w.k.Queue, int(n)).Err())
				}
				most = max(most, w.records()[0])
			}
			bound := int64(2*rate*120 + rate*5)
			if left > 0 {
				bound += 1000 + left
			}
			if most > bound || serial < 2*int(bound) {
				t.Errorf("at most %d records of %d messages, bound %d", most, serial, bound)
			}
			if n := w.rdb.HLen(ctx, w.k.MessageNames).Val(); n > bound {
				t.Errorf("%d names", n)
			}
		})
	}
}

// A key that was offered again leads to the later message, whatever becomes of the first.
func TestAKeyLeadsToTheLaterMessage(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]func(w *keyWorld, m *keyedMessage){
		"nack":       func(w *keyWorld, m *keyedMessage) { w.nack(m, time.Hour) },
		"given back": func(w *keyWorld, _ *keyedMessage) { w.reap() },
	} {
		w := newKeyWorld(t)
		w.offer("k", delayed.DedupKeep, 0, 0)
		first := w.latest["k"]
		w.transfer()
		w.take(1)
		second := w.offer("k", delayed.DedupKeep, time.Hour, 0)
		comes(w, first)
		if got := w.offer("k", delayed.DedupKeep, time.Hour, 0); got.Dedup != delayed.DedupKept || got.Text != second.Text {
			t.Errorf("%s: %+v", name, got)
		}
		if got, err := delayed.Cancel(t.Context(), w.rdb, w.k, delayed.ChangeArgs{Key: "k"}); err != nil || got.ID.String() != second.Text {
			t.Errorf("%s: cancelled %+v, %v", name, got, err)
		}
	}
}

// Who asks for a message that was handled within the window of its key is told so, and when.
func TestTheWindowTellsThatItWasHandled(t *testing.T) {
	t.Parallel()
	w := newKeyWorld(t)
	w.offer("k", delayed.DedupKeep, 0, time.Hour)
	m := w.latest["k"]
	w.transfer()
	w.take(1)
	w.now = w.now.Add(3 * time.Second)
	w.ack(m)
	at := w.now
	w.now = w.now.Add(time.Minute)
	for name, args := range map[string]delayed.ChangeArgs{"key": {Key: "k"}, "ID": m.change()} {
		_, err := delayed.Cancel(t.Context(), w.rdb, w.k, args)
		gone, ok := errors.AsType[*delayed.NotPending](err)
		if !ok || gone.Where != fault.WhereHandled || !gone.Since.Equal(at) || gone.Offered != "k" || gone.ID != m.id.Text {
			t.Errorf("by %s: %v, %+v", name, err, gone)
		}
	}
}
