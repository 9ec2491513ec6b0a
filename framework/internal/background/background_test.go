package background_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// buffer is a log.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func begin(t *testing.T) (context.Context, *background.Panics, *buffer) {
	t.Helper()
	said := &buffer{}
	p := background.NewPanics(slog.New(slog.NewJSONHandler(said, nil)))
	return p.In(t.Context()), p, said
}

func boom() { panic("boom " + strings.Repeat("x", 1<<20)) }

// A goroutine that panics ends alone: it is logged once, with a bounded value and its stack, and
// noted as ended.
func TestGoSurvivesAPanic(t *testing.T) {
	t.Parallel()
	ctx, panics, said := begin(t)
	var group background.Group
	group.Go(ctx, "take", boom)
	group.Wait()
	done := make(chan struct{})
	background.Go(ctx, "take", func() { defer close(done); boom() })
	<-done
	lab.WaitFor(t, "both are logged", func() bool { return strings.Count(said.String(), "\n") == 2 })
	all := panics.All()
	if len(all) != 1 || all[0].Name != "take" || !all[0].Ended || all[0].First.IsZero() {
		t.Errorf("noted %+v", all)
	}
	if text := all[0].String(); !strings.Contains(text, "a goroutine of duequeue panicked: take, since ") || strings.Contains(text, "boom") {
		t.Errorf("health says %q", text)
	}
	text := said.String()
	if strings.Count(text, "\n") != 2 || strings.Count(text, "background_test.boom") < 2 || len(text) > 80<<10 {
		t.Errorf("the log has %d bytes: %.500s", len(text), text)
	}
}

// A log that panics and a context without Panics matter to nobody.
func TestPanicsWithoutALog(t *testing.T) {
	t.Parallel()
	var group background.Group
	group.Go(background.NewPanics(slog.New(broken{})).In(t.Context()), "a", boom)
	group.Wait()
	ctx, panics, _ := begin(t)
	group.Task(ctx, "warn", boom)
	group.Wait()
	if all := panics.All(); len(all) != 1 || all[0].Ended {
		t.Errorf("a task ends nothing: %+v", all)
	}
	var none *background.Panics
	if none.All() != nil || none.In(t.Context()) != t.Context() {
		t.Error("nil notes something")
	}
}

type broken struct{ slog.Handler }

func (broken) Enabled(context.Context, slog.Level) bool { panic("the log is broken") }

// A loop is started again until it returns or its context ends, with pauses that grow.
func TestLoopStartsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, panics, _ := begin(t)
		var group background.Group
		runs := 0
		group.Loop(ctx, "look", func() {
			if runs++; runs < 8 {
				boom()
			}
		})
		group.Wait()
		if all := panics.All(); runs != 8 || len(all) != 1 || all[0].Times != 7 || all[0].Ended || !strings.Contains(all[0].String(), "panicked 7 times, and goes on: look") {
			t.Errorf("%d runs, %+v", runs, all)
		}
		ctx, end := context.WithCancel(ctx)
		var ran atomic.Int64
		group.Loop(ctx, "fail", func() { ran.Add(1); boom() })
		time.Sleep(time.Hour) //nolint:forbidigo // in virtual time
		if n := ran.Load(); n < 60 || n > 600 {
			t.Errorf("%d runs in an hour", n)
		}
		end()
		group.Wait()
	})
}

// Who waits for a call gets its panic as an error.
func TestCallsFail(t *testing.T) {
	t.Parallel()
	ctx, panics, said := begin(t)
	mine := errors.New("mine")
	if err := background.Call(ctx, "ask", func() error { return mine }); err != mine { //nolint:errorlint // it is the error itself
		t.Error(err)
	}
	for _, err := range []error{background.Call(ctx, "ask", func() error { panic(mine) }), <-background.Later(ctx, "ask", func() error { panic(mine) })} {
		if p, ok := errors.AsType[*handlers.PanicError](err); !ok || !errors.Is(err, mine) || !strings.Contains(string(p.Stack), "TestCallsFail") {
			t.Error(err)
		}
	}
	if all := panics.All(); len(all) != 1 || all[0].Times != 2 || all[0].Ended || strings.Count(said.String(), "\n") != 2 {
		t.Errorf("%+v %s", all, said)
	}
	if err := background.Try(func() error { panic(mine) }); !errors.Is(err, mine) || strings.Count(said.String(), "\n") != 2 {
		t.Error(err)
	}
}

// Parts give their panic to who waits for them, once all have ended.
func TestPartsPanicWhereTheyAreWaitedFor(t *testing.T) {
	t.Parallel()
	ctx, _, said := begin(t)
	ended := false
	err := background.Call(ctx, "parts", func() error {
		var parts background.Parts
		parts.Go(boom)
		parts.Go(func() { <-time.After(10 * time.Millisecond); ended = true })
		parts.Wait()
		return nil
	})
	if _, ok := errors.AsType[*handlers.PanicError](err); !ok || !ended || !strings.Contains(said.String(), "background_test.boom") {
		t.Error(err, ended)
	}
}

// It costs one allocation more than a go statement, with the closure.
func BenchmarkGo(b *testing.B) {
	ctx := b.Context()
	done := make(chan struct{})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			go func() { done <- struct{}{} }()
			<-done
		}
	})
	b.Run("background", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			background.Go(ctx, "bench", func() { done <- struct{}{} })
			<-done
		}
	})
}
