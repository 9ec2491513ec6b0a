package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
)

// lines gathers log lines and tells about each.
type lines struct {
	mu   sync.Mutex
	all  bytes.Buffer
	news chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
	return l.all.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func TestBothHandlersFire(t *testing.T) {
	t.Parallel()
	out := &lines{news: make(chan struct{}, 1)}
	began := time.Now()
	app := fxtest.New(t,
		app(settings{redis: "embedded", addr: "127.0.0.1:0", payment: time.Second, praise: 2 * time.Second, demo: true}),
		fx.Replace(slog.New(slog.NewTextHandler(out, nil))))
	app.RequireStart()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(out.text(), "good review written") {
		select {
		case <-out.news:
		case <-deadline:
			t.Fatalf("the second handler did not fire:\n%s", out.text())
		}
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("both handlers fired after %v, too early", took)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
	defer cancel()
	if err := app.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`msg="order cancelled" code=ORDER_PAYMENT_TIMEOUT order=100 remark=其他信息 due=`,
		`msg="good review written" code=ORDER_TIMEOUT_NOT_EVALUATED order=200`, "actual=", "late=", "embedded Redis: in-memory",
	} {
		if !strings.Contains(out.text(), want) {
			t.Errorf("output lacks %s:\n%s", want, out.text())
		}
	}
}
