package connect

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// TestLinesOfGoRedis: levels, passwords, and whose logger gets them.
func TestLinesOfGoRedis(t *testing.T) {
	t.Parallel()
	var l redisLog
	l.install.Do(func() {}) // not the process's
	var first, second strings.Builder
	logger := func(to io.Writer) *slog.Logger {
		return errtext.Guard(slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}
	log := logger(&first)
	closeFirst, closeTwin, closeSecond := l.use(log), l.use(log), l.use(logger(&second))
	says := func(format string, v ...any) string {
		first.Reset()
		second.Reset()
		l.Printf(t.Context(), format, v...)
		return "1:" + first.String() + "2:" + second.String()
	}
	answer := errors.New("ERR unknown command 'auth', with args beginning with: 'geheim' \nlevel=ERROR")
	for _, c := range []struct {
		format string
		arg    any
		want   string
	}{
		{"redis: connection pool: failed to dial after 1 attempts: %v", errors.New("refused"), `level=DEBUG msg="go-redis has logged a line" said="redis: connection pool: failed to dial after 1 attempts: refused"`},
		{"sentinel: GetMasterAddrByName failed: %s", answer, `level=DEBUG msg="go-redis has logged a line" said="sentinel: GetMasterAddrByName failed: ERR unknown command 'auth'"`},
		{"sentinel: new master=%q", "m", `level=INFO msg="the Sentinels have named the master" said="sentinel: new master=\"m\""`},
		{"redis: re-authentication failed: %v", answer, `level=WARN msg="go-redis has logged a line" said="redis: re-authentication failed: ERR unknown command 'auth'"`},
		{"something new: %v", "a\x1b[2J\nb", `level=WARN msg="go-redis has logged a line" said="something new: a\\x1b[2J\\nb"`},
	} {
		got := says(c.format, c.arg)
		if !strings.HasPrefix(got, "1:2:time=") || !strings.HasSuffix(got, " "+c.want+"\n") {
			t.Errorf("%s: %s\nwant %s", c.format, got, c.want)
		}
	}
	closeSecond()
	closeFirst()
	if got := says("x"); !strings.Contains(got, "said=x") || !strings.HasSuffix(got, "2:") {
		t.Errorf("the second client is closed: %s", got)
	}
	closeTwin()
	closeTwin()
	if got := says("redis: discarding %s", "x"); got != "1:2:" {
		t.Errorf("all are closed: %s", got)
	}
}

// calling is a handler that uses go-redis itself.
type calling struct{ again func() }

func (c calling) Enabled(context.Context, slog.Level) bool  { return true }
func (c calling) Handle(context.Context, slog.Record) error { c.again(); return nil }
func (c calling) WithAttrs([]slog.Attr) slog.Handler        { return c }
func (c calling) WithGroup(string) slog.Handler             { return c }

// TestAHandlerThatLogsToRedisEnds: what go-redis says because of a log line is a log line.
func TestAHandlerThatLogsToRedisEnds(t *testing.T) {
	t.Parallel()
	var l redisLog
	l.install.Do(func() {})
	calls := 0
	defer l.use(slog.New(calling{func() { calls++; l.Printf(t.Context(), "x") }}))()
	l.Printf(t.Context(), "x")
	if calls != mostRedisLog || l.running.Load() != 0 {
		t.Errorf("%d calls, %d running", calls, l.running.Load())
	}
}
