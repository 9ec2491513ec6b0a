package lease

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// transferred lets bodies become ready as a transfer does, due at 1001, 1002...
func (e *env) transferred(t *testing.T, bodies ...string) {
	t.Helper()
	for i, body := range bodies {
		id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, 2, 3, 4, 5, 6, byte(i)}}
		element := wire.Pack(id, []byte(body))
		must(t, e.rdb.ZAdd(t.Context(), e.keys.Timeout, redis.Z{Score: float64(1001 + i), Member: element}).Err())
		must(t, e.rdb.RPush(t.Context(), e.keys.Pending, element).Err())
	}
	r, err := delayed.Transfer(t.Context(), e.rdb, e.keys, delayed.TransferArgs{})
	must(t, err)
	if r.Moved != len(bodies) {
		t.Fatalf("a transfer moved %d of %d", r.Moved, len(bodies))
	}
}

// landed moves the head to the stage of s, as its Wait does.
func (e *env) landed(t *testing.T, s *Session) {
	t.Helper()
	must(t, e.rdb.LMove(t.Context(), e.keys.Queue, e.keys.Stage(s.ID()), "LEFT", "RIGHT").Err())
}

// reapInTime reaps s as if its lease, of which all is left, had ended five seconds ago.
func (e *env) reapInTime(t *testing.T, s *Session) {
	t.Helper()
	e.skew(t, -s.Lease()-5*time.Second)
	_, err := NewReaper(e.rdb, e.keys, ReaperOptions{}).Reap(t.Context(), s.ID())
	must(t, err)
}

// pass lets time pass for the entries and for what the sessions remember of Redis's clock.
func (e *env) pass(t fatal, by time.Duration, sessions ...*Session) {
	e.ageEntries(t, by)
	for _, s := range sessions {
		s.mu.Lock()
		s.emptied.ms -= by.Milliseconds()
		s.mu.Unlock()
	}
}

func wantDue(t *testing.T, m Message, body string, due int64) {
	t.Helper()
	if string(m.Body) != body || m.DueMs != due {
		t.Errorf("%s came as due at %d, want %s due at %d", m.Body, m.DueMs, body, due)
	}
}

// A message that waits long in the stage of a session, which stood still or got its reply
// late, keeps its due time, alone or beside others that come and go meanwhile.
func TestLateTakeKeepsTheDueTime(t *testing.T) {
	t.Parallel()
	for name, bodies := range map[string][2]string{"distinct": {"a", "b"}, "equal": {"same", "same"}} {
		for _, beside := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				e := onReal(t)
				late, other := e.session(t, Options{}), e.session(t, Options{})
				take(t, late, 1)
				e.transferred(t, bodies[0])
				e.landed(t, late)
				e.pass(t, time.Minute, late, other)
				if beside {
					take(t, other, 1)
					e.transferred(t, bodies[1])
					b := take(t, other, 1)
					wantDue(t, b.Messages[0], bodies[1], 1001)
					e.pass(t, time.Minute, late, other)
					take(t, other, 1, tokens(b)...)
				}
				wantDue(t, take(t, late, 1).Messages[0], bodies[0], 1001)
			})
		}
	}
}

// So it does where Redis's clock has gone back since its session found the queue empty.
func TestLateTakeAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, s *Session){
		"take": func(*testing.T, *Session) {},
		"close": func(t *testing.T, s *Session) {
			_, err := s.Close(t.Context())
			must(t, err)
		},
		"release": func(t *testing.T, s *Session) {
			_, err := s.Release(t.Context(), nil)
			must(t, err)
		},
	}
	for name, end := range ends {
		for _, back := range []time.Duration{0, 3 * time.Second, time.Hour} {
			t.Run(name+"/"+back.String(), func(t *testing.T) {
				e := onReal(t)
				late := e.session(t, Options{})
				take(t, late, 1)
				e.transferred(t, "same")
				e.landed(t, late)
				e.pass(t, 10*time.Second, late)
				late.emptied.ms += back.Milliseconds()
				late.emptied.at = late.emptied.at.Add(-10 * time.Second)
				if end(t, late); name != "take" {
					late = e.session(t, Options{})
				}
				wantDue(t, take(t, late, 1).Messages[0], "same", 1001)
			})
		}
	}
}

// A message that landed never takes the entry of a ready message, even of an equal one. Its own
// entry may be gone: another session with an equal message took it.
func TestLateTakeLeavesTheEntriesOfReadyMessages(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	late, early, other := e.session(t, Options{}), e.session(t, Options{}), e.session(t, Options{})
	e.transferred(t, "same")
	e.landed(t, early)
	e.pass(t, time.Second, early)
	take(t, late, 1)
	e.transferred(t, "same")
	e.landed(t, late)
	e.transferred(t, "same", "same")
	take(t, early, 1)
	wantDue(t, take(t, other, 1).Messages[0], "same", 1001)
	take(t, late, 1)
	wantDue(t, take(t, other, 1).Messages[0], "same", 1002)
}

// So does a message in the stage of a process that died, whose lease has to end first, and
// one that is given back, while others come and go.
func TestStageOfTheDeadKeepsItsDueTime(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, e *env, s *Session){
		"reap": func(t *testing.T, e *env, s *Session) { e.reapInTime(t, s) },
		"close": func(t *testing.T, _ *env, s *Session) {
			_, err := s.Close(t.Context())
			must(t, err)
		},
		"release": func(t *testing.T, _ *env, s *Session) {
			_, err := s.Release(t.Context(), nil)
			must(t, err)
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			e := onReal(t)
			dead, other := e.session(t, Options{}), e.session(t, Options{})
			take(t, dead, 1)
			e.transferred(t, "same")
			e.landed(t, dead)
			e.pass(t, 30*time.Second, dead, other)
			for range 80 { // a Java service pops what Go transferred
				e.transferred(t, "popped", "taken")
				must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err())
				take(t, other, 1, tokens(take(t, other, 1))...)
				e.pass(t, 250*time.Millisecond, dead, other)
			}
			end(t, e, dead)
			wantDue(t, take(t, other, 1).Messages[0], "same", 1001)
		})
	}
}

// A message without an entry takes the due time of an equal one that was retried, or offered with
// a trace, only as a guess: Java may have taken that one. It stays a guess when the message comes
// back, and is no first due time.
func TestDueTimeOfAnEqualPayloadIsAGuess(t *testing.T) {
	t.Parallel()
	leftovers := map[string]func(t *testing.T, e *env, s *Session){
		"retried": func(t *testing.T, e *env, s *Session) {
			e.push(t, "same")
			_, err := s.Nack(t.Context(), take(t, s, 1).Messages[0].Token, NackArgs{Delay: time.Millisecond})
			must(t, err)
			<-time.After(2 * time.Millisecond)
		},
		"traced": func(t *testing.T, e *env, _ *Session) {
			_, err := delayed.Offer(t.Context(), e.rdb, e.keys, delayed.OfferArgs{Payload: []byte("same"), Trace: make([]byte, wire.TraceContextBytes)})
			must(t, err)
		},
	}
	for name, leave := range leftovers {
		t.Run(name, func(t *testing.T) {
			e := onReal(t)
			s := e.session(t, Options{})
			leave(t, e, s)
			must(t, e.rdb.Del(t.Context(), e.keys.Timeout, e.keys.Pending).Err())
			e.push(t, "same")
			var due int64
			for i := range 3 {
				b := take(t, s, 1)
				m := b.Messages[0]
				if due = max(due, m.DueMs); !m.DueGuessed || m.DueMs != due || name == "traced" && m.FirstDueMs >= 0 {
					t.Errorf("take %d: %+v", i, m)
				}
				if i == 0 {
					_, err := s.Release(t.Context(), []Released{{Token: m.Token}})
					must(t, err)
				} else {
					e.reap(t, s)
				}
			}
		})
	}
}

// A message that a Java service transferred has no entry. It does not get that of an equal
// one that Java popped long before: it could expire by it.
func TestNoDueTimeOfOneThatIsLongGone(t *testing.T) {
	t.Parallel()
	ways := map[string]func(t *testing.T, e *env, s *Session) Message{
		"ready": func(t *testing.T, _ *env, s *Session) Message { return take(t, s, 1).Messages[0] },
		"staged": func(t *testing.T, e *env, s *Session) Message {
			e.landed(t, s)
			return take(t, s, 1).Messages[0]
		},
		"given back": func(t *testing.T, e *env, s *Session) Message {
			e.landed(t, s)
			_, err := s.Close(t.Context())
			must(t, err)
			return take(t, e.session(t, Options{}), 1).Messages[0]
		},
		"reaped": func(t *testing.T, e *env, s *Session) Message {
			e.landed(t, s)
			e.reapInTime(t, s)
			return take(t, e.session(t, Options{}), 1).Messages[0]
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			e := onReal(t)
			s := e.session(t, Options{})
			e.transferred(t, "same")
			must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err())
			e.transferred(t, "other")
			b := take(t, s, 1)
			wantDue(t, b.Messages[0], "other", 1001)
			e.pass(t, 4*time.Minute)
			take(t, s, 1, tokens(b)...)
			e.push(t, "same")
			wantDue(t, way(t, e, s), "same", -1)
		})
	}
}

// What others popped is forgotten in the end, though the queue was never taken from since.
func TestEntriesOfAnIdleQueueEnd(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	for range 20 {
		e.transferred(t, "popped", "taken")
		must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err())
		take(t, s, 1)
	}
	e.pass(t, time.Hour)
	e.transferred(t, "last")
	take(t, s, 1)
	if left := e.rdb.LRange(t.Context(), e.keys.Due, 0, -1).Val(); len(left) > 0 {
		t.Errorf("entries are left: %q", left)
	}
}
