package framework_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// A Java client whose clock is five minutes ahead moves messages early: the verdict says so, of messages
// without any record and of those whose keys have one. One whose clock is right is not blamed.
func TestEarlyMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rdb := b.server.Client()
	for name, row := range map[string]struct {
		delay, ahead time.Duration
		keyed, early bool
	}{
		"EARLY":       {4 * time.Minute, 5 * time.Minute, false, true},
		"EARLY_KEYED": {4 * time.Minute, 5 * time.Minute, true, true},
		"RIGHT":       {200 * time.Millisecond, 0, false, false},
		"RIGHT_KEYED": {200 * time.Millisecond, 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, l := stringQueue(name), newLedger()
			k := wire.KeysOf(q.Key())
			b.run(t, framework.Consume(q, handlers.Func[string](l.handle)))
			offer, transfer := queuetest.JavaOffer(queuetest.FormatNew, "string.len(ARGV[2]), ARGV[2]"), queuetest.JavaTransfer(queuetest.FormatNew)
			java := func() {
				queuetest.Must[any](t)(transfer.Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb)+row.ahead.Milliseconds(), 100))
			}
			offered := int64(0)
			one := func() {
				text := fmt.Sprint("message ", offered)
				l.accept(text)
				if row.keyed {
					queuetest.Must[framework.Receipt](t)(framework.Bind(b.client, q).Offer(t.Context(), text, row.delay, framework.Key(text)))
				} else {
					queuetest.Must[any](t)(offer.Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb)+row.delay.Milliseconds(), fmt.Sprintf("%08d", offered), text))
				}
				offered++
				java()
			}
			for range 5 {
				one()
			}
			status := func() admin.QueueStatus {
				return queuetest.Must[[]admin.QueueStatus](t)(admin.StatusOf(t.Context(), b.client, q.Key()))[0]
			}
			lab.WaitFor(t, "all to be handled", func() bool {
				java()
				return len(l.missing()) == 0
			})
			// Without a record it is known only of a message that comes where the process knew what was pending.
			lab.WaitFor(t, "what came early to be told", func() bool {
				if status().Early > 0 == row.early {
					return true
				}
				<-time.After(200 * time.Millisecond) // the process looks, and finds nothing
				one()
				return false
			})
			q0 := status()
			if v := admin.Judge(q0); q0.Early > offered || (v.State == "early") != row.early || row.early && (q0.EarlyBy < 3*time.Minute || q0.EarlyBy > 5*time.Minute) {
				t.Errorf("%s: %d by %v", v.Text(), q0.Early, q0.EarlyBy)
			}
		})
	}
}
