package lease

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// A nack counts hangs as it is told, and a message that has hung too often is dead.
func TestNackCountsHangs(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "m")
	for i, c := range []struct {
		args NackArgs
		want Message // counters of the next hand-out
	}{
		{NackArgs{Charge: true, MaxHangs: 3}, Message{Delivered: 1, Failed: 1, Hung: 1}},
		{NackArgs{Uncalled: true}, Message{Delivered: 1, Failed: 1, Hung: 1}},
		{NackArgs{Charge: true}, Message{Delivered: 2, Failed: 2, Hung: 1}},
		{NackArgs{MaxHangs: 3}, Message{Delivered: 3, Failed: 2, Hung: 2}},
	} {
		m := take(t, s, 1).Messages[0]
		r, err := s.Nack(t.Context(), m.Token, c.args)
		if must(t, err); r.Outcome != Retried || r.Delivered != c.want.Delivered || r.Failed != c.want.Failed {
			t.Fatalf("%d: %+v", i, r)
		}
		_, err = delayed.Transfer(t.Context(), e.rdb, e.keys, delayed.TransferArgs{})
		must(t, err)
		m = take(t, s, 1).Messages[0]
		if m.Delivered != c.want.Delivered || m.Failed != c.want.Failed || m.Hung != c.want.Hung {
			t.Fatalf("%d: %+v, want %+v", i, m, c.want)
		}
		_, err = s.Release(t.Context(), []Released{{Token: m.Token}})
		must(t, err)
	}
	m := take(t, s, 1).Messages[0]
	n := &Nacking{Token: m.Token, NackArgs: NackArgs{MaxHangs: 3, MaxAttempts: 100, Reason: "hung", Delay: time.Hour}}
	must(t, s.NackAll(t.Context(), []*Nacking{n}))
	if n.Result.Outcome != Dead {
		t.Fatalf("%+v", n.Result)
	}
	dead := e.rdb.XRange(t.Context(), e.keys.Dead, "-", "+").Val()
	if len(dead) != 1 || dead[0].Values["reason"] != "hung" || dead[0].Values["failed"] != "2" || dead[0].Values["delivered"] != "4" || dead[0].Values["hung"] != "3" {
		t.Fatalf("dead: %v", dead)
	}
}
