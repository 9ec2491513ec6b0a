package lease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// nackings are nacks of all messages of a batch, with the same arguments.
func nackings(b Batch, a NackArgs) []*Nacking {
	out := make([]*Nacking, len(b.Messages))
	for i, m := range b.Messages {
		out[i] = &Nacking{Token: m.Token, NackArgs: a}
	}
	return out
}

// pendingBodies are those that are pending, as they fall due.
func (e *env) pendingBodies(t testing.TB) []string {
	t.Helper()
	var got []string
	for _, m := range e.rdb.ZRange(t.Context(), e.keys.Timeout, 0, -1).Val() {
		_, body, err := wire.Parse([]byte(m), false)
		must(t, err)
		got = append(got, string(body))
	}
	return got
}

// Each of several nacks has its own end, whatever becomes of the others.
func TestNackAllTellsOfEach(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "charged", "free", "last", "lost", "done", "twin", "twin")
	e.setAttempts(t, "last", "3,2,0")
	b := take(t, s, 7)
	m := b.Messages
	_, err := s.Ack(t.Context(), Acks{m[4].Token})
	must(t, err)
	nacks := nackings(b, NackArgs{Charge: true, MaxAttempts: 3, Delay: time.Hour, ErrText: "why"})
	nacks[1].Charge = false
	nacks[3].Token.Nonce = "0123456789abcdef"
	must(t, s.NackAll(t.Context(), nacks))
	want := []string{"1 1 1", "1 1 0", "2 4 3", "0 0 0", "0 0 0", "1 1 1", "1 1 1"} // outcome, delivered, failed
	for i, n := range nacks {
		if got := fmt.Sprint(int(n.Result.Outcome), n.Result.Delivered, n.Result.Failed); !n.Settled || got != want[i] {
			t.Errorf("%s: %s, want %s", m[i].Body, got, want[i])
		}
	}
	if got := e.pendingBodies(t); !slices.Equal(got, []string{"charged", "free", "twin", "twin"}) {
		t.Errorf("pending in order: %q", got)
	}
	if d := e.dead(t); len(d) != 1 || d[0]["body"] != "last" || d[0]["detail"] != "why" {
		t.Errorf("dead: %v", d)
	}
	must(t, s.NackAll(t.Context(), nacks)) // all of them are settled
	if got := len(e.pendingBodies(t)); got != 4 {
		t.Errorf("%d are pending", got)
	}
}

// A whole batch costs one round trip, also where Redis does not hold the script: two then.
func TestNackAllIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	e, _ := own(t)
	c := redis.NewClient(e.rdb.(*redis.Client).Options())
	t.Cleanup(func() { _ = c.Close() })
	var trips atomic.Int64
	c.AddHook(queuetest.EachTrip(func(context.Context, []redis.Cmder) { trips.Add(1) }))
	s := e.sessionOver(t, e.rdb, c, Options{})
	_, err := c.Pipelined(t.Context(), func(p redis.Pipeliner) error { return p.Ping(t.Context()).Err() })
	must(t, err) // it is connected from now on
	all := numbered(30)
	for _, want := range []int64{2, 1} {
		if want == 2 {
			must(t, e.rdb.ScriptFlush(t.Context()).Err())
		}
		e.push(t, all...)
		b := take(t, s, 30)
		before := trips.Load()
		must(t, s.NackAll(t.Context(), nackings(b, NackArgs{Delay: time.Hour})))
		if got := trips.Load() - before; got > want {
			t.Errorf("%d round trips, want %d", got, want)
		}
		if got := e.pendingBodies(t); !slices.Equal(got, all) {
			t.Errorf("pending in order: %q", got)
		}
		must(t, e.rdb.Del(t.Context(), e.keys.Timeout, e.keys.Pending).Err())
	}
}

// Replies that are lost in the middle, and calls that are repeated by who called: each
// message is offered once and charged once, and each answer is that of the first time.
func TestLostRepliesOfNackAll(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "duequeue:inflight")
	s := e.sessionOver(t, e.rdb, c, Options{})
	all := numbered(20)
	for _, drops := range []int64{1, nackTries - 1, nackTries, nackTries + 1} {
		e.clear(t)
		e.push(t, all...)
		nacks := nackings(take(t, s, 20), NackArgs{Charge: true, MaxAttempts: 2, Delay: time.Hour})
		nacks[7].MaxAttempts = 1
		d.drops.Store(drops)
		err := s.NackAll(t.Context(), nacks)
		if (err != nil) != (drops >= nackTries) {
			t.Fatalf("%d replies lost: %v", drops, err)
		}
		must(t, s.NackAll(t.Context(), nacks))
		for i, n := range nacks {
			want := Retried
			if i == 7 {
				want = Dead
			}
			if r := n.Result; !n.Settled || r.Outcome != want || r.Failed != 1 || r.Delivered != 1 {
				t.Errorf("%d: %+v", i, r)
			}
		}
		if got := e.pendingBodies(t); len(got) != 19 || len(e.dead(t)) != 1 {
			t.Errorf("pending %q, dead %v", got, e.dead(t))
		}
	}
}

// A key of the wrong type refuses all of them, and the repeat settles all.
func TestNackAllRefused(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	nacks := nackings(take(t, s, 2), NackArgs{Delay: time.Hour})
	must(t, e.rdb.Set(t.Context(), e.keys.Timeout, "a string", 0).Err())
	var wrong *fault.WrongTypeError
	if err := s.NackAll(t.Context(), nacks); !errors.As(err, &wrong) || wrong.Key != e.keys.Timeout {
		t.Fatalf("nacks: %v", err)
	}
	must(t, e.rdb.Del(t.Context(), e.keys.Timeout).Err())
	must(t, s.NackAll(t.Context(), nacks))
	if got := e.pendingBodies(t); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("pending: %q", got)
	}
}
