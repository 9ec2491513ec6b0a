package delayed

import (
	"fmt"
	"slices"
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

// teller hands out letters; wait is how long those wait that were handed out before.
type teller struct {
	t    *testing.T
	rdb  *redis.Client
	k    wire.Keys
	turn LetterTurn
}

func newTeller(t *testing.T, rdb *redis.Client, k wire.Keys) *teller {
	return &teller{t, rdb, k, LetterTurn{Again: time.Hour, Longest: 8 * time.Hour}}
}

// next returns the entry that is handed out, "" for none.
func (h *teller) next() string {
	h.t.Helper()
	letter, ok, err := NextLetter(h.t.Context(), h.rdb, h.k, &h.turn)
	if err != nil || ok && letter.Values["reason"] != "exhausted" {
		h.t.Fatal(letter, err)
	}
	return letter.ID
}

func (h *teller) told(entries ...string) {
	h.t.Helper()
	for _, e := range entries {
		if err := ToldLetter(h.t.Context(), h.rdb, h.k, e); err != nil {
			h.t.Fatal(err)
		}
	}
}

// ages makes a letter that was handed out so many times and not for so long.
func (h *teller) ages(entry string, times int, idle time.Duration) {
	h.t.Helper()
	if err := h.rdb.Do(h.t.Context(), "XCLAIM", h.k.Dead, "duequeue", "duequeue", 0, entry, "IDLE", idle.Milliseconds(), "RETRYCOUNT", times, "JUSTID").Err(); err != nil {
		h.t.Fatal(err)
	}
}

// Each letter is handed out once, those that lay there first; one that is not told of is
// handed out again; one that is gone is not.
func TestNextLetter(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	h := newTeller(t, rdb, k)
	if got := h.next(); got != "" || rdb.Exists(t.Context(), k.Dead).Val() != 0 {
		t.Errorf("no store: %q, or one was made", got)
	}
	e := letters(t, rdb, k, 4)
	for i, want := range []string{e[0], e[1], e[2], e[3], ""} {
		if got := h.next(); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
	h.told(e[0])
	rdb.XDel(t.Context(), k.Dead, e[1])
	h.turn.Again = 0
	for i, want := range []string{e[2], e[3], "", e[2], e[3]} {
		if got := h.next(); got != want {
			t.Errorf("again, %d: got %q, want %q", i, got, want)
		}
	}
	h.told(e[2:]...)
	if got := h.next() + h.next(); got != "" {
		t.Errorf("all were told of, and %q is handed out", got)
	}
	rdb.Del(t.Context(), k.Dead)
	if err := ToldLetter(t.Context(), rdb, k, e[3]); err != nil {
		t.Error("the store is gone: ", err)
	}
	rdb.Set(t.Context(), k.Dead, "no stream", 0)
	if _, _, err := NextLetter(t.Context(), rdb, k, &h.turn); err == nil {
		t.Error("no stream, and no error")
	}
}

// A letter waits longer each time; one that waits holds up none behind it, however many wait; new
// ones come first, or those whose time has come.
func TestNextLetterInTurn(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	h := newTeller(t, rdb, k)
	e := letters(t, rdb, k, 300)
	for range e {
		h.next()
	}
	for times, wait := range map[int]time.Duration{1: time.Hour, 2: 2 * time.Hour, 3: 4 * time.Hour, 4: 8 * time.Hour, 5: 8 * time.Hour, 5000: 8 * time.Hour} {
		for idle, want := range map[time.Duration]string{wait - time.Minute: "", wait: e[290]} {
			h.ages(e[290], times, idle)
			got := h.next() + h.next() + h.next() + h.next() // each looks at some, from where the last one ended
			if got != want {
				t.Errorf("handed out %d times, %v ago: got %q, want %q", times, idle, got, want)
			}
			if n := rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{Stream: k.Dead, Group: "duequeue", Start: e[290], End: e[290], Count: 1}).Val()[0].RetryCount; want != "" && n != int64(times+1) {
				t.Errorf("it was handed out %d times, want %d", n, times+1)
			}
		}
	}
	fresh := letters(t, rdb, k, 2)
	h.ages(e[3], 1, 2*time.Hour)
	h.turn.after = ""
	for i, want := range []string{fresh[0], e[3], fresh[1]} {
		h.turn.WaitingFirst = i == 1
		if got := h.next(); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
}

// A bound deletes what was told of, wherever it lies, and passes over what was not, which has ten
// times the bound.
func TestTrimDeadPassesOverTheUntold(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	h := newTeller(t, rdb, k)
	e := letters(t, rdb, k, 6)
	trim := func(step string, most, left int, want ...string) {
		t.Helper()
		var deleted []string
		args := TrimArgs{Most: most}
		for more := true; more; {
			r := queuetest.Must[TrimResult](t)(TrimDead(t.Context(), rdb, k, args))
			for _, m := range r.Trimmed {
				if m.Untold != (m.Reason == "exhausted" && rdb.SIsMember(t.Context(), k.Dead+"untold", m.Entry).Val()) {
					t.Errorf("%s: %+v", step, m)
				}
				deleted = append(deleted, m.Entry)
			}
			more, args.From = r.More, r.Next
			if !more && (args.From != TrimPlace{} || r.Left != int64(left)) {
				t.Errorf("%s: %+v", step, r)
			}
		}
		if !slices.Equal(deleted, want) {
			t.Errorf("%s: deleted %v, want %v", step, deleted, want)
		}
	}
	h.next()
	trim("one is handed out", 1, 6)
	h.told(e[0])
	trim("one is told of", 1, 5, e[0])
	h.next()
	h.next()
	h.told(e[2])
	trim("the third one is, the second not", 1, 4, e[2])
	h.next()
	h.next()
	h.next()
	h.told(e[3], e[4], e[5])
	trim("all are but the second", 1, 2, e[3], e[4])
	more := letters(t, rdb, k, 200)
	for _, x := range more {
		h.next()
		h.told(x)
	}
	trim("one at the head holds up none", 50, 51, append([]string{e[5]}, more[:150]...)...)
	refused := letters(t, rdb, k, 500)
	for range refused[:300] {
		h.next()
	}
	for _, x := range append([]string{e[1]}, refused...) {
		rdb.SAdd(t.Context(), k.Dead+"untold", x)
	}
	trim("the untold have ten times the bound", 50, 500, append([]string{e[1]}, more[150:]...)...)
	letters(t, rdb, k, 3)
	trim("and no more", 50, 500, refused[:3]...)
	if n := rdb.XPending(t.Context(), k.Dead, "duequeue").Val().Count; n != 297 {
		t.Errorf("%d letters are to be told of again, want 297", n)
	}
}
