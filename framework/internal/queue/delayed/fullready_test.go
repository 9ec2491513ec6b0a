package delayed

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// frozen runs a transfer as a server does whose clock stands still in scripts: only the
// counts bound it.
func frozen(t *testing.T, rdb redis.UniversalClient, k wire.Keys, args TransferArgs) TransferResult {
	t.Helper()
	call := transferCall(k, args)
	call.Args[4] = int64(1) << 40
	value, err := call.Script.Run(t.Context(), rdb, call.Keys, call.Args...)
	if err != nil {
		t.Fatal(err)
	}
	return queuetest.Must[TransferResult](t)(parseTransfer(call.Script, value, 0))
}

// What is malformed costs a walk of the list too, and mostly a whole one.
func TestTransferCountsTheWalksOfGarbage(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	for i := range 200 {
		rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(now - 1000 + int64(i)), Member: fmt.Sprintf("garbage %d", i)})
	}
	r := frozen(t, rdb, k, TransferArgs{Limit: 1000, Walks: 16})
	if r.Malformed != 16 || r.Walks != 16 {
		t.Errorf("%d malformed, %d walks", r.Malformed, r.Walks)
	}
	if r = frozen(t, rdb, k, TransferArgs{Limit: 1000, Walks: 16, NoView: true}); r.Malformed != 184 || r.Walks != 0 {
		t.Errorf("off: %d malformed, %d walks", r.Malformed, r.Walks)
	}
}

// Messages of one instant are drained within the bound of bytes from the first chunk on.
func TestTransferDrainsWithinBytes(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	big := strings.Repeat("x", 100_000)
	fillPayloads(t, rdb, k, 80, func(i int) (int64, string) { return now - 5 - int64(i%2), fmt.Sprint(i, big) })
	r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: 1000, MaxBytes: 1_000_000}))
	if most := int64(2_000_000); r.Bytes > most || r.Moved == 0 {
		t.Errorf("%d bytes, %d messages", r.Bytes, r.Moved)
	}
}

// A full ready list must not keep what stops Redisson, and makes it push what stands
// before it again and again.
func TestTransferBuriesGarbageThoughTheListIsFull(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	for i := range 3 { // moved by a transfer
		queuetest.Put(t, rdb, k, now-1000, queuetest.JavaNew(fmt.Appendf(nil, "ready %02d", i), fmt.Appendf(nil, "ready %d", i)))
	}
	queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
	for i := range 90 {
		queuetest.Put(t, rdb, k, now-100+int64(i), queuetest.JavaNew(fmt.Appendf(nil, "%08d", i), fmt.Appendf(nil, "good %d", i)))
	}
	queuetest.Put(t, rdb, k, now-50, []byte("garbage"))
	queuetest.Put(t, rdb, k, now-5, queuetest.JavaOld(5, bytes.Repeat([]byte("o"), 300)))
	// What Java pushes again is taken at once, so that the last one is a transfer's.
	if _, err := queuetest.JavaTransfer(queuetest.FormatNew).Run(t.Context(), rdb, queuetest.JavaKeys(k), now, 100); err == nil {
		t.Fatal("the garbage does not stop Redisson")
	}
	rdb.LTrim(t.Context(), k.Queue, 0, 2)
	before := rdb.LLen(t.Context(), k.Queue).Val()
	r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{MaxReady: 2, budget: patient}))
	if r.Malformed != 1 || r.Moved != 0 || r.Ready != before {
		t.Errorf("%+v", r)
	}
	if n := rdb.XLen(t.Context(), k.Dead).Val(); n != 1 {
		t.Errorf("%d in the dead store", n)
	}
	if set, _ := pendingOf(t, rdb, k); len(set) != 91 {
		t.Errorf("%d pending", len(set))
	}
}

// fillPayloads puts messages into set and list.
func fillPayloads(t *testing.T, rdb *redis.Client, k wire.Keys, n int, one func(i int) (due int64, payload string)) {
	t.Helper()
	ids, pipe := wire.NewIDs(), rdb.Pipeline()
	for i := range n {
		due, payload := one(i)
		element := wire.Pack(ids.Next(), []byte(payload))
		pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(due), Member: element})
		pipe.RPush(t.Context(), k.Pending, element)
	}
	queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
}

// What others push must not come before all that is due: where the last of a full list
// was not transferred, a few are.
func TestTransferBesideOthersThatPush(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, push := range map[string]func(k wire.Keys, payload string) error{
		"java": func(k wire.Keys, payload string) error { return rdb.RPush(t.Context(), k.Queue, payload).Err() },
		"push": func(k wire.Keys, payload string) error {
			_, err := Push(t.Context(), rdb, k, PushArgs{Payload: []byte(payload)})
			return err
		},
	} {
		k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
		queuetest.FillRandom(t, rdb, k, 100, func(i int) int64 { return now - 5 - int64(i) })
		for round := range 3 {
			for i := range 5 {
				if err := push(k, fmt.Sprint("pushed ", round, i)); err != nil {
					t.Fatal(err)
				}
			}
			for again, want := range []int{10, 0, 0} {
				r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{MaxReady: 5, budget: patient}))
				if r.Moved != want || again > 0 && r.NextDueMs < 0 {
					t.Errorf("%s, round %d: %+v, want %d moved", name, round, r, want)
				}
			}
		}
	}
}
