package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// What each generation of Java offers, Go hears of, sees and transfers; both in
// one queue, which stops Java itself.
func TestGoReadsJavaElements(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	k, a := queuetest.NewQueue(), newArrivals()
	soon := queuetest.NowMs(t, rdb) + 250
	old, fresh := queuetest.JavaOffer(queuetest.FormatOld, "tonumber(ARGV[2])"), queuetest.JavaOffer(queuetest.FormatNew, "string.len(ARGV[2]), ARGV[2]")
	offers := []struct {
		script  *script.Script
		id      any
		payload string
	}{
		{old, "-1234567890123456789", "old 1"},
		{fresh, "abcdefgh", "new 1"},
		{old, "9223372036854775807", "old 2"},
		{fresh, "\x00\xff\x01\x02\x03\x04\x05\x06", "new 2"},
		{old, "0", "\x00"},
	}
	for i, o := range offers {
		queuetest.Must[any](t)(o.script.Run(t.Context(), rdb, queuetest.JavaKeys(k), soon+int64(i), o.id, o.payload))
	}
	i := 0
	for m, err := range delayed.WalkPending(t.Context(), rdb, k, 0, 10, false) {
		if err != nil || string(m.Payload) != offers[i].payload || m.DueMs != soon+int64(i) || m.Text == "" {
			t.Errorf("pending %d: %+v %v", i, m, err)
		}
		i++
	}
	watch(t, rdb, []Queue{{Keys: k, Served: a.serve(t.Context(), rdb, k)}}, Options{}) // it moves nothing before they were listed
	lab.WaitFor(t, "all messages", func() bool { return a.count() == len(offers) })
	for i, o := range offers {
		at, ok := a.when(o.payload)
		if !ok || a.all[i] != o.payload || at.UnixMilli() < soon+int64(i) {
			t.Errorf("%q arrived at %d, due %d; order %q", o.payload, at.UnixMilli(), soon+int64(i), a.all)
		}
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

// Java and Go transfer the same queue at the same time: every message once.
func TestTransferBesideJava(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	k := queuetest.NewQueue()
	watch(t, rdb, []Queue{{Keys: k, DueTracking: true}}, Options{})
	const n = 400
	java, offer := queuetest.JavaTransfer(queuetest.FormatNew), queuetest.JavaOffer(queuetest.FormatNew, "string.len(ARGV[2]), ARGV[2]")
	var want []string
	base := queuetest.NowMs(t, rdb)
	for i := range n {
		payload := fmt.Sprint(i)
		want = append(want, payload)
		due := base + int64(i%300)
		if i%2 == 0 {
			queuetest.Must[any](t)(offer.Run(t.Context(), rdb, queuetest.JavaKeys(k), due, fmt.Sprintf("%08d", i), payload))
		} else {
			queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, k, delayed.OfferArgs{Payload: []byte(payload), At: time.UnixMilli(due)}))
		}
		queuetest.Must[any](t)(java.Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb), 100))
	}
	lab.WaitFor(t, "all messages", func() bool {
		queuetest.Must[any](t)(java.Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb), 100))
		return queuetest.Counts(t, rdb, k) == [4]int64{n, 0, 0, 0}
	})
	got := queuetest.Ready(t, rdb, k)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("some message is missing or doubled")
	}
	if o := rdb.LLen(t.Context(), k.Due).Val(); o == 0 {
		t.Log("Java moved everything")
	}
}
