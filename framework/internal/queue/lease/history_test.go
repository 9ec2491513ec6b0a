package lease

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// history is what a redriven message carries; the separators of a reply stand in it.
const history = "000001" + "0045" + "1 2 3-0 rejected 2 1 0 4 - 50%; 100%25 or %3B "

// Whatever becomes of a redriven message, its history stays with it until it is done,
// or dies again.
func TestHistoryTravelsWithTheMessage(t *testing.T) {
	t.Parallel()
	type way struct {
		do func(t *testing.T, e *env, s *Session, b Batch)
		// counts are the counters afterwards, "" where nothing is kept, "dead" where the
		// entry has it.
		counts string
	}
	nacked := func(a NackArgs) func(*testing.T, *env, *Session, Batch) {
		return func(t *testing.T, _ *env, s *Session, b Batch) {
			_, err := s.Nack(t.Context(), b.Messages[0].Token, a)
			must(t, err)
		}
	}
	for name, w := range map[string]way{
		"ack": {func(t *testing.T, _ *env, s *Session, b Batch) {
			_, err := s.Ack(t.Context(), tokens(b))
			must(t, err)
		}, ""},
		"nack":         {nacked(NackArgs{Charge: true}), "1,1,0"},
		"last attempt": {nacked(NackArgs{Charge: true, MaxAttempts: 1}), "dead"},
		"dead": {func(t *testing.T, _ *env, s *Session, b Batch) {
			_, err := s.Dead(t.Context(), b.Messages[0].Token, DeadArgs{Reason: "rejected"})
			must(t, err)
		}, "dead"},
		"dead and restored": {func(t *testing.T, _ *env, s *Session, b Batch) {
			r, err := s.Dead(t.Context(), b.Messages[0].Token, DeadArgs{Reason: "undecodable"})
			must(t, err)
			_, err = s.Restore(t.Context(), []string{r.Entry})
			must(t, err)
		}, "1,0,0"},
		"release, started": {func(t *testing.T, _ *env, s *Session, b Batch) {
			_, err := s.Release(t.Context(), []Released{{Token: b.Messages[0].Token, Started: true}})
			must(t, err)
		}, "1,0,0"},
		"close": {func(t *testing.T, _ *env, s *Session, _ Batch) {
			_, err := s.Close(t.Context())
			must(t, err)
		}, "0,0,0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			e.push(t, "order")
			e.setAttempts(t, "order", "0,0,0;"+history)
			s := e.session(t, Options{})
			b := take(t, s, 1)
			if m := b.Messages[0]; m.History != history || m.Delivered+m.Failed+m.Died != 0 {
				t.Fatalf("taken: %+v", m)
			}
			w.do(t, e, s, b)
			want, got := w.counts+";"+history, e.attempts(t, "order")
			switch w.counts {
			case "":
				want = ""
			case "dead":
				want = ""
				if d := e.dead(t); len(d) != 1 || d[0]["history"] != history {
					t.Errorf("dead: %v", d)
				}
			}
			if got != want {
				t.Errorf("counters %q, want %q", got, want)
			}
		})
	}
}

// What the take and the reaper bury by themselves keeps its history too.
func TestHistoryOfWhatIsBuriedUnseen(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	big := strings.Repeat("big", 20)
	e.push(t, big, "killer", "order")
	e.setAttempts(t, big, "0,0,0;"+history)
	e.setAttempts(t, "killer", "2,0,3;"+history)
	e.setAttempts(t, "order", "2,0,2;"+history)
	s := e.session(t, Options{MaxPayload: 40})
	b := take(t, s, 3)
	if len(b.Messages) != 1 || !b.Suspect || b.Messages[0].History != history {
		t.Fatalf("taken: %+v", b)
	}
	_, err := s.Begin(t.Context(), b.Messages[0].Token)
	must(t, err)
	e.reap(t, s)
	for _, d := range e.dead(t) {
		if d["history"] != history {
			t.Errorf("%s: %v", d["reason"], d)
		}
	}
	if n := len(e.dead(t)); n != 3 {
		t.Errorf("%d dead", n)
	}
	e.wantKeys(t, "dead")
}

// A take whose reply was lost tells it again.
func TestHistoryOfARepeatedTake(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "order")
	e.setAttempts(t, "order", "0,0,0;"+history)
	s := e.session(t, Options{})
	s.last++
	f := &fetch{nonce: chance.Hex(), number: s.last}
	f.key = e.keys.Inflight(s.ID(), f.nonce)
	for _, repeated := range []bool{false, true} {
		b, _, err := s.takeOnce(t.Context(), taking{f: f, n: 1})
		must(t, err)
		if len(b.Messages) != 1 || b.Messages[0].History != history || b.Repeated != repeated {
			t.Fatalf("%+v", b)
		}
	}
}
