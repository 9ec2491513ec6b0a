package delayed

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// letters adds dead letters and returns their entries.
func letters(t *testing.T, rdb *redis.Client, k wire.Keys, n int) (entries []string) {
	t.Helper()
	for i := range n {
		entries = append(entries, queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{
			Stream: k.Dead, Values: []string{"body", fmt.Sprint("letter ", i), "reason", "exhausted", "at", "1"},
		}).Result()))
	}
	return entries
}

// next returns the entry that is handed out, "" for none.
func next(t *testing.T, rdb *redis.Client, k wire.Keys, again time.Duration) string {
	t.Helper()
	letter, ok, err := NextLetter(t.Context(), rdb, k, again)
	if err != nil || ok && letter.Values["reason"] != "exhausted" {
		t.Fatal(letter, err)
	}
	return letter.ID
}

// Each letter is handed out once, those that lay there first; one that is not told of is
// handed out again; one that is gone is not.
func TestNextLetter(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	if got := next(t, rdb, k, time.Hour); got != "" || rdb.Exists(t.Context(), k.Dead).Val() != 0 {
		t.Errorf("no store: %q, or one was made", got)
	}
	e := letters(t, rdb, k, 4)
	for i, want := range []string{e[0], e[1], e[2], e[3], ""} {
		if got := next(t, rdb, k, time.Hour); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
	if err := ToldLetter(t.Context(), rdb, k, e[0]); err != nil {
		t.Fatal(err)
	}
	rdb.XDel(t.Context(), k.Dead, e[1])
	for i, want := range []string{e[2], e[2], e[2]} { // the oldest one first, each time
		if got := next(t, rdb, k, 0); got != want {
			t.Errorf("again, %d: got %q, want %q", i, got, want)
		}
	}
	for _, entry := range e[2:] {
		if err := ToldLetter(t.Context(), rdb, k, entry); err != nil {
			t.Fatal(err)
		}
	}
	if got := next(t, rdb, k, 0); got != "" {
		t.Errorf("all were told of, and %q is handed out", got)
	}
	rdb.Del(t.Context(), k.Dead)
	if err := ToldLetter(t.Context(), rdb, k, e[3]); err != nil {
		t.Error("the store is gone: ", err)
	}
	rdb.Set(t.Context(), k.Dead, "no stream", 0)
	if _, _, err := NextLetter(t.Context(), rdb, k, 0); err == nil {
		t.Error("no stream, and no error")
	}
}

// A bound deletes what was told of, in order, and nothing else once the store has the group.
func TestTrimDeadWaitsForTheTold(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	e := letters(t, rdb, k, 6)
	trim := func(step string, deleted int, untold bool) {
		t.Helper()
		r := queuetest.Must[TrimResult](t)(TrimDead(t.Context(), rdb, k, TrimArgs{Most: 1}))
		if len(r.Trimmed) != deleted || r.Untold != untold || r.More {
			t.Errorf("%s: %+v", step, r)
		}
	}
	next(t, rdb, k, time.Hour)
	trim("one is handed out", 0, true)
	_ = ToldLetter(t.Context(), rdb, k, e[0])
	trim("one is told of", 1, true)
	next(t, rdb, k, time.Hour)
	next(t, rdb, k, time.Hour)
	_ = ToldLetter(t.Context(), rdb, k, e[2])
	trim("the third one is, the second not", 0, true)
	_ = ToldLetter(t.Context(), rdb, k, e[1])
	trim("both are", 2, true)
	for range 3 {
		next(t, rdb, k, time.Hour)
	}
	for _, entry := range e[3:] {
		_ = ToldLetter(t.Context(), rdb, k, entry)
	}
	trim("all are", 2, false)
	trim("within the bound", 0, false)
}
