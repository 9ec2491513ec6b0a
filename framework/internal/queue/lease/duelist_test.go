package lease

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// dueWorld is the model of the ready list beside the due list: who transfers, takes and
// gives back, with distinct payloads or equal ones, with Java or without.
type dueWorld struct {
	t     *rapid.T
	e     *env
	equal bool // all payloads are the same
	java  bool // a Java service pops; where payloads are distinct it transfers, too, and removes
	next  int64
	ready []dueMessage
	here  map[*Session][]dueMessage // staged
	held  map[*Session][]dueHeld
	all   []*Session
	// dues counts the due times of the equal messages that no session has in flight. Where only
	// Go takes, each take gets one of them, in any order.
	dues map[int64]int
	// passed is by how much time has gone on, for entries and sessions alone.
	passed time.Duration
}

type dueMessage struct {
	body string
	due  int64 // -1 where nobody wrote it
	lax  bool  // an equal one that lay in a stage: its entry may be of one that left after it
	// ready is when it became ready, in ms of the model's time.
	ready int64
}

type dueHeld struct {
	m     dueMessage
	token Token
}

func (w *dueWorld) check(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *dueWorld) message() dueMessage {
	w.next++
	m := dueMessage{body: "tick", due: 1000 + w.next, ready: w.now()}
	if !w.equal {
		m.body = fmt.Sprintf("m%d", w.next)
	}
	return m
}

func (w *dueWorld) now() int64 {
	return w.e.rdb.Time(w.t.Context()).Val().UnixMilli() + w.passed.Milliseconds()
}

// pass lets time pass, for what is ready and for whoever holds what landed.
func (w *dueWorld) pass(by time.Duration) {
	w.passed += by
	w.e.pass(w.t, by, w.all...)
}

func (w *dueWorld) passMuch(*rapid.T) {
	by := rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, time.Minute}).Draw(w.t, "pass")
	for _, staged := range w.here {
		if len(staged) > 0 && w.outlives(staged[0], by) {
			return
		}
	}
	w.pass(by)
}

// longestStaged is how long a message lies in a stage at most: then the lease is over.
const longestStaged = 55 * time.Second

// outlives is whether m, after by, has been ready for longer than a stage lasts.
func (w *dueWorld) outlives(m dueMessage, by time.Duration) bool {
	return w.now()-m.ready+by.Milliseconds() > longestStaged.Milliseconds()
}

func (w *dueWorld) session() *Session {
	return w.all[rapid.IntRange(0, len(w.all)-1).Draw(w.t, "session")]
}

func (w *dueWorld) transfer(*rapid.T) {
	ctx := w.t.Context()
	for range rapid.SampledFrom([]int{1, 3, 40}).Draw(w.t, "due") {
		m := w.message()
		id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 0, 0, 0, 0, 0, byte(w.next >> 8), byte(w.next)}}
		element := wire.Pack(id, []byte(m.body))
		w.check(w.e.rdb.ZAdd(ctx, w.e.keys.Timeout, redis.Z{Score: float64(m.due), Member: element}).Err())
		w.check(w.e.rdb.RPush(ctx, w.e.keys.Pending, element).Err())
		w.dues[m.due]++
		w.ready = append(w.ready, m)
	}
	for {
		r, err := delayed.Transfer(ctx, w.e.rdb, w.e.keys, delayed.TransferArgs{})
		w.check(err)
		if !r.More() {
			return
		}
	}
}

func (w *dueWorld) pushJava(*rapid.T) {
	if w.java && !w.equal {
		m := w.message()
		m.due = -1
		w.check(w.e.rdb.RPush(w.t.Context(), w.e.keys.Queue, m.body).Err())
		w.ready = append(w.ready, m)
	}
}

func (w *dueWorld) popJava(*rapid.T) {
	n := min(rapid.SampledFrom([]int{1, 2, 30}).Draw(w.t, "pop"), len(w.ready))
	if w.java && n > 0 {
		w.check(w.e.rdb.LPopCount(w.t.Context(), w.e.keys.Queue, n).Err())
		w.ready = slices.Clone(w.ready[n:])
	}
}

func (w *dueWorld) removeJava(*rapid.T) {
	if w.java && !w.equal && len(w.ready) > 0 {
		i := rapid.IntRange(0, len(w.ready)-1).Draw(w.t, "remove")
		w.check(w.e.rdb.LRem(w.t.Context(), w.e.keys.Queue, 1, w.ready[i].body).Err())
		w.ready = slices.Delete(slices.Clone(w.ready), i, i+1)
	}
}

func (w *dueWorld) stage(*rapid.T) {
	if len(w.ready) == 0 || w.outlives(w.ready[0], 0) {
		return
	}
	s := w.session()
	w.check(w.e.rdb.LMove(w.t.Context(), w.e.keys.Queue, w.e.keys.Stage(s.ID()), "LEFT", "RIGHT").Err())
	s.touched = true // as by the wait that moved it
	m := w.ready[0]
	m.lax = m.lax || w.equal
	first := slices.MinFunc(w.ready, func(a, b dueMessage) int { return cmp.Compare(a.ready, b.ready) })
	if ready := first.ready - w.passed.Milliseconds(); s.emptied.at.IsZero() || s.emptied.ms > ready {
		s.emptied = serverClock{ready, time.Now()} // it found nothing before they became ready
	}
	w.here[s], w.ready = append(w.here[s], m), slices.Clone(w.ready[1:])
}

func (w *dueWorld) take(*rapid.T) {
	s, n := w.session(), rapid.SampledFrom([]int{1, 2, 5, 20, 128}).Draw(w.t, "n")
	b, err := s.Take(w.t.Context(), n, nil)
	w.check(err)
	for _, got := range b.Messages {
		var m dueMessage
		if len(w.here[s]) > 0 {
			m, w.here[s] = w.here[s][0], w.here[s][1:]
		} else {
			m, w.ready = w.ready[0], w.ready[1:]
		}
		if string(got.Body) != m.body {
			w.t.Fatalf("took %q, want %q", got.Body, m.body)
		}
		if w.equal && !w.java {
			if w.dues[got.DueMs]--; w.dues[got.DueMs] < 0 {
				w.t.Fatalf("a message came as due at %d: no message that is to be taken has that due time", got.DueMs)
			}
		}
		// With Java between them an entry may be unknown, but never another's.
		if !m.lax && got.DueMs != m.due && (got.DueMs != -1 || !w.java || w.equal) {
			w.t.Fatalf("%s, due at %d, came as due at %d", m.body, m.due, got.DueMs)
		}
		m.due = got.DueMs
		w.held[s] = append(w.held[s], dueHeld{m, got.Token})
	}
}

func (w *dueWorld) back(s *Session) []dueMessage {
	var out []dueMessage
	for _, h := range w.held[s] {
		out = append(out, h.m)
	}
	return out
}

func (w *dueWorld) release(*rapid.T) {
	s := w.session()
	var some []Released
	for _, h := range w.held[s] {
		some = append(some, Released{Token: h.token})
	}
	began := w.now()
	_, err := s.Release(w.t.Context(), some)
	w.check(err)
	w.gaveBack(s, began)
}

func (w *dueWorld) gaveBack(s *Session, at int64) {
	returned := slices.Concat(w.back(s), w.here[s])
	for i := range returned {
		returned[i].ready = at
	}
	for _, h := range w.held[s] {
		w.dues[h.m.due]++
	}
	w.ready = append(returned, w.ready...)
	delete(w.held, s)
	delete(w.here, s)
}

// deploy closes a session and lets another follow.
func (w *dueWorld) deploy(*rapid.T) {
	i := rapid.IntRange(0, len(w.all)-1).Draw(w.t, "deploy")
	s := w.all[i]
	began := w.now()
	_, err := s.Close(w.t.Context())
	w.check(err)
	s.lanes.close()
	w.gaveBack(s, began)
	w.all[i], err = New(w.e.rdb, w.e.rdb, w.e.keys, Options{})
	w.check(err)
}

func (w *dueWorld) ack(*rapid.T) {
	s := w.session()
	var acks Acks
	for _, h := range w.held[s] {
		acks = append(acks, h.token)
	}
	_, err := s.Ack(w.t.Context(), acks)
	w.check(err)
	w.held[s] = nil
}

func (w *dueWorld) push(*rapid.T) {
	m := w.message()
	now, err := delayed.Push(w.t.Context(), w.e.rdb, w.e.keys, delayed.PushArgs{Payload: []byte(m.body)})
	w.check(err)
	m.due = now
	w.dues[now]++
	w.ready = append(w.ready, m)
}

// look checks what holds after each step. Each step takes a millisecond at least, as on a slow
// machine.
func (w *dueWorld) look(*rapid.T) {
	w.pass(time.Millisecond)
	ready := w.e.rdb.LRange(w.t.Context(), w.e.keys.Queue, 0, -1).Val()
	if len(ready) != len(w.ready) {
		w.t.Fatalf("%d ready, want %d", len(ready), len(w.ready))
	}
	if n := w.e.rdb.LLen(w.t.Context(), w.e.keys.Due).Val(); n > int64(len(ready))+2000 {
		w.t.Fatalf("%d entries for %d ready messages", n, len(ready))
	}
}

// Each message gets its own due time and no other: with distinct payloads whatever Java
// does, with equal ones where Java only takes.
func TestDueListModel(t *testing.T) {
	t.Parallel()
	for _, equal := range []bool{false, true} {
		for _, java := range []bool{false, true} {
			t.Run(fmt.Sprintf("equal %v, Java %v", equal, java), func(t *testing.T) {
				t.Parallel()
				rdb := lab.Shared.Client()
				rapid.Check(t, func(rt *rapid.T) {
					w := &dueWorld{
						t: rt, e: &env{rdb: rdb, keys: newKeys()}, equal: equal, java: java, dues: map[int64]int{},
						here: map[*Session][]dueMessage{}, held: map[*Session][]dueHeld{},
					}
					for range 3 {
						s, err := New(rdb, rdb, w.e.keys, Options{})
						w.check(err)
						w.all = append(w.all, s)
					}
					defer func() {
						for _, s := range w.all {
							s.lanes.close()
						}
					}()
					rt.Repeat(map[string]func(*rapid.T){
						"": w.look, "transfer": w.transfer, "take": w.take, "take more": w.take, "stage": w.stage,
						"release": w.release, "deploy": w.deploy, "ack": w.ack, "push": w.push,
						"Java pushes": w.pushJava, "Java pops": w.popJava, "Java removes": w.removeJava,
						"time": w.passMuch,
					})
				})
			})
		}
	}
}

// What one session gives back from its stage leaves the entry of another's stage where
// that one looks for it, whether the session closes, releases or died.
func TestStageGivenBackBesideAnotherStage(t *testing.T) {
	t.Parallel()
	ways := map[string]func(t *testing.T, e *env, s *Session, held []Released){
		"release": func(t *testing.T, _ *env, s *Session, held []Released) {
			_, err := s.Release(t.Context(), held)
			must(t, err)
		},
		"close": func(t *testing.T, _ *env, s *Session, _ []Released) {
			_, err := s.Close(t.Context())
			must(t, err)
		},
		"death": func(t *testing.T, e *env, s *Session, _ []Released) {
			e.expire(t, s)
			e.reap(t, s)
		},
	}
	for way, end := range ways {
		t.Run(way, func(t *testing.T) {
			e := onReal(t)
			const held = 200
			now := e.rdb.Time(t.Context()).Val().UnixMilli()
			for i := range held + 2 {
				body := fmt.Sprint("m", i)
				id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 0, 0, 0, 0, 0, 0, byte(i)}}
				e.push(t, body)
				e.due(t, body, wire.DueRecord{ID: id, DueMs: int64(1000 + i), WrittenMs: now})
			}
			ends, stays := e.session(t, Options{}), e.session(t, Options{})
			var released []Released
			for len(released) < held {
				for _, m := range take(t, ends, held-len(released)).Messages {
					released = append(released, Released{Token: m.Token})
				}
			}
			for _, s := range []*Session{ends, stays} {
				e.landed(t, s)
			}
			end(t, e, ends, released)
			if m := take(t, stays, 1).Messages[0]; m.DueMs != 1000+held+1 {
				t.Errorf("what stayed in a stage: %s came as due at %d", m.Body, m.DueMs)
			}
			back := 0
			for len(e.queue(t)) > 0 {
				for _, m := range take(t, stays, 128).Messages {
					if m.DueMs != int64(1000+back) || string(m.Body) != fmt.Sprint("m", back) {
						t.Errorf("%s came as due at %d in place %d", m.Body, m.DueMs, back)
					}
					back++
				}
			}
			if back != held+1 {
				t.Errorf("%d came back, want %d", back, held+1)
			}
		})
	}
}

// What came back from a death after a while is known again by its entry, not by its
// payload, whose records others have as well; and where Redis's clock has jumped since, so
// that the entry counts no more, not by the record of one that is ready.
func TestEqualOnesKeepTheirIDsAfterADeath(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	for _, jump := range []bool{false, true} {
		clock := e.rdb.Time(t.Context()).Val().UnixMilli()
		for i := range byte(8) {
			e.push(t, "tick")
			// The highest ID comes first: records are found by payload in the order of IDs.
			id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 0, 0, 0, 0, 0, 0, 100 - i}}
			e.due(t, "tick", wire.DueRecord{ID: id, DueMs: clock - 60_000 + int64(i), WrittenMs: clock - 50_000})
		}
		died, next := e.session(t, Options{}), e.session(t, Options{})
		var ids []wire.MessageID
		for _, m := range take(t, died, 8).Messages {
			ids = append(ids, m.ID)
		}
		e.expire(t, died)
		e.reap(t, died)
		if jump {
			e.ageEntries(t, time.Minute)
		}
		e.landed(t, next)
		var acks Acks
		for i, m := range append(take(t, next, 1).Messages, take(t, next, 8).Messages...) {
			if m.ID != ids[i] || m.DueMs != clock-60_000+int64(i) {
				t.Errorf("jump %v: message %d, %v, came back as %v, due at %d", jump, i, ids[i], m.ID, m.DueMs)
			}
			acks = append(acks, m.Token)
		}
		_, err := next.Ack(t.Context(), acks)
		must(t, err)
	}
}

// fatal is what a test and a case of a property have in common.
type fatal interface {
	Context() context.Context
	Fatal(args ...any)
}

// ageEntries lets the due list look as it does after Redis's clock went forward.
func (e *env) ageEntries(t fatal, by time.Duration) {
	ctx := t.Context()
	pipe := e.rdb.Pipeline()
	for i, entry := range e.rdb.LRange(ctx, e.keys.Due, 0, -1).Val() {
		if written, err := strconv.ParseInt(entry[17:33], 10, 64); err == nil {
			entry = fmt.Sprintf("%s%016d%s", entry[:17], written-by.Milliseconds(), entry[33:])
			pipe.LSet(ctx, e.keys.Due, int64(i), entry)
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		t.Fatal(err)
	}
}
