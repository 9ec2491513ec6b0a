package lease

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/registry"
)

// bookFor is that of a queue with a journal.
func bookFor() *journal.Book {
	return journal.BookOf(registry.Define[string]("J", "", registry.Codec(codecs.String()), registry.Journal(time.Hour)))
}

func noted(s *Session, ms ...Message) {
	for i := range ms {
		s.Note(&journal.Record{Outcome: journal.Handled, AtMs: time.Now().UnixMilli(), LateMs: -1, Attempt: ms[i].Delivered + 1, Key: string(ms[i].Body)}, ms[i].ID, nil)
	}
}

// wantJournal reads the journal: each of n messages has one record.
func (e *env) wantJournal(t *testing.T, n int) {
	t.Helper()
	seen := map[string]int{}
	for at := (journal.Place{}); ; {
		some, next, err := journal.Read(t.Context(), e.rdb, e.keys, at)
		must(t, err)
		if next == at {
			break
		}
		for _, r := range some {
			seen[r.ID+r.Key]++
		}
		at = next
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%d records of %s", times, name)
		}
	}
	total, err := journal.Count(t.Context(), e.rdb, e.keys)
	if len(seen) != n || total != int64(n) || err != nil {
		t.Errorf("%d messages in the journal, which counts %d records, %v; want %d", len(seen), total, err, n)
	}
}

// Records reach the journal once, with the acks, whichever replies get lost.
func TestJournalOnce(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s := e.sessionOver(t, c, c, Options{Journal: bookFor(), Repeats: 50})
	rnd := rand.New(rand.NewPCG(1, 2))
	all := 0
	var done Acks
	for range 60 {
		for range rnd.IntN(20) {
			e.push(t, fmt.Sprint("m", all))
			all++
		}
		d.drops.Store(int64(rnd.IntN(3)))
		b, err := s.Take(t.Context(), 1+rnd.IntN(10), done)
		must(t, err)
		done = nil
		noted(s, b.Messages...)
		done = append(done, tokens(b)...)
		if rnd.IntN(3) == 0 {
			d.drops.Store(int64(rnd.IntN(2)))
			if _, err := s.Ack(t.Context(), done); err == nil {
				done = nil
			}
		}
	}
	d.drops.Store(0)
	for {
		b, err := s.Take(t.Context(), 100, done)
		must(t, err)
		if len(b.Messages) == 0 {
			break
		}
		noted(s, b.Messages...)
		done = tokens(b)
	}
	e.wantJournal(t, all)
	e.wantKeys(t, "sessions", "journal")
}

// A record goes without an ack, too, as that of a dead letter does.
func TestJournalWithoutAcks(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{Journal: bookFor()})
	noted(s, Message{Body: []byte("a")})
	if stale, err := s.Ack(t.Context(), nil); stale != 0 || err != nil {
		t.Fatal(stale, err)
	}
	noted(s, Message{Body: []byte("b")})
	take(t, s, 1)
	e.wantJournal(t, 2)
}

// What lies at the journal's key, and is none, hinders nothing.
func TestJournalThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{Journal: bookFor()})
	must(t, e.rdb.Set(t.Context(), e.keys.Journal, "mine", 0).Err())
	e.push(t, "a", "b")
	b := take(t, s, 1)
	noted(s, b.Messages...)
	b = take(t, s, 1, tokens(b)...)
	noted(s, b.Messages...)
	if _, err := s.Ack(t.Context(), tokens(b)); err != nil {
		t.Fatal(err)
	}
	e.wantQueue(t)
	must(t, e.rdb.Del(t.Context(), e.keys.Journal).Err())
	e.wantKeys(t, "sessions")
}
