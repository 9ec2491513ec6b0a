package lease

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/delayed"
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

// Looking elsewhere holds Redis for 10 ms at most, beside reading one large body, whatever
// lies there: 100,000 ready messages with due records as long as they get, 500 fetches in
// flight, and a dead store of large bodies behind small ones.
func TestFindHoldsRedisForTenMs(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	rdb := srv.Client()
	large := strings.Repeat("x", 500)
	pipe := rdb.Pipeline()
	for i := range 100_000 {
		body := fmt.Sprintf("%06d%s", i, large)
		pipe.RPush(t.Context(), e.keys.Queue, body)
		pipe.RPush(t.Context(), e.keys.Due, wire.DueRecord{ID: idOf(body), DueMs: 1}.Entry([]byte(body)))
		if i%1000 == 999 {
			_, err := pipe.Exec(t.Context())
			must(t, err)
		}
	}
	for i := range 40 {
		must(t, rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: e.keys.Dead, Values: []any{"body", strings.Repeat("x", 2<<20), "id", "a", "n", i}}).Err())
	}
	for range 31 {
		must(t, rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: e.keys.Dead, Values: []any{"body", "x", "id", "a"}}).Err())
	}
	s := e.session(t, Options{})
	s.shared = rdb
	for range 500 {
		take(t, s, 20)
	}
	longest, least, body := 0.0, 1e9, 1e9
	for range 15 {
		took, _ := cost(t, rdb, func() {
			if gone := e.find(t, "never", true); gone.Where != fault.WhereCut || gone.Err != nil {
				t.Fatalf("%v", gone)
			}
		})
		least, longest = min(least, took), max(longest, took)
		read, _ := cost(t, rdb, func() {
			must(t, rdb.Eval(t.Context(), "return #redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)", []string{e.keys.Dead}).Err())
		})
		body = min(body, read)
	}
	t.Logf("a search that is cut: %.0f to %.0f µs of Redis, of which its one large body %.0f", least, longest, body)
	if bound := 10_000 + body; least > bound {
		t.Errorf("it took %.0f µs, and may take %.0f", least, bound)
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
