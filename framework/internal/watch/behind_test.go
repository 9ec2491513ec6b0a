package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// slowView makes each transfer take time for what it may move, as an exact view over a
// long list does.
type slowView struct {
	base, each time.Duration
}

func (slowView) DialHook(next redis.DialHook) redis.DialHook { return next }

func (slowView) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s slowView) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		args := cmd.Args()
		if cmd.Name() != "evalsha" || args[1] != delayed.TransferScript(false).SHA() || err != nil {
			return err
		}
		moved, _ := cmd.(*redis.Cmd).Slice()
		n, _ := moved[0].(int64)
		timer := time.NewTimer(s.base + time.Duration(n)*s.each)
		defer timer.Stop()
		<-timer.C
		return nil
	}
}

// log collects what is logged.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// late returns the warnings of a view that does not keep up.
func (l *logged) late() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for line := range strings.Lines(l.buf.String()) {
		if strings.Contains(line, "due messages are late") {
			out = append(out, line)
		}
	}
	return out
}

// A backlog that an exact view works off at 5 messages a second: a warning when that has
// lasted for five seconds, then one a minute, with numbers and what to do; none when it is gone.
func TestWatcherTellsThatTheViewIsBehind(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k, out := queuetest.NewQueue(), &logged{}
		offerMany(t, b.rdb, k, 390, func(i int) time.Duration { return time.Duration(i) * time.Millisecond })
		b.pass(3 * time.Second)
		queuetest.Must[string](t)(b.rdb.ScriptLoad(t.Context(), delayed.TransferScript(false).Source()).Result())
		b.rdb.AddHook(slowView{base: time.Millisecond, each: 200 * time.Millisecond})
		w, a := b.watch(Queue{Keys: k}, Options{Logger: slog.New(slog.NewTextHandler(out, nil)), Timeout: 10 * time.Second})
		b.pass(5 * time.Second)
		if got := out.late(); len(got) != 0 {
			t.Errorf("warned already: %q", got)
		}
		b.pass(4500 * time.Millisecond)
		got := out.late()
		if len(got) != 1 || !strings.Contains(got[0], "registry.ViewOff") || !strings.Contains(got[0], "queue="+k.Queue) {
			t.Errorf("got %q", got)
			b.stop(w)
			return
		}
		var backlog int
		var rate float64
		for field := range strings.FieldsSeq(got[0]) {
			_, _ = fmt.Sscanf(field, "backlog=%d", &backlog)
			_, _ = fmt.Sscanf(field, "rate=%f", &rate)
		}
		if backlog < 345 || backlog > 370 || rate < 4 || rate > 6 {
			t.Errorf("backlog %d, rate %v", backlog, rate)
		}
		if behind := w.Health().Queues[0].ViewBehind; behind < 5*time.Second || behind > 10*time.Second {
			t.Errorf("behind for %v", behind)
		}
		b.pass(time.Minute)
		if got := out.late(); len(got) != 2 {
			t.Errorf("%d warnings after a minute", len(got))
		}
		for a.count() < 390 {
			b.pass(10 * time.Second)
		}
		b.pass(2 * time.Minute)
		if n, behind := len(out.late()), w.Health().Queues[0].ViewBehind; n > 4 || behind != 0 {
			t.Errorf("%d warnings, behind for %v when all is moved", n, behind)
		}
		b.stop(w)
	})
}

// Backlogs that do not come of the view are not blamed on it.
func TestWatcherBlamesTheViewAlone(t *testing.T) {
	t.Parallel()
	many := 3000
	if lab.LongForm() {
		many = 20_000
	}
	for name, c := range map[string]struct {
		noView bool
		each   time.Duration
	}{
		"another view":   {true, 2 * time.Millisecond},
		"fast transfers": {false, time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, b *bubble) {
				k, out := queuetest.NewQueue(), &logged{}
				offerMany(t, b.rdb, k, many, nil)
				b.pass(time.Second)
				b.rdb.AddHook(slowView{base: 300 * time.Millisecond, each: c.each})
				w := New(b.rdb, []Queue{{Keys: k, NoView: c.noView}}, Options{Logger: slog.New(slog.NewTextHandler(out, nil))})
				w.queues[0].full = many / 2
				if err := w.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				b.pass(20 * time.Second)
				if left := b.rdb.ZCard(t.Context(), k.Timeout).Val(); left < int64(many/2) {
					t.Errorf("%d are left: that is no backlog", left)
				}
				if got := out.late(); len(got) != 0 {
					t.Errorf("got %q", got)
				}
				b.stop(w)
			})
		})
	}
}
