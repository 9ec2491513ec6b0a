package main

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
)

// lines gathers log lines.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func TestDemoRunsBothHandlersAndEnds(t *testing.T) {
	t.Parallel()
	var out lines
	began := time.Now()
	app := fxtest.New(t,
		app(settings{redis: "embedded", payment: 500 * time.Millisecond, notice: 100 * time.Millisecond, praise: time.Second, demo: true}),
		fx.Replace(slog.New(slog.NewTextHandler(&out, nil))))
	app.RequireStart()
	if end := <-app.Wait(); end.ExitCode != 0 {
		t.Errorf("exit code %d", end.ExitCode)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("both handlers ran after %v, too early", took)
	}
	app.RequireStop()
	for _, want := range []string{
		`msg="order cancelled" code=ORDER_PAYMENT_TIMEOUT order=100 remark=其他信息 due=`,
		`msg="customer told" code=ORDER_CANCEL_NOTICE order=100`,
		`msg="good review written" code=ORDER_TIMEOUT_NOT_EVALUATED order=200`, "actual=", "late=", "embedded Redis: in-memory",
	} {
		if !strings.Contains(out.text(), want) {
			t.Errorf("output lacks %s:\n%s", want, out.text())
		}
	}
}
