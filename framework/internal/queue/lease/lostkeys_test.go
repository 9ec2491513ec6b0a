package lease

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Keys of ours that an operator deletes, or that are evicted, cost nobody anything: the
// living go on, and what the dead held comes back within a lease.
func TestDeletedBookkeepingIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]func(e *env, s *Session) string{
		"sessions": func(e *env, _ *Session) string { return e.keys.Sessions },
		"leases":   func(e *env, _ *Session) string { return e.keys.Leases },
		"fetches":  func(_ *env, s *Session) string { return s.fetches },
	} {
		for how, goOn := range map[string]func(t *testing.T, s *Session){
			"take": func(t *testing.T, s *Session) {
				if b := take(t, s, 1); b.Lost || len(b.Messages) > 0 {
					t.Errorf("take %+v", b)
				}
			},
			"wait": func(t *testing.T, s *Session) {
				if w, err := s.Wait(t.Context()); err != nil || w.Lost {
					t.Errorf("wait %+v, %v", w, err)
				}
			},
			"renew": func(t *testing.T, s *Session) {
				if lost, err := s.Renew(t.Context()); err != nil || lost {
					t.Errorf("renewal: lost %v, %v", lost, err)
				}
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				e := onReal(t)
				s := e.session(t, Options{Block: time.Second})
				e.push(t, "a", "b")
				b := take(t, s, 2)
				must(t, e.rdb.Del(t.Context(), key(e, s)).Err())
				goOn(t, s)
				must(t, s.Mend(t.Context()))
				stale, err := s.Ack(t.Context(), tokens(b)[:1])
				if must(t, err); stale != 0 {
					t.Fatal("what was taken is not ours any more")
				}
				e.wantQueue(t)
				if h := e.reap(t, s); h.Bodies != 1 {
					t.Fatalf("reaped %+v", h)
				}
				e.wantQueue(t, "b")
				e.wantKeys(t, "queue", "due", "attempts", "ids")
			})
		}
	}
}

// A process that died before the key of the sessions was deleted: any other process finds
// what it held, without a search.
func TestTheDeadAreFoundWithoutTheirKey(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	died, living := e.session(t, Options{}), e.session(t, Options{})
	e.push(t, "a", "b", "c")
	take(t, died, 2)
	take(t, living, 1)
	must(t, e.rdb.RPush(t.Context(), died.stage, "staged").Err())
	must(t, e.rdb.Del(t.Context(), e.keys.Sessions).Err())
	r := NewReaper(e.rdb, e.keys, ReaperOptions{Self: living.ID})
	wait, err := r.Sweep(t.Context())
	must(t, err)
	if wait > DefaultLease {
		t.Fatalf("the next look is in %v", wait)
	}
	e.wantQueue(t) // it may be alive: it has a lease from now
	if lost, err := living.Renew(t.Context()); lost || err != nil {
		t.Fatalf("renewal of the living: lost %v, %v", lost, err)
	}
	e.expire(t, died)
	_, err = r.Sweep(t.Context())
	must(t, err)
	e.wantQueue(t, "a", "b", "staged")
	e.wantKeys(t, "queue", "due", "sessions", "fetches", "inflight", "attempts", "ids")
}

// Both keys are gone: a living process gives back what it held and begins anew.
func TestAllSessionsForgotten(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	take(t, s, 1)
	must(t, e.rdb.Del(t.Context(), e.keys.Sessions, e.keys.Leases).Err())
	if lost, err := s.Renew(t.Context()); !lost || err != nil {
		t.Fatalf("renewal: lost %v, %v", lost, err)
	}
	must(t, s.Mend(t.Context()))
	e.wantQueue(t, "a", "b")
	if b := take(t, s, 2); len(b.Messages) != 2 {
		t.Fatalf("took %q", bodies(b))
	}
}

// skew moves the deadlines as they stand after Redis's clock went back.
func (e *env) skew(t *testing.T, by time.Duration) {
	t.Helper()
	for _, z := range e.rdb.ZRangeWithScores(t.Context(), e.keys.Sessions, 0, -1).Val() {
		must(t, e.rdb.ZIncrBy(t.Context(), e.keys.Sessions, float64(by.Milliseconds()), fmt.Sprint(z.Member)).Err())
	}
}

func (e *env) ahead(t *testing.T, s *Session) time.Duration {
	t.Helper()
	score, err := e.rdb.ZScore(t.Context(), e.keys.Sessions, s.ID()).Result()
	must(t, err)
	now, err := e.rdb.Time(t.Context()).Result()
	must(t, err)
	return time.Duration(int64(score)-now.UnixMilli()) * time.Millisecond
}

// Redis's clock goes back by a minute: no recovery waits for it longer than a lease, and
// nobody loses a lease for it.
func TestClockThatGoesBack(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	died := e.session(t, Options{Lease: 20 * time.Second})
	patient := e.session(t, Options{Lease: 10 * time.Minute})
	for _, s := range []*Session{died, patient} {
		take(t, s, 1)
	}
	e.skew(t, time.Minute)
	r := NewReaper(e.rdb, e.keys, ReaperOptions{})
	_, err := r.Sweep(t.Context())
	must(t, err)
	for s, lease := range map[*Session]time.Duration{died: died.Lease(), patient: patient.Lease()} {
		if left := e.ahead(t, s); left > lease || left < lease-10*time.Second {
			t.Errorf("%v are left of a lease of %v", left, lease)
		}
	}
	// The same while the reaper runs, which has looked since the clock went back.
	e.skew(t, time.Hour)
	_, err = r.Sweep(t.Context())
	must(t, err)
	if left := e.ahead(t, died); left > died.Lease() {
		t.Errorf("%v are left of a lease of %v", left, died.Lease())
	}
	// And where the key of the leases was deleted before, and it died since.
	must(t, e.rdb.Del(t.Context(), e.keys.Leases).Err())
	e.skew(t, time.Hour)
	_, err = r.Sweep(t.Context())
	must(t, err)
	if left := e.ahead(t, died); left > DefaultLease {
		t.Errorf("%v are left where the lease is not known, want at most the reaper's, %v", left, DefaultLease)
	}
}

// A session that only waits goes by Redis's clock as well: it does not go on with a deadline
// of before.
func TestWaitAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{Block: time.Second})
	take(t, s, 1)
	e.skew(t, time.Minute)
	_, err := s.Wait(t.Context())
	must(t, err)
	if left := e.ahead(t, s); left > s.Lease() {
		t.Errorf("%v are left of a lease of %v", left, s.Lease())
	}
}

// Hundreds of processes die at once: all they held is back after one sweep.
func TestHundredsOfDeadSessions(t *testing.T) {
	t.Parallel()
	const dead = 300
	e := onReal(t)
	for i := range dead {
		s := e.session(t, Options{SessionID: fmt.Sprint("s", i)})
		must(t, e.rdb.RPush(t.Context(), s.stage, fmt.Sprint("m", i)).Err())
		must(t, e.rdb.ZAdd(t.Context(), e.keys.Sessions, redis.Z{Score: 1, Member: s.ID()}).Err())
	}
	reaped := 0
	r := NewReaper(e.rdb, e.keys, ReaperOptions{OnReap: func(Handed) { reaped++ }})
	wait, err := r.Sweep(t.Context())
	must(t, err)
	if n := len(e.queue(t)); n != dead || reaped != dead || wait <= 0 {
		t.Fatalf("%d of %d messages are back, %d sessions reaped, next look in %v", n, dead, reaped, wait)
	}
	if _, err := e.rdb.ZScore(t.Context(), e.keys.Sessions, "s1").Result(); !errors.Is(err, redis.Nil) {
		t.Fatal("a session is still registered")
	}
}
