package lease

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	e := &env{rdb: queuetest.Twin(t), keys: newKeys()}
	s := e.session(t, Options{Journal: bookFor()})
	for i := range 40 {
		body := fmt.Sprint("message ", i)
		e.push(t, body)
		e.withRecords(t, body, int64(i))
	}
	e.push(t, "equal", "equal", "without records")
	e.landed(t, s)
	b := take(t, s, 8)
	noted(s, b.Messages[0])
	take(t, s, 4, b.Messages[0].Token)
	_, err := s.Ack(t.Context(), Acks{b.Messages[1].Token})
	must(t, err)
	_, err = s.Nack(t.Context(), b.Messages[2].Token, NackArgs{Charge: true, Delay: time.Minute, ErrText: "no"})
	must(t, err)
	must(t, s.NackAll(t.Context(), []*Nacking{
		{Token: b.Messages[3].Token, NackArgs: NackArgs{Charge: true, MaxAttempts: 1}},
		{Token: b.Messages[4].Token},
	}))
	d, err := s.Dead(t.Context(), b.Messages[5].Token, DeadArgs{Reason: "rejected", Detail: "why"})
	must(t, err)
	_, err = s.Begin(t.Context(), b.Messages[6].Token)
	must(t, err)
	for _, forbid := range []bool{false, true} {
		for _, id := range []wire.ElementID{b.Messages[6].Element(), idOf("never")} {
			gone := &delayed.NotPending{NotPendingError: &fault.NotPendingError{ID: wire.FormatID(1, id)}}
			must(t, Find(t.Context(), e.rdb, e.keys, gone, forbid))
		}
	}
	_, err = s.Restore(t.Context(), []string{d.Entry, "1-1"})
	must(t, err)
	_, err = s.Renew(t.Context())
	must(t, err)
	must(t, s.Mend(t.Context()))
	_, err = s.Release(t.Context(), []Released{{Token: b.Messages[6].Token, Started: true}, {Token: b.Messages[1].Token}})
	must(t, err)
	_, err = s.Probe(t.Context(), true, nil)
	must(t, err)
	_, err = BuryReady(t.Context(), e.rdb, e.keys, "buried", "why", []Ready{{Place: 0, Body: "never"}, {Place: 3, Body: "equal"}})
	must(t, err)
	_, err = HeldBy(t.Context(), e.rdb, e.keys)
	must(t, err)
	_, err = StagedSince(t.Context(), e.rdb, e.keys, 4102444800000)
	must(t, err)

	other := e.session(t, Options{})
	take(t, other, 5)
	e.reap(t, s)
	take(t, s, 3, b.Messages[7].Token)
	_, err = NewReaper(e.rdb, e.keys, ReaperOptions{}).Forget(t.Context())
	must(t, err)
	_, err = other.Close(t.Context())
	must(t, err)
}
