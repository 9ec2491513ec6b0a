package recode

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var errBad = errors.New("cannot be read")

// toNew is a codec of two generations: "old:x" becomes "newer:x".
func toNew(payload []byte) ([]byte, error) {
	rest, old := bytes.CutPrefix(payload, []byte("old:"))
	switch {
	case old:
		return append([]byte("newer:"), rest...), nil
	case bytes.HasPrefix(payload, []byte("newer:")):
		return nil, nil
	}
	return nil, errBad
}

// later makes all offers old enough.
func later() time.Time { return time.Now().Add(2 * Settled) }

func args() Args {
	return Args{Convert: toNew, Now: later, Rest: func(ctx context.Context) error { return ctx.Err() }}
}

// filled offers messages of Go and of both generations of Java, of which several are due in the
// same ms, and returns how many.
func filled(t *testing.T, rdb *redis.Client, k wire.Keys, n int) int {
	t.Helper()
	due := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
	for i := range n {
		payload, at := fmt.Sprintf("old:%d", i/2), due.Add(time.Duration(i%17)*time.Millisecond) // some are equal
		switch i % 5 {
		case 0:
			queuetest.Put(t, rdb, k, at.UnixMilli(), queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), []byte(payload)))
		case 1:
			queuetest.Put(t, rdb, k, at.UnixMilli(), queuetest.JavaOld(int64(i)<<40, []byte(payload)))
		default:
			o := delayed.OfferArgs{Payload: []byte(payload), At: at, Trace: []byte(strings.Repeat("t", wire.TraceContextBytes))}
			if i%5 == 2 {
				o.Dedup = delayed.Dedup{Key: fmt.Sprint("key", i), Window: time.Hour}
			}
			queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, k, o))
		}
	}
	return n
}

// The random ID of a message of an older Redisson may read as one that Go made in years to come, or
// made long ago: neither waits.
func TestJavaIDsThatLookLikeOurs(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, offered := range map[string]time.Time{"years ahead": time.Now().AddDate(9, 0, 0), "years ago": time.Now().AddDate(-9, 0, 0)} {
		id := wire.ElementID{Kind: wire.KindFirst}
		binary.BigEndian.PutUint64(id.Raw[:], wire.Tick(offered)<<11)
		id.Raw[0] = 7 // as all IDs of ours begin
		if at, ok := id.Offered(); !ok || at.Sub(offered).Abs() > time.Second {
			t.Fatalf("%s: reads as %v, %v", name, at, ok)
		}
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, time.Now().Add(time.Hour).UnixMilli(), wire.Pack(id, []byte("old:x")))
		now := args()
		now.Now = time.Now
		if got, err := Run(t.Context(), rdb, k, now); err != nil || got.Recoded != 1 || got.Young != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// elements returns what is pending, in the order of due times and in that of Java's list.
func elements(t *testing.T, rdb *redis.Client, k wire.Keys) (set []redis.Z, list []string) {
	t.Helper()
	return queuetest.Must[[]redis.Z](t)(rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result()),
		queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
}

// renewed is an element as it shall be.
func renewed(t *testing.T, element string) string {
	t.Helper()
	_, payload, err := wire.Parse([]byte(element), false)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := toNew(payload)
	if err != nil || fresh == nil {
		return element
	}
	return string(wire.Repack([]byte(element), payload, fresh))
}

// Each message keeps its due time, its place in Java's list, its ID, its key, its window and its
// trace, and has other bytes.
func TestRun(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, ctx := queuetest.NewQueue(), t.Context()
	n := filled(t, rdb, k, 503)
	queuetest.Put(t, rdb, k, time.Now().Add(time.Hour).UnixMilli(), queuetest.JavaNew([]byte("badbadba"), []byte("bad")))
	set, list := elements(t, rdb, k)

	dry := args()
	dry.DryRun = true
	if got, err := Run(ctx, rdb, k, dry); err != nil || got.Recoded != int64(n) || got.Failed != 1 || got.Already != 0 || got.Scripts != 0 {
		t.Errorf("dry: %+v, %v", got, err)
	}
	young := args()
	young.Now = time.Now
	if got, err := Run(ctx, rdb, k, young); err != nil || got.Recoded == 0 || got.Young == 0 || got.Recoded+got.Young != int64(n) {
		t.Errorf("young ones: %+v, %v", got, err)
	}
	got, err := Run(ctx, rdb, k, args())
	if err != nil || got.Recoded == 0 || got.Young != 0 || got.Recoded+got.Already != int64(n) || got.Failed != 1 || len(got.Examples) != 1 || !errors.Is(got.Examples[0].Err, errBad) {
		t.Errorf("%+v, %v", got, err)
	}
	set2, list2 := elements(t, rdb, k)
	for i := range list {
		list[i] = renewed(t, list[i])
	}
	if !slices.Equal(list, list2) {
		t.Error("the list has other elements, or another order")
	}
	due := map[string]float64{}
	for _, z := range set2 {
		due[z.Member.(string)] = z.Score
	}
	for _, z := range set {
		if due[renewed(t, z.Member.(string))] != z.Score || len(set) != len(set2) {
			t.Errorf("%q is not due at %f", z.Member, z.Score)
		}
	}
	traces := func(payload string) int64 {
		name := wire.Digest([]byte(payload))
		return rdb.ZLexCount(ctx, k.Trace, "["+name, "("+name+"\xff").Val()
	}
	for i := 2; i < n; i += 5 {
		key, want := fmt.Sprint("key", i), fmt.Sprintf("newer:%d", i/2)
		m, err := delayed.Get(ctx, rdb, k, delayed.ChangeArgs{Key: key}, false)
		if err != nil || string(m.Payload) != want || traces(want) == 0 || traces(fmt.Sprintf("old:%d", i/2)) != 0 {
			t.Fatalf("%s: %+v, %v", key, m, err)
		}
		if again := queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte("newer:x"), Delay: time.Hour, Dedup: delayed.Dedup{Key: key, Window: time.Hour}})); again.Text != m.Text {
			t.Fatalf("%s: offered again: %+v, not %s", key, again, m.Text)
		}
	}
	// The last message wins: it finds the one that was recoded.
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte("newer:x"), Delay: time.Hour, Dedup: delayed.Dedup{Key: "key2", Policy: delayed.DedupReplace, Window: time.Hour}}))
	if left := rdb.ZCard(ctx, k.Timeout).Val(); left != int64(len(set)) {
		t.Errorf("%d are pending, want %d", left, len(set))
	}
	if got, err := Run(ctx, rdb, k, args()); err != nil || got.Recoded != 0 || got.Already != int64(n) || got.Scripts != 0 {
		t.Errorf("again: %+v, %v", got, err)
	}
}

// A take knows a message again whose ID a transfer by Java has dropped, by its new bytes.
func TestKnownAgain(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, ctx := queuetest.NewQueue(), t.Context()
	at := time.UnixMilli(queuetest.NowMs(t, rdb) - 5)
	first := queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte("old:1"), At: at, Dedup: delayed.Dedup{Key: "key", Window: time.Hour}}))
	if got, err := Run(ctx, rdb, k, args()); err != nil || got.Recoded != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	queuetest.Must[any](t)(queuetest.JavaTransfer(queuetest.FormatNew).Run(ctx, rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb), 100))
	sess := queuetest.Must[*lease.Session](t)(lease.New(rdb, rdb, k, lease.Options{}))
	b, err := sess.Take(ctx, 1, nil)
	if err != nil || len(b.Messages) != 1 || string(b.Messages[0].Body) != "newer:1" || b.Messages[0].Key != "key" || b.Messages[0].ID.String() != first.Text {
		t.Errorf("%+v, %v; offered %s", b.Messages, err, first.Text)
	}
	if _, err := sess.Close(ctx); err != nil {
		t.Error(err)
	}
}

// written is a memory.
type written map[string]bool

func (w written) Has(element []byte) bool { return w[string(element)] }

func (w written) Add(all [][]byte) error {
	for _, e := range all {
		w[string(e)] = true
	}
	return nil
}

// older is a converter that takes what it has made for something to convert.
func older(payload []byte) ([]byte, error) { return append([]byte("newer-than-"), payload...), nil }

// Java and Go offer, transfer, cancel and take beside it: each message comes out once, and is converted
// once at the most.
func TestRunBesideOthers(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]Args{"tells": {Convert: toNew}, "remembers": {Convert: older, Memory: written{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.Now, a.Rest = later, args().Rest
			runBesideOthers(t, a)
		})
	}
}

func runBesideOthers(t *testing.T, how Args) {
	rdb := lab.Shared.Client()
	k, ctx := queuetest.NewQueue(), t.Context()
	n := 500
	if lab.LongForm() {
		n = 2000
	}
	var ends, others sync.WaitGroup
	ends.Go(func() {
		for i := range n {
			payload := []byte(fmt.Sprintf("old:%d", i))
			at := queuetest.NowMs(t, rdb) + int64(i*7%300)
			if i%3 == 0 {
				queuetest.Put(t, rdb, k, at, queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), payload))
				continue
			}
			if _, err := delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: payload, At: time.UnixMilli(at)}); err != nil {
				t.Error(err)
			}
		}
	})
	stop := make(chan struct{})
	running := func() bool {
		select {
		case <-stop:
			return false
		default:
			return true
		}
	}
	seen := map[string]int{}
	others.Go(func() {
		for running() {
			if _, err := delayed.Transfer(ctx, rdb, k, delayed.TransferArgs{Limit: 50}); err != nil {
				t.Error(err)
			}
			for {
				body, err := rdb.LPop(ctx, k.Queue).Result()
				if err != nil {
					break
				}
				before, number, _ := strings.Cut(body, ":")
				if strings.Count(before, "newer") > 1 {
					t.Errorf("%s was converted twice", body)
				}
				seen[number]++
			}
		}
	})
	recoded := int64(0)
	others.Go(func() {
		for running() {
			got, err := Run(ctx, rdb, k, how)
			if recoded += got.Recoded; err != nil {
				t.Error(err)
			}
		}
	})
	ends.Wait()
	lab.WaitFor(t, "all is transferred", func() bool {
		return rdb.ZCard(ctx, k.Timeout).Val()+rdb.LLen(ctx, k.Queue).Val() == 0
	})
	close(stop)
	others.Wait()
	for number, times := range seen {
		if times != 1 {
			t.Errorf("%s came out %d times", number, times)
		}
	}
	if left := rdb.LLen(ctx, k.Pending).Val(); len(seen) != n || recoded == 0 || left != 0 {
		t.Errorf("%d came out, %d were recoded, %d are left in the list", len(seen), recoded, left)
	}
}

// BenchmarkRun recodes messages of 200 bytes among 100,000, as they lie after a while: with a key
// each, in a list that is not in the order of due times. One op is one message; µs are Redis's.
func BenchmarkRun(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	k := queuetest.NewQueue()
	body := strings.Repeat("x", 200)
	due := queuetest.NowMs(b, rdb) + time.Hour.Milliseconds()
	offers := func(yield func(delayed.OfferArgs) bool) {
		for i := range 100_000 {
			if !yield(delayed.OfferArgs{
				Payload: []byte("old:" + body), At: time.UnixMilli(due + int64(i*7919%1_000_003)), Dedup: delayed.Dedup{Key: fmt.Sprint("key", i), Window: time.Hour},
			}) {
				return
			}
		}
	}
	delayed.OfferAll(b.Context(), rdb, k, offers, func(_ int, _ delayed.OfferResult, err error) {
		if err != nil {
			b.Error(err)
		}
	})
	before := lab.Commands(b, rdb)["evalsha"].Micros
	b.ResetTimer()
	a := args()
	left := int64(b.N)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	a.Progress = func(c Count) {
		if c.Recoded >= left {
			cancel()
		}
	}
	got, err := Run(ctx, rdb, k, a)
	b.StopTimer()
	if err != nil && !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	after := lab.Commands(b, rdb)["evalsha"].Micros
	b.ReportMetric(float64(after-before)/float64(max(got.Recoded, 1)), "µs-of-Redis/msg")
	b.ReportMetric(float64(got.Longest.Microseconds())/1000, "ms-longest-script")
	rdb.Del(b.Context(), append(k.All(), k.Cleared)...)
}
