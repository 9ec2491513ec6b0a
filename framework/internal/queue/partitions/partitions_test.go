package partitions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestMain(m *testing.M) { lab.Main(m) }

func newQueue(t interface{ Fatal(args ...any) }, n int) []wire.Keys {
	keys, err := Keys(queuetest.NewQueue().Queue, n, func(name string) (wire.Keys, error) { return wire.KeysOf(name), wire.CheckName(name) })
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// What lies in any number of partitions is one queue: all of it in order, and each page a
// part of that.
func TestOneOrder(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "n")
		keys := newQueue(rt, n)
		ctx := t.Context()
		now := queuetest.NowMs(t, rdb)
		pending, ready := rapid.IntRange(0, 30).Draw(rt, "pending"), make([][]string, n)
		for i := range pending {
			k := keys[rapid.IntRange(0, n-1).Draw(rt, "partition")]
			due := now + 3_600_000 + rapid.Int64Range(0, 8).Draw(rt, "due")
			if _, err := delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: fmt.Append(nil, i), At: time.UnixMilli(due)}); err != nil {
				rt.Fatal(err)
			}
		}
		for i := range rapid.IntRange(0, 20).Draw(rt, "ready") {
			p := rapid.IntRange(0, n-1).Draw(rt, "partition")
			ready[p] = append(ready[p], fmt.Sprint(i))
			rdb.RPush(ctx, keys[p].Queue, fmt.Sprint(i))
		}
		var order []string
		lastDue, lastPartition := int64(0), 0
		for m, err := range WalkPending(ctx, rdb, keys, true) {
			if err != nil {
				rt.Fatal(err)
			}
			if m.DueMs < lastDue || m.DueMs == lastDue && m.Partition < lastPartition {
				rt.Fatalf("%d in %d after %d in %d", m.DueMs, m.Partition, lastDue, lastPartition)
			}
			lastDue, lastPartition = m.DueMs, m.Partition
			id, err := wire.ParseID(m.Text)
			if err != nil || id.Partition != m.Partition {
				rt.Fatalf("ID %q in partition %d: %v", m.Text, m.Partition, err)
			}
			order = append(order, m.Text)
		}
		if len(order) != pending {
			rt.Fatalf("%d of %d", len(order), pending)
		}
		offset, limit := rapid.IntRange(0, 33).Draw(rt, "offset"), rapid.IntRange(1, 10).Draw(rt, "limit")
		page, err := PagePending(ctx, rdb, keys, int64(offset), int64(limit), true)
		var got []string
		for _, m := range page {
			got = append(got, m.Text)
		}
		if want := part(order, offset, limit); err != nil || !slices.Equal(got, want) {
			rt.Fatalf("page from %d: %v %v, want %v", offset, got, err, want)
		}
		var turns []string
		for round := 0; len(turns) < total(ready); round++ {
			for _, list := range ready {
				if round < len(list) {
					turns = append(turns, list[round])
				}
			}
		}
		got = nil
		for body, err := range WalkReady(ctx, rdb, keys, int64(offset), int64(limit)) {
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, body)
		}
		if want := part(turns, offset, limit); !slices.Equal(got, want) {
			rt.Fatalf("ready from %d: %v, want %v", offset, got, want)
		}
		counts, err := Counts(ctx, rdb, keys)
		if err != nil || counts.Delayed != int64(pending) || counts.Ready != int64(len(turns)) {
			rt.Fatalf("counts %+v %v", counts, err)
		}
		polled, err := PollPending(ctx, rdb, keys, int64(limit), false, true)
		if err != nil || len(polled) != min(limit, pending) {
			rt.Fatalf("polled %d %v", len(polled), err)
		}
		for i, m := range polled {
			if m.Text != order[i] {
				rt.Fatalf("polled %q as %d, want %q", m.Text, i, order[i])
			}
		}
		some, err := PollReady(ctx, rdb, keys, int64(limit))
		if err != nil || len(some) != min(limit, len(turns)) {
			rt.Fatalf("polled %d ready %v", len(some), err)
		}
		cleared, err := ClearPending(ctx, rdb, keys)
		left, err2 := ClearReady(ctx, rdb, keys)
		if err := errors.Join(err, err2); err != nil || int(cleared) != pending-len(polled) || int(left) != len(turns)-len(some) {
			rt.Fatalf("cleared %d and %d %v", cleared, left, err)
		}
	})
}

func part[T any](all []T, offset, limit int) []T {
	from := min(offset, len(all))
	return all[from:min(from+limit, len(all))]
}

func total(lists [][]string) (n int) {
	for _, l := range lists {
		n += len(l)
	}
	return n
}

// Dead letters of all partitions are in one order, and a page begins behind any of them.
func TestDeadInOneOrder(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "n")
		keys, ctx := newQueue(rt, n), t.Context()
		ids := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 25).Draw(rt, "ms")
		slices.Sort(ids)
		var want []string
		for _, ms := range slices.Compact(ids) {
			for p, k := range keys {
				if rapid.Bool().Draw(rt, "dead") {
					id := fmt.Sprintf("%d-%d", 1000+ms, rapid.IntRange(0, 1).Draw(rt, "n"))
					if err := rdb.Do(ctx, "XADD", k.Dead, id, "body", strings.Repeat("x", ms)).Err(); err != nil {
						rt.Fatal(err)
					}
					want = append(want, wire.InPartition(p, id))
				}
			}
		}
		slices.SortFunc(want, func(a, b string) int {
			if ParseEntry(a).Less(ParseEntry(b)) {
				return -1
			}
			return 1
		})
		read := func(b DeadBounds) (got []string) {
			w, err := WalkDead(ctx, rdb, keys, b)
			for {
				var page []Letter
				if err == nil {
					page, err = w.Next(ctx, int64(rapid.IntRange(1, 5).Draw(rt, "page")))
				}
				if err != nil {
					rt.Fatal(err)
				}
				if len(page) == 0 {
					return got
				}
				for _, l := range page {
					got = append(got, l.Text())
				}
			}
		}
		if got := read(DeadBounds{Stop: true}); !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
		if len(want) == 0 {
			return
		}
		i := rapid.IntRange(0, len(want)-1).Draw(rt, "after")
		if got := read(DeadBounds{After: want[i]}); !slices.Equal(got, want[i+1:]) {
			rt.Fatalf("after %s: %v, want %v", want[i], got, want[i+1:])
		}
		l, ok, err := GetDead(ctx, rdb, keys, want[i])
		if err != nil || !ok || l.Text() != want[i] {
			rt.Fatalf("%s: %v %v %v", want[i], l.Text(), ok, err)
		}
		if _, ok, err := GetDead(ctx, rdb, keys, "9."+l.ID); ok || err != nil {
			rt.Fatalf("partition 9: %v %v", ok, err)
		}
		if n, err := DropDead(ctx, rdb, keys, []string{want[i], "9.1-1", want[len(want)-1]}); err != nil || int(n) != min(2, len(want)-i) {
			rt.Fatalf("dropped %d %v", n, err)
		}
	})
}

// A bulk offer reports in the order of the sequence, and keeps the order of each partition.
func TestOfferAll(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	keys, ctx := newQueue(t, 3), t.Context()
	const n = 6000
	at := time.UnixMilli(queuetest.NowMs(t, rdb) + 3_600_000)
	bad := errors.New("bad")
	next := 0
	read := OfferAll(ctx, rdb, keys, func(a delayed.OfferArgs) (int, error) {
		if a.Payload[len(a.Payload)-1] == '7' {
			return 0, bad
		}
		return len(a.Payload) % 3, nil
	}, func(yield func(delayed.OfferArgs) bool) {
		for i := range n {
			if !yield(delayed.OfferArgs{Payload: fmt.Append(nil, i), At: at}) {
				return
			}
		}
	}, func(i int, r delayed.OfferResult, err error) {
		if i != next {
			t.Fatalf("result %d after %d", i, next-1)
		}
		next++
		if seventh := i%10 == 7; seventh != errors.Is(err, bad) || !seventh && err != nil {
			t.Errorf("%d: %v", i, err)
		} else if id, err := wire.ParseID(r.Text); !seventh && (err != nil || id.Partition != len(fmt.Sprint(i))%3) {
			t.Errorf("%d: ID %q %v", i, r.Text, err)
		}
	})
	if read != n || next != n {
		t.Errorf("read %d, reported %d", read, next)
	}
	for p, k := range keys {
		last := -1
		for _, element := range rdb.LRange(ctx, k.Pending, 0, -1).Val() {
			_, body, err := wire.Parse([]byte(element), true)
			var i int
			if _, err2 := fmt.Sscan(string(body), &i); err != nil || err2 != nil || i <= last {
				t.Fatalf("partition %d has %q after %d: %v %v", p, body, last, err, err2)
			}
			last = i
		}
	}
}

// What was read and not begun when the context ends fails with its cause, and is nowhere.
func TestOfferAllEnds(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	keys := newQueue(t, 2)
	cause := errors.New("enough")
	ctx, end := context.WithCancelCause(t.Context())
	added, failed := 0, 0
	read := OfferAll(ctx, rdb, keys, func(delayed.OfferArgs) (int, error) { return added % 2, nil }, func(yield func(delayed.OfferArgs) bool) {
		for i := range 5000 {
			if i == 3000 {
				end(cause)
			}
			if !yield(delayed.OfferArgs{Payload: []byte("x"), Delay: time.Hour}) {
				return
			}
		}
	}, func(_ int, _ delayed.OfferResult, err error) {
		if err == nil {
			added++
		} else {
			failed++
		}
	})
	if read >= 5000 || added+failed != read {
		t.Errorf("read %d, added %d, failed %d", read, added, failed)
	}
	counts, err := Counts(t.Context(), rdb, keys)
	if err != nil || counts.Delayed < int64(added) || counts.Delayed > int64(read) {
		t.Errorf("added %d of %d, there are %d %v", added, read, counts.Delayed, err)
	}
}
