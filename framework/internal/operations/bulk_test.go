package operations

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// start is when the first message of a store is due.
var start = time.Now().Add(24 * time.Hour).Truncate(time.Millisecond)

// store holds messages of texts that are due ten minutes apart in two partitions, one of Java's
// among them, and some that nobody can choose.
type store struct {
	*framework.Queue[[]byte]
}

func stored(t *testing.T, srv *lab.Server, name string, texts ...string) store {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{
		Redis: framework.RedisConfig{URL: srv.URL()}, Block: time.Second, NoTransfer: true, ForeignPayloads: registry.ForeignIgnore,
	}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	s := store{framework.Bind(c, registry.Define[[]byte](name, "", registry.Codec(codecs.ByteArray()), registry.Partitions(2)))}
	k := wire.KeysOf(name)
	for i, text := range texts {
		due := start.Add(time.Duration(i) * 10 * time.Minute)
		if strings.HasPrefix(text, "java") {
			queuetest.Put(t, srv.Client(), k, due.UnixMilli(), queuetest.JavaNew([]byte("12345678"), []byte(text)))
		} else if _, err := s.OfferAt(t.Context(), []byte(text), due); err != nil {
			t.Fatal(err)
		}
	}
	queuetest.Put(t, srv.Client(), k, start.UnixMilli(), []byte("x")) // fits no layout
	return s
}

// minutes lists how long behind start each message of a text is due.
func (s store) minutes(t *testing.T) string {
	t.Helper()
	var out []string
	for m, err := range s.Pending().All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Err == nil {
			out = append(out, fmt.Sprintf("%s %v", m.Payload, m.Due.Sub(start).Minutes()))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (s store) change(filter Filter) *Change {
	return &Change{
		Queue: s.Queue, Filter: filter, Pace: budget.CountedPace{Pace: budget.PaceOf(1)},
		Read: func(m framework.PendingMessage[[]byte]) (string, any) {
			if m.Err != nil {
				return "", nil
			}
			return "a line", string(m.Payload)
		},
	}
}

var errEnough = errors.New("enough")

// Messages move by the same time each, also where they land among those that are still to be
// moved, and where a run ends early and another goes on with the rest.
func TestNoMessageIsMovedTwice(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	texts := []string{"a", "java b", "c", "d", "e", "f"}
	for _, row := range []struct {
		name  string
		move  func(c *Change)
		first string // that is moved
		want  string
	}{
		{"LATER", func(c *Change) { c.Move, c.MoreTime = Later(15*time.Minute), true }, "50 65", "a 15, c 35, d 45, e 55, f 65, java b 25"},
		{"EARLIER", func(c *Change) { c.Move = Later(-15 * time.Minute) }, "0 -15", "a -15, c 5, d 15, e 25, f 35, java b -5"},
		{"TO", func(c *Change) { c.Move = To(start.Add(25 * time.Minute)) }, "0 25", "a 25, c 25, d 25, e 25, f 25, java b 25"},
	} {
		for _, cut := range []int{1, 3, 6} { // after so many a run ends
			s := stored(t, srv, fmt.Sprintf("%s-%d", row.name, cut), texts...)
			ctx, end := context.WithCancelCause(t.Context())
			c := s.change(Filter{})
			row.move(c)
			first := ""
			c.Each = func(m Message, to time.Time, err error) {
				if first == "" {
					first = fmt.Sprint(m.Due.Sub(start).Minutes(), to.Sub(start).Minutes())
				}
				if err != nil {
					t.Error(err)
				}
				if c.Done == int64(cut) {
					end(errEnough)
				}
			}
			if err := c.Run(ctx); (cut < len(texts)) != errors.Is(err, errEnough) || c.Done != int64(cut) || first != row.first {
				t.Fatalf("%s: %v, %d done, first %s", row.name, err, c.Done, first)
			}
			again := s.change(c.Rest())
			row.move(again)
			if err := again.Run(t.Context()); err != nil || cut < len(texts) && again.Done != int64(len(texts)-cut) {
				t.Fatalf("%s: the rest after %d: %v, %d done", row.name, cut, err, again.Done)
			}
			if got := s.minutes(t); cut < len(texts) && got != row.want {
				t.Errorf("%s, after %d and the rest:\n%s, want\n%s", row.name, cut, got, row.want)
			}
		}
	}
}

// More messages than a run remembers take turns, and each is moved once.
func TestMoreThanAreRememberedTakeTurns(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for _, row := range []struct {
		name string
		move func(c *Change)
		want string
	}{
		{"LATER", func(c *Change) { c.Move, c.MoreTime = Later(15*time.Minute), true }, "a 15, c 35, d 45, e 55, f 65, java b 25"},
		{"EARLIER", func(c *Change) { c.Move = Later(-15 * time.Minute) }, "a -15, c 5, d 15, e 25, f 35, java b -5"},
		{"TO", func(c *Change) { c.Move = To(start.Add(25 * time.Minute)) }, "a 25, c 25, d 25, e 25, f 25, java b 25"},
		{"CANCEL", func(*Change) {}, ""},
	} {
		for most := 1; most < 7; most++ {
			s := stored(t, srv, fmt.Sprintf("%s-turns-%d", row.name, most), "a", "java b", "c", "d", "e", "f")
			try := s.change(Filter{})
			try.most, try.Dry = most, true
			row.move(try)
			if err := try.Run(t.Context()); err != nil || try.Done != 6 {
				t.Errorf("%s, %d at a time: %v, a dry run counts %d", row.name, most, err, try.Done)
			}
			c := s.change(Filter{})
			c.most = most
			row.move(c)
			if err := c.Run(t.Context()); err != nil || c.Done != 6 || s.minutes(t) != row.want {
				t.Errorf("%s, %d at a time: %v, %d done: %s", row.name, most, err, c.Done, s.minutes(t))
			}
		}
	}
}

// What happened to a message after it was chosen stays.
func TestWhatChangedMeanwhileStays(t *testing.T) {
	t.Parallel()
	s := stored(t, lab.StartRedis(t), "ORDERS", "a", "b", "c")
	c := s.change(Filter{})
	c.Move, c.MoreTime = Later(15*time.Minute), true
	chosen, more, err := c.Choose(t.Context())
	if err != nil || len(chosen) != 3 || more {
		t.Fatal(chosen, more, err)
	}
	if err = s.Reschedule(t.Context(), chosen[1].ID, start.Add(10*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err = s.Cancel(t.Context(), chosen[2].ID); err != nil {
		t.Fatal(err)
	}
	if err = c.Apply(t.Context(), chosen); err != nil || c.Done != 1 || c.Left != 2 {
		t.Errorf("%v, %d done, %d left", err, c.Done, c.Left)
	}
	if got := s.minutes(t); got != "b 600, c 35" {
		t.Error(got)
	}
}

// A filter chooses by the line, by a field and by the due time; a dry run counts the same and
// changes nothing; cancelling takes them out, and leaves what has gone meanwhile.
func TestAFilterChooses(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	s := stored(t, srv, "ORDERS", "a", "java b", "c", "a", "e")
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	for _, row := range []struct {
		filter Filter
		want   int64
	}{
		{Filter{}, 5},
		{Filter{Text: "line"}, 5},
		{Filter{Text: "a", Fields: payload.Everything}, 5}, // stands in the line
		{Filter{Text: "java b"}, 0},
		{Filter{Text: "java b", Fields: payload.Everything}, 1},
		{Filter{From: at(10)}, 4},
		{Filter{Before: at(10)}, 1},
		{Filter{From: at(10), Before: at(30)}, 2},
	} {
		c := s.change(row.filter)
		c.Dry = true
		if err := c.Run(t.Context()); err != nil || c.Done != row.want {
			t.Errorf("%+v: %d, want %d; %v", row.filter, c.Done, row.want, err)
		}
	}
	if got := s.minutes(t); got != "a 0, a 30, c 20, e 40, java b 10" {
		t.Errorf("a dry run changed something: %s", got)
	}
	c := s.change(Filter{Before: at(30)})
	chosen, more, err := c.Choose(t.Context())
	if err != nil || len(chosen) != 3 || more {
		t.Fatalf("%d %v %v", len(chosen), more, err)
	}
	if err = s.Cancel(t.Context(), chosen[2].ID); err != nil {
		t.Fatal(err)
	}
	if err = c.Apply(t.Context(), chosen); err != nil || c.Done != 2 || c.Left != 1 {
		t.Errorf("%v, %d done, %d left", err, c.Done, c.Left)
	}
	if got := s.minutes(t); got != "a 30, e 40" {
		t.Errorf("%s", got)
	}
}
