package lease

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What dies with a process is held against a suspect only once its handler had begun.
func TestOnlyASuspectThatHadBegunIsCharged(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "killer", "innocent", "new")
	e.setAttempts(t, "killer", "2,0,2")
	e.setAttempts(t, "innocent", "4,1,2")
	s := e.session(t, Options{})
	killer, innocent, rest := take(t, s, 9), take(t, s, 9), take(t, s, 9)
	wantBodies(t, killer, "killer")
	wantBodies(t, innocent, "innocent")
	wantBodies(t, rest, "new")
	for range 2 { // a repetition after a lost reply says the same
		ok, err := s.Begin(t.Context(), killer.Messages[0].Token)
		if must(t, err); !ok {
			t.Fatal("not ours")
		}
	}
	if h := e.reap(t, s); h.Buried != 1 || h.Bodies != 2 {
		t.Fatalf("handed %+v", h)
	}
	e.wantQueue(t, "innocent", "new")
	if dead := e.dead(t); len(dead) != 1 || dead[0]["body"] != "killer" || dead[0]["reason"] != "crash-loop" {
		t.Fatalf("dead store %v", dead)
	}
	if got := e.attempts(t, "innocent"); got != "4,1,2" {
		t.Errorf("the innocent one's counters are %s", got)
	}
	if got := e.attempts(t, "new"); got != "1,0,1" {
		t.Errorf("the new one's counters are %s", got)
	}
}

func TestBeginOfWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "a")
	s := e.session(t, Options{})
	b := take(t, s, 1)
	begin := func(when string) {
		t.Helper()
		if ok, err := s.Begin(t.Context(), b.Messages[0].Token); err != nil || ok {
			t.Fatalf("%s: begun %v, %v", when, ok, err)
		}
	}
	e.reap(t, s)
	begin("reaped")
	wantBodies(t, take(t, e.session(t, Options{}), 1), "a")
	begin("taken by another")
	e.clear(t)
	e.push(t, "b")
	b = take(t, s, 1)
	_, err := s.Ack(t.Context(), tokens(b))
	must(t, err)
	begin("acked")
}

// The mark does not change what else becomes of the message.
func TestASuspectThatHadBegunIsSettledAsEver(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	for name, settle := range map[string]func(Batch) error{
		"ack": func(b Batch) error { _, err := s.Ack(t.Context(), tokens(b)); return err },
		"nack": func(b Batch) error {
			_, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true})
			return err
		},
		"release": func(b Batch) error {
			_, err := s.Release(t.Context(), []Released{{Token: b.Messages[0].Token, Started: true}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e.setAttempts(t, "x "+name, "2,0,2")
			e.push(t, "x "+name)
			b := take(t, s, 1)
			if ok, err := s.Begin(t.Context(), b.Messages[0].Token); err != nil || !ok {
				t.Fatal(ok, err)
			}
			must(t, settle(b))
			want := map[string]string{"ack": "", "nack": "3,1,2", "release": "3,0,2"}[name]
			if got := e.attempts(t, "x "+name); got != want {
				t.Errorf("counters %q, want %q", got, want)
			}
			e.rdb.Del(t.Context(), e.keys.Queue)
		})
	}
}

// Redis does not know yet that the connection of a blocking move was closed, and lets
// it have a message after the session has ended.
func TestAMoveThatOutlivesItsSessionIsReturned(t *testing.T) {
	inBubble(t, func(t *testing.T, e *env) {
		const block = 5 * time.Second
		s := e.session(t, Options{Block: block, Lease: 30 * time.Second}) // miniredis has no CLIENT
		done := waiting(t.Context(), t, s)
		moved := make(chan error, 1)
		go func() { moved <- e.rdb.BLMove(t.Context(), e.keys.Queue, s.stage, "LEFT", "RIGHT", block).Err() }()
		synctest.Wait()
		_, err := s.Close(t.Context())
		must(t, err)
		must(t, <-done)
		e.push(t, "late")
		must(t, <-moved)
		e.wantQueue(t)

		other := e.session(t, Options{Lease: 30 * time.Second})
		handed := make(chan Handed, 9)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := NewReaper(e.rdb, e.keys, ReaperOptions{
			Lease: 30 * time.Second, Self: other.ID, OnReap: func(h Handed) { handed <- h },
		})
		began := time.Now()
		go func() { _ = runReaper(ctx, r) }()
		h := <-handed
		if took := time.Since(began); h.Staged != 1 || took > block+blockSlack+2*time.Second {
			t.Errorf("handed %+v after %v", h, took)
		}
		b := take(t, other, 1)
		wantBodies(t, b, "late")
		if b.Messages[0].Died != 0 {
			t.Error("a death is charged")
		}
		e.wantKeys(t, "sessions", "fetches", "inflight")
		if n := e.rdb.ZCard(t.Context(), e.keys.Sessions).Val(); n != 1 {
			t.Errorf("%d sessions", n)
		}
		cancel()
		synctest.Wait()
	})
}

func TestSuspectScriptMarksTheHeader(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "a")
	s := e.session(t, Options{})
	b := take(t, s, 1)
	list := e.keys.Inflight(s.ID(), b.Messages[0].Token.Nonce)
	before := e.rdb.LIndex(t.Context(), list, 0).Val()
	_, err := s.Begin(t.Context(), b.Messages[0].Token)
	must(t, err)
	after := e.rdb.LIndex(t.Context(), list, 0).Val()
	if !strings.HasPrefix(before, "1") || after != "2"+before[1:] {
		t.Fatalf("header %q became %q", before, after)
	}
}

// Of equal payloads that one process held, only the one that two deaths are held against
// is a suspect.
func TestATwinOfASuspectIsNotBuriedForIt(t *testing.T) {
	t.Parallel()
	for begun, buried := range []int{1, 0} {
		t.Run(strconv.Itoa(begun), func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			e.push(t, "twin", "twin")
			e.setAttempts(t, "twin", "2,0,2")
			s := e.session(t, Options{})
			held := []Batch{take(t, s, 9), take(t, s, 9)}
			if !held[0].Suspect || held[1].Suspect {
				t.Fatalf("taken %+v", held)
			}
			ok, err := s.Begin(t.Context(), held[begun].Messages[0].Token)
			if must(t, err); !ok {
				t.Fatal("not ours")
			}
			if h := e.reap(t, s); h.Buried != buried || h.Bodies != 2-buried {
				t.Fatalf("handed %+v", h)
			}
		})
	}
}
