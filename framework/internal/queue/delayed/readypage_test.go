package delayed

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// One look at ready messages reads about 1 MiB and one message, wherever the large ones are; a
// walk from the head and one from the end meet all of them in their order.
func TestReadyPagesAreBounded(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	large := strings.Repeat("x", 700<<10)
	for name, body := range map[string]func(i int) string{
		"large":            func(int) string { return large },
		"small":            func(int) string { return "x" },
		"large at the end": func(i int) string { return map[bool]string{true: large, false: "x"}[i >= 40] },
		"large first":      func(i int) string { return map[bool]string{true: large, false: "x"}[i < 3] },
		"in turn":          func(i int) string { return map[bool]string{true: large, false: "x"}[i%7 == 0] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, ctx := queuetest.NewQueue(), t.Context()
			var want []string
			for i := range 50 {
				want = append(want, fmt.Sprint(i, body(i)))
				if err := rdb.RPush(ctx, k.Queue, want[i]).Err(); err != nil {
					t.Fatal(err)
				}
			}
			bounded := func(bodies []string) {
				t.Helper()
				n := 0
				for _, b := range bodies {
					n += len(b)
				}
				if most := 1<<20 + 701<<10; n > most {
					t.Fatalf("%d messages of %d bytes in one page, the most is %d", len(bodies), n, most)
				}
			}
			var got []string
			for len(got) < len(want) {
				page := queuetest.Must[[]readyEntry](t)(readyPage(ctx, rdb, k, int64(len(got)), 100, Whole))
				var bodies []string
				for _, e := range page {
					bodies = append(bodies, e.body)
				}
				if bounded(bodies); len(page) == 0 {
					t.Fatal("the walk ends early")
				}
				got = append(got, bodies...)
			}
			same(t, got, want)
			same(t, walked(t, readyTexts(WalkBeginnings(ctx, rdb, k, 3, 40, Whole))), want[3:43])
			got = nil
			for len(got) < len(want) {
				page := queuetest.Must[[]ReadyMessage](t)(PageReady(ctx, rdb, k, int64(len(got)), 100, Whole))
				var bodies []string
				for _, m := range page {
					bodies = append(bodies, m.Body)
				}
				if bounded(bodies); len(page) == 0 {
					t.Fatal("the walk ends early")
				}
				got = append(bodies, got...)
			}
			same(t, got, want)
		})
	}
}

func walked(t *testing.T, seq func(func(string, error) bool)) (got []string) {
	t.Helper()
	for body, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, body)
	}
	return got
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("message %d is %.20q, want %.20q", i, got[i], want[i])
		}
	}
}

// Due records stay with their messages, also where the due list is shorter.
func TestReadyPagesHaveTheirDueTimes(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, ctx := queuetest.NewQueue(), t.Context()
	for i := range 20 { // of which Java transferred the first
		if i >= 3 {
			entry := wire.DueRecord{DueMs: int64(1_000_000 + i), WrittenMs: 1_000_000}.Entry([]byte(fmt.Sprint(i)))
			if err := rdb.RPush(ctx, k.Due, entry).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if err := rdb.RPush(ctx, k.Queue, fmt.Sprint(i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	page := queuetest.Must[[]ReadyMessage](t)(PageReady(ctx, rdb, k, 2, 100, Whole))
	for i, m := range page {
		if known := m.DueMs >= 0; known != (i >= 3) || known && m.DueMs != int64(1_000_000+i) || m.Body != fmt.Sprint(i) {
			t.Errorf("message %d: %+v", i, m)
		}
	}
	if len(page) != 18 {
		t.Errorf("%d messages", len(page))
	}
}

func readyTexts(all iter.Seq2[Beginning, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for b, err := range all {
			if !yield(b.Text, err) {
				return
			}
		}
	}
}
