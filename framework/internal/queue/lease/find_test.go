package lease

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// find looks for the message that was offered with this payload at ms 1.
func (e *env) find(t *testing.T, body string, forbid bool) *delayed.NotPending {
	t.Helper()
	_, err := delayed.Cancel(t.Context(), e.rdb, e.keys, delayed.ChangeArgs{DueMs: 1, ID: idOf(body)})
	var gone *delayed.NotPending
	if !errors.As(err, &gone) {
		t.Fatalf("%s: %v", body, err)
	}
	must(t, Find(t.Context(), e.rdb, e.keys, gone, forbid))
	return gone
}

// known puts messages on the ready list as a transfer does.
func (e *env) known(t *testing.T, bodies ...string) {
	t.Helper()
	e.push(t, bodies...)
	for _, b := range bodies {
		e.due(t, b, wire.DueRecord{ID: idOf(b), DueMs: 1, WrittenMs: time.Now().UnixMilli()})
	}
}

// Each place where a message may be is told, and forbidding touches what is in flight alone.
func TestFindTellsWhereAMessageIs(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.known(t, "handled", "dead", "flies", "twin", "ready")
	s := e.session(t, Options{})
	b := take(t, s, 4)
	wantBodies(t, b, "handled", "dead", "flies", "twin")
	_, err := s.Ack(t.Context(), Acks{b.Messages[0].Token})
	must(t, err)
	died, err := s.Dead(t.Context(), b.Messages[1].Token, DeadArgs{Reason: "rejected"})
	must(t, err)
	for body, want := range map[string]fault.Where{
		"handled": fault.WhereUnknown, "never": fault.WhereUnknown, "dead": fault.WhereDead,
		"flies": fault.WhereInFlight, "ready": fault.WhereReady,
	} {
		gone := e.find(t, body, false)
		if gone.Where != want || gone.Forbidden || gone.Since.IsZero() != (want != fault.WhereDead && want != fault.WhereInFlight) {
			t.Errorf("%s: %+v", body, gone)
		}
		if want == fault.WhereDead && gone.Entry != died.Entry {
			t.Errorf("it died as %s: %+v", died.Entry, gone)
		}
		if old := time.Since(gone.Since); !gone.Since.IsZero() && (old < -time.Minute || old > time.Minute) {
			t.Errorf("%s: since %v", body, gone.Since)
		}
		if gone.Error() == "" || !errors.Is(gone, fault.ErrGone) {
			t.Errorf("%s: %v", body, gone)
		}
	}
}

// A record of a message that another client popped says nothing of what is ready.
func TestFindIgnoresRecordsOfWhatOthersTook(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.known(t, "popped", "waits")
	must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err())
	if gone := e.find(t, "popped", false); gone.Where != fault.WhereUnknown {
		t.Errorf("popped: %v", gone)
	}
	if gone := e.find(t, "waits", false); gone.Where != fault.WhereReady {
		t.Errorf("waits: %v", gone)
	}
}

// The search reads no more than its bound, and says where that was not enough. How far it
// comes within its time depends on the machine.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	_, err := e.rdb.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for i := range findReady + 1 {
			body := fmt.Sprint(i)
			p.RPush(t.Context(), e.keys.Queue, body)
			p.RPush(t.Context(), e.keys.Due, wire.DueRecord{ID: idOf(body), DueMs: 1}.Entry([]byte(body)))
		}
		return nil
	})
	must(t, err)
	for body, want := range map[string]fault.Where{
		"0": fault.WhereCut, "1": fault.WhereReady, fmt.Sprint(findReady): fault.WhereReady, "never": fault.WhereCut,
	} {
		gone := e.find(t, body, false)
		if gone.Where != want && (body != "1" || gone.Where != fault.WhereCut) {
			t.Errorf("%s: %v", body, gone)
		}
	}
	must(t, e.rdb.LTrim(t.Context(), e.keys.Queue, -100, -1).Err())
	if gone := e.find(t, "never", false); gone.Where != fault.WhereUnknown {
		t.Errorf("within the bound: %v", gone)
	}
}

// Looking elsewhere keeps to its budget of time, which the scripts find used up by looking at the
// clock: the records of what is ready, the fetches in flight and the dead store.
func TestFindKeepsToItsTime(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	numbers := numbered(4000)
	e.push(t, numbers...)
	pipe := e.rdb.Pipeline()
	for _, body := range numbers {
		pipe.RPush(t.Context(), e.keys.Due, wire.DueRecord{ID: idOf(body), DueMs: 1}.Entry([]byte(body)))
	}
	for range 200 {
		pipe.XAdd(t.Context(), &redis.XAddArgs{Stream: e.keys.Dead, Values: []any{"body", "x", "id", "a"}})
	}
	_, err := pipe.Exec(t.Context())
	must(t, err)
	s := e.session(t, Options{})
	for range 200 {
		take(t, s, 5)
	}
	for _, row := range []struct {
		look               time.Duration
		ready, lists, dead int // what is looked at: chunks of 100 records, lists, entries
	}{
		{time.Second, 1, 31, 64}, // the first look says that it is late
		{400 * time.Microsecond, 4, 64, 128},
	} {
		rdb := queuetest.WithSlowClock(t, srv.Addr(), row.look)
		count := func(command string) int { return lab.Commands(t, srv.Client())[command].Calls }
		chunks, lists, dead := count("lrange"), count("lindex"), count("xrevrange")
		gone := &delayed.NotPending{NotPendingError: &fault.NotPendingError{ID: wire.FormatID(1, idOf("never"))}}
		must(t, Find(t.Context(), rdb, e.keys, gone, true))
		chunks, lists, dead = count("lrange")-chunks, count("lindex")-lists, count("xrevrange")-dead
		if gone.Where != fault.WhereCut || chunks != row.ready || lists != row.lists || dead != row.dead {
			t.Errorf("a look at the clock takes %v: %v; read %d chunks, %d lists, %d entries, want %d, %d, %d",
				row.look, gone, chunks, lists, dead, row.ready, row.lists, row.dead)
		}
	}
}

// Whatever ends an attempt, a message that was cancelled meanwhile does not come again; one
// that came without an ID is found by the one that its take gave it.
func TestAForbiddenMessageDoesNotComeAgain(t *testing.T) {
	t.Parallel()
	ends := map[string]struct {
		end func(t *testing.T, e *env, s *Session, b Batch) (cancelled int)
	}{
		"nack": {func(t *testing.T, _ *env, s *Session, b Batch) int {
			r, err := s.Nack(t.Context(), b.Messages[1].Token, NackArgs{Charge: true, MaxAttempts: 5})
			must(t, err)
			if r.Failed != 1 {
				t.Errorf("%+v", r)
			}
			must(t, s.NackAll(t.Context(), []*Nacking{{Token: b.Messages[0].Token}, {Token: b.Messages[2].Token}}))
			return count(r.Outcome == Cancelled)
		}},
		"last attempt": {func(t *testing.T, _ *env, s *Session, b Batch) int {
			nacks := nackings(b, NackArgs{Charge: true, MaxAttempts: 1})
			nacks[0].MaxAttempts, nacks[2].MaxAttempts = 5, 5
			must(t, s.NackAll(t.Context(), nacks))
			return count(nacks[1].Result.Outcome == Cancelled)
		}},
		"batch": {func(t *testing.T, _ *env, s *Session, b Batch) int {
			nacks := nackings(b, NackArgs{Charge: true, MaxAttempts: 5, Delay: time.Hour})
			must(t, s.NackAll(t.Context(), nacks))
			return count(nacks[1].Result.Outcome == Cancelled)
		}},
		"dead": {func(t *testing.T, _ *env, s *Session, b Batch) int {
			r, err := s.Dead(t.Context(), b.Messages[1].Token, DeadArgs{Reason: "rejected", Charge: true})
			must(t, err)
			if r.Entry != "" || r.Gone {
				t.Errorf("%+v", r)
			}
			must(t, s.NackAll(t.Context(), []*Nacking{{Token: b.Messages[0].Token}, {Token: b.Messages[2].Token}}))
			return count(r.Cancelled)
		}},
		"release": {func(t *testing.T, _ *env, s *Session, b Batch) int {
			back := make([]Released, len(b.Messages))
			for i, m := range b.Messages {
				back[i] = Released{Token: m.Token, Started: i == 1}
			}
			r, err := s.Release(t.Context(), back)
			must(t, err)
			return r.Cancelled
		}},
		"reap": {func(t *testing.T, e *env, s *Session, _ Batch) int { return e.reap(t, s).Cancelled }},
		"close": {func(t *testing.T, _ *env, s *Session, _ Batch) int {
			h, err := s.Close(t.Context())
			must(t, err)
			return h.Cancelled
		}},
	}
	for name, c := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			e.known(t, "one", "paid", "three")
			s := e.session(t, Options{})
			b := take(t, s, 3)
			for range 2 { // it may be cancelled again
				gone := e.find(t, "paid", true)
				if gone.Where != fault.WhereInFlight || !gone.Forbidden {
					t.Fatalf("%+v", gone)
				}
			}
			if n := c.end(t, e, s, b); n != 1 {
				t.Errorf("%d cancelled", n)
			}
			left := append(e.queue(t), e.pendingBodies(t)...)
			slices.Sort(left) // retries of one ms come in the order of their ids
			if fmt.Sprint(left) != "[one three]" || len(e.dead(t)) > 0 {
				t.Errorf("left %q, dead %v", left, e.dead(t))
			}
			if r := e.records(t, "paid"); len(r) > 0 {
				t.Errorf("its record: %+v", r)
			}
			if gone := e.find(t, "paid", true); gone.Where != fault.WhereUnknown {
				t.Errorf("afterwards: %v", gone)
			}
		})
	}
}

// Success after a cancellation is success.
func TestAForbiddenMessageMaySucceed(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.known(t, "paid")
	s := e.session(t, Options{})
	b := take(t, s, 1)
	_ = e.find(t, "paid", true)
	stale, err := s.Ack(t.Context(), tokens(b))
	must(t, err)
	if stale != 0 {
		t.Errorf("%d stale", stale)
	}
	if h := e.reap(t, s); h.Cancelled != 0 || h.Bodies != 0 {
		t.Errorf("%+v", h)
	}
}

// A message that came without an ID has one from its first take on.
func TestFindKnowsTheIDOfATake(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "a", "b", "c")
	s := e.session(t, Options{})
	b := take(t, s, 3)
	id := b.Messages[1].ID
	_, err := delayed.Cancel(t.Context(), e.rdb, e.keys, delayed.ChangeArgs{DueMs: id.DueMs, ID: id.Element})
	var gone *delayed.NotPending
	if !errors.As(err, &gone) {
		t.Fatal(err)
	}
	must(t, Find(t.Context(), e.rdb, e.keys, gone, true))
	if gone.Where != fault.WhereInFlight || !gone.Forbidden {
		t.Fatalf("%+v", gone)
	}
	if h := e.reap(t, s); h.Cancelled != 1 {
		t.Errorf("%+v", h)
	}
	e.wantQueue(t, "a", "c")
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
