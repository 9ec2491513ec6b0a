package delayed

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestGet(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ids := wire.NewIDs()
	due := queuetest.NowMs(t, rdb) + 3_600_000
	for name, element := range map[string][]byte{
		"universal":       wire.Pack(ids.Next(), []byte("payload")),
		"Redisson 3.21.0": queuetest.JavaOld(77, []byte("payload")),
		"Redisson 3.21.1": queuetest.JavaNew([]byte("\x00\xff345678"), []byte("payload")),
	} {
		t.Run(name, func(t *testing.T) {
			k := queuetest.NewQueue()
			for _, e := range [][]byte{wire.Pack(ids.Next(), []byte("x")), element, queuetest.JavaNew([]byte("\xff\xff345678"), []byte("y"))} {
				queuetest.Put(t, rdb, k, due, e)
			}
			args := named(due, element)
			got, err := Get(t.Context(), rdb, k, args, true)
			if err != nil || got.DueMs != due || string(got.Payload) != "payload" || !bytes.Equal(got.Element, element) || got.Text != wire.FormatID(due, args.ID) {
				t.Fatalf("got %+v %v", got, err)
			}
			if _, err := Reschedule(t.Context(), rdb, k, args, due+5); err != nil {
				t.Fatal(err)
			}
			got, err = Get(t.Context(), rdb, k, args, true)
			if err != nil || got.DueMs != due+5 || got.Text != wire.FormatID(due, args.ID) {
				t.Errorf("rescheduled: %+v %v, want the ID as before", got, err)
			}
			var gone *fault.NotPendingError
			if _, err = Get(t.Context(), rdb, k, named(due, wire.Pack(ids.Next(), nil)), true); !errors.As(err, &gone) {
				t.Errorf("another ID: %v, want a fault.NotPendingError", err)
			}
		})
	}
}

func TestGetByKey(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	offered, err := Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("a"), Delay: time.Hour, Dedup: Dedup{Key: "order 7"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Get(t.Context(), rdb, k, ChangeArgs{Key: "order 7"}, false)
	if err != nil || got.Text != offered.Text || got.DueMs != offered.DueMs {
		t.Errorf("got %+v %v, want %+v", got, err, offered)
	}
	var gone *fault.NotPendingError
	if _, err = Get(t.Context(), rdb, k, ChangeArgs{Key: "order 8"}, false); !errors.As(err, &gone) || gone.Key != "order 8" {
		t.Errorf("a key that was never offered: %v", err)
	}
}

func TestWalkAndClearReady(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, size := range []int{0, 1, 16, 1201} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			k := queuetest.NewQueue()
			for i := range size {
				if err := rdb.RPush(t.Context(), k.Queue, fmt.Sprint(i)).Err(); err != nil {
					t.Fatal(err)
				}
			}
			queuetest.Put(t, rdb, k, queuetest.NowMs(t, rdb)+3_600_000, wire.Pack(wire.NewIDs().Next(), []byte("pending")))
			n := 0
			for b, err := range WalkBeginnings(t.Context(), rdb, k, 0, 1<<62, Whole) {
				if body := b.Text; err != nil || body != fmt.Sprint(n) {
					t.Fatalf("entry %d: %q %v", n, body, err)
				}
				n++
			}
			if n != size {
				t.Errorf("%d read, want %d", n, size)
			}
			for _, want := range []int{size, 0} {
				if n, err := ClearReady(t.Context(), rdb, k); err != nil || n != int64(want) {
					t.Errorf("cleared %d %v, want %d", n, err, want)
				}
			}
			if left := queuetest.Must[int64](t)(rdb.ZCard(t.Context(), k.Timeout).Result()); left != 1 {
				t.Errorf("%d pending, want 1", left)
			}
		})
	}
}
