package tracing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"testing"
	"testing/slogtest"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/tracing"
)

func logged(t *testing.T, log func(*slog.Logger)) map[string]any {
	t.Helper()
	var buf bytes.Buffer
	log(slog.New(tracing.LogHandler(slog.NewJSONHandler(&buf, nil))))
	var out map[string]any
	if err := json.Unmarshal(buf.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, buf.Bytes())
	}
	return out
}

func TestLogHandlerNamesTheTrace(t *testing.T) {
	t.Parallel()
	ctx := trace.ContextWithSpanContext(t.Context(), spanContext(false))
	const traceID, spanID = "01000000000000000000000000000000", "0200000000000000"
	tests := map[string]func(*slog.Logger){
		"plain":             func(l *slog.Logger) { l.InfoContext(ctx, "x", "a", 1) },
		"with attributes":   func(l *slog.Logger) { l.With("b", 2).InfoContext(ctx, "x", "a", 1) },
		"in a group":        func(l *slog.Logger) { l.With("b", 2).WithGroup("g").With("c", 3).InfoContext(ctx, "x", "a", 1) },
		"in an empty group": func(l *slog.Logger) { l.WithGroup("").InfoContext(ctx, "x", "a", 1) },
	}
	for name, log := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := logged(t, log)
			if got[tracing.TraceIDKey] != traceID || got[tracing.SpanIDKey] != spanID {
				t.Errorf("%v", got)
			}
			if g, ok := got["g"].(map[string]any); ok && (g["a"] != 1.0 || g["c"] != 3.0 || len(g) != 2) {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestLogHandlerWithoutASpan(t *testing.T) {
	t.Parallel()
	got := logged(t, func(l *slog.Logger) { l.WithGroup("g").Info("x", "a", 1) })
	if _, there := got[tracing.TraceIDKey]; there || got["g"].(map[string]any)["a"] != 1.0 {
		t.Errorf("%v", got)
	}
}

func TestLogHandlerAsksInner(t *testing.T) {
	t.Parallel()
	h := tracing.LogHandler(slog.NewJSONHandler(&bytes.Buffer{}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if h.Enabled(t.Context(), slog.LevelInfo) || !h.WithGroup("g").Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the level is not the inner handler's")
	}
}

// TestLogHandlerIsAProperHandler runs the standard library's own rules, with and
// without a span.
func TestLogHandlerIsAProperHandler(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		buf.Reset()
		return tracing.LogHandler(slog.NewJSONHandler(&buf, nil))
	}, func(t *testing.T) map[string]any {
		var out map[string]any
		if err := json.Unmarshal(buf.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		return out
	})
}

func TestLoggersDoNotShareSteps(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	ctx := trace.ContextWithSpanContext(t.Context(), spanContext(true))
	common := slog.New(tracing.LogHandler(slog.NewJSONHandler(&buf, nil))).WithGroup("g").With("a", 1)
	one, two := common.With("who", "one"), common.With("who", "two")
	two.InfoContext(ctx, "x")
	buf.Reset()
	one.InfoContext(ctx, "x")
	if !bytes.Contains(buf.Bytes(), []byte(`"who":"one"`)) || bytes.Contains(buf.Bytes(), []byte("two")) {
		t.Errorf("%s", buf.Bytes())
	}
}

func ExampleLogHandler() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(tracing.LogHandler(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime})))
	ctx := trace.ContextWithSpanContext(context.Background(), spanContext(true)) // as in a handler
	log.InfoContext(ctx, "order cancelled", "order", 100)
	// Output: level=INFO msg="order cancelled" order=100 trace_id=01000000000000000000000000000000 span_id=0200000000000000
}
