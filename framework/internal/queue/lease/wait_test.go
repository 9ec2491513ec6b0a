package lease

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// waiting runs Wait in the background and returns when Redis knows of it.
func waiting(ctx context.Context, t *testing.T, s *Session) chan error {
	t.Helper()
	done := make(chan error, 1)
	results := make(chan Waited, 1)
	go func() {
		w, err := s.Wait(ctx)
		results <- w
		done <- err
	}()
	lab.WaitFor(t, "a wait is in progress", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.waiter != nil && s.waiter.lane.id.Load() != 0
	})
	lab.WaitFor(t, "redis knows the session", func() bool {
		return s.shared.ZScore(t.Context(), s.keys.Sessions, s.ID()).Err() == nil
	})
	t.Cleanup(func() {
		if w := <-results; !w.Interrupted && !w.Landed {
			t.Errorf("wait ended by itself: %+v", w)
		}
	})
	return done
}

func TestWaitLandsInStaging(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	w, err := s.Wait(t.Context())
	must(t, err)
	if w != (Waited{Landed: true}) {
		t.Fatalf("wait: %+v", w)
	}
	e.wantQueue(t, "b")
	e.wantKeys(t, "queue", "sessions", "stage")
	if s.LeaseValidUntil().IsZero() {
		t.Fatal("the wait did not renew the lease")
	}
	wantBodies(t, take(t, s, 2), "a", "b")

	done := waiting(t.Context(), t, s)
	e.push(t, "c")
	must(t, <-done)
	wantBodies(t, take(t, s, 2), "c")
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{Lease: 2 * time.Hour, Block: time.Hour}) // longer than the test may take
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		done := waiting(ctx, t, s)
		cancel()
		must(t, <-done)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if w, err := s.Wait(ended); w.Landed || err == nil && !w.Interrupted {
		t.Fatalf("wait with an ended context: %+v, %v", w, err)
	}
	e.push(t, "a")
	wantBodies(t, take(t, s, 1), "a")
}

func TestUnblock(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	must(t, s.Unblock(t.Context())) // nothing to end
	done := waiting(t.Context(), t, s)
	must(t, s.Unblock(t.Context()))
	must(t, <-done)
	e.push(t, "a")
	wantBodies(t, take(t, s, 1), "a")
}

func TestCloseEndsTheWait(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	done := waiting(t.Context(), t, s)
	_, err := s.Close(t.Context())
	must(t, err)
	if err := <-done; err != nil {
		t.Fatalf("the wait: %v", err)
	}
	e.push(t, "a")
	e.wantKeys(t, "queue")
}

func TestWaitTellsOfALostLease(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a")
	b := take(t, s, 1)
	e.reap(t, s)
	w, err := s.Wait(t.Context())
	must(t, err)
	if w != (Waited{Landed: true, Lost: true}) {
		t.Fatalf("wait: %+v", w)
	}
	b2 := take(t, s, 1, tokens(b)...)
	if b2.Lost || b2.Stale != 1 || b2.Messages[0].Died != 1 {
		t.Fatalf("take: %+v", b2)
	}
}

func TestWaitOnWrongType(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	must(t, e.rdb.Set(t.Context(), e.keys.Queue, "a string", 0).Err())
	_, err := e.session(t, Options{}).Wait(t.Context())
	var wrong *fault.WrongTypeError
	if !errors.As(err, &wrong) || wrong.Key != e.keys.Queue {
		t.Fatalf("wait: %v", err)
	}
}

func TestWaitSurvivesTheServersRestart(t *testing.T) {
	t.Parallel()
	e, srv := own(t, lab.AppendOnly())
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	b := take(t, s, 1)
	done := make(chan error, 1)
	must(t, e.rdb.LTrim(t.Context(), e.keys.Queue, 1, 0).Err())
	go func() {
		_, err := s.Wait(t.Context())
		done <- err
	}()
	lab.WaitFor(t, "redis blocks", func() bool {
		return e.rdb.InfoMap(t.Context(), "clients").Item("Clients", "blocked_clients") == "1"
	})
	srv.Kill()
	if err := <-done; err == nil {
		t.Fatal("the wait noticed nothing")
	}
	srv.Restart()
	e.push(t, "c")
	wantBodies(t, take(t, s, 1, tokens(b)...), "c")
	e.wantKeys(t, "sessions", "fetches", "inflight")
}

func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	e := &env{rdb: cluster.Client()}
	for range 6 { // queues on all nodes
		e.keys = newKeys()
		s, other := e.session(t, Options{}), e.session(t, Options{})
		all := numbered(5)
		e.push(t, all...)
		b := take(t, s, 3)
		w, err := s.Wait(t.Context())
		if must(t, err); !w.Landed {
			t.Fatal("nothing landed")
		}
		r, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true})
		if must(t, err); r.Outcome != Retried {
			t.Fatalf("nack %+v", r)
		}
		d, err := s.Dead(t.Context(), b.Messages[1].Token, DeadArgs{Reason: "rejected"})
		must(t, err)
		_, err = s.Restore(t.Context(), []string{d.Entry})
		must(t, err)
		if lost, err := s.Renew(t.Context()); lost || err != nil {
			t.Fatalf("renew: %v, %v", lost, err)
		}
		e.reap(t, s)
		e.wantQueue(t, all[2], all[3], all[1], all[4])
		ctx, cancel := context.WithCancel(t.Context())
		b = take(t, other, 5)
		done := waiting(ctx, t, other)
		cancel()
		must(t, <-done)
		take(t, other, 1, tokens(b)...)
		must(t, other.Mend(t.Context()))
		_, err = other.Close(t.Context())
		must(t, err)
		e.wantQueue(t)
	}
}

// inBubble runs a test in a synctest bubble, on a miniredis without a listener, which
// would keep time from moving.
func inBubble(t *testing.T, test func(t *testing.T, e *env)) {
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		c := redis.NewClient(&redis.Options{
			Dialer:     func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
			MaxRetries: -1, DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		t.Cleanup(func() {
			_ = c.Close()
			m.Close()
		})
		test(t, &env{rdb: c, keys: newKeys(), mini: m})
	})
}

func TestWaitInVirtualTime(t *testing.T) {
	inBubble(t, func(t *testing.T, e *env) {
		s := e.session(t, Options{Block: 5 * time.Second})
		began := time.Now()
		w, err := s.Wait(t.Context())
		must(t, err)
		if w != (Waited{}) || time.Since(began) != 5*time.Second {
			t.Fatalf("wait: %+v after %v", w, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		w, err = s.Wait(ctx)
		must(t, err)
		if !w.Interrupted || time.Since(began) != time.Second {
			t.Fatalf("wait: %+v after %v", w, time.Since(began))
		}
		e.push(t, "a")
		wantBodies(t, take(t, s, 1), "a")
		_, err = s.Close(t.Context())
		must(t, err)
	})
}

func TestReaperInVirtualTime(t *testing.T) {
	inBubble(t, func(t *testing.T, e *env) {
		const lease = 30 * time.Second
		dying, living := e.session(t, Options{Lease: lease}), e.session(t, Options{Lease: lease})
		e.push(t, "a", "b", "c")
		handed := make(chan Handed, 9)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		r := NewReaper(e.rdb, e.keys, ReaperOptions{
			Lease: lease, Self: living.ID,
			OnReap:  func(h Handed) { handed <- h },
			OnError: func(err error) { t.Errorf("reaper: %v", err) },
		})
		go func() { ended <- runReaper(ctx, r) }()
		take(t, living, 1)
		go func() {
			for pause(ctx, lease/3) {
				if lost, err := living.Renew(ctx); err == nil && lost {
					t.Error("the living session was reaped")
				}
			}
		}()
		pause(ctx, 17*time.Second)
		take(t, dying, 1)
		died := time.Now()
		h := <-handed
		if took := time.Since(died); took > lease*12/10 || took < lease {
			t.Errorf("recovered after %v", took)
		}
		if h.Session != dying.ID() || h.Bodies != 1 {
			t.Errorf("handed %+v", h)
		}
		e.wantQueue(t, "b", "c")
		pause(ctx, 10*time.Minute)
		stop := errors.New("stop")
		cancel(stop)
		if err := <-ended; !errors.Is(err, stop) {
			t.Errorf("ended with %v", err)
		}
		if b := take(t, living, 1); b.Lost {
			t.Error("the living session was lost")
		}
		synctest.Wait()
	})
}

func TestReaperIsFrugal(t *testing.T) {
	inBubble(t, func(t *testing.T, e *env) {
		s := e.session(t, Options{})
		take(t, s, 1)
		looks := 0
		r := NewReaper(e.rdb, e.keys, ReaperOptions{Self: s.ID, OnLook: func() { looks++ }})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_ = runReaper(ctx, r)
		if looks < 15 || looks > 25 {
			t.Errorf("%d looks in ten minutes, want one a lease", looks)
		}
	})
}

func TestReaperReportsErrorsAndGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, e *env) {
		errs := make(chan error, 1000)
		s := e.session(t, Options{})
		e.push(t, "a")
		take(t, s, 1)
		e.mini.SetError("LOADING for a while")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		handed := make(chan Handed, 1)
		r := NewReaper(e.rdb, e.keys, ReaperOptions{
			OnError: func(err error) { errs <- err },
			OnReap:  func(h Handed) { handed <- h },
		})
		go func() { _ = runReaper(ctx, r) }()
		for range 2 {
			if err := <-errs; err == nil {
				t.Error("OnError without an error")
			}
		}
		e.mini.SetError("")
		if h := <-handed; h.Bodies != 1 {
			t.Errorf("handed %+v", h)
		}
		cancel()
		synctest.Wait()
	})
}
