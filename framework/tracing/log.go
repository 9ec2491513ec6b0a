package tracing

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Keys of the attributes that LogHandler adds, as OpenTelemetry has them for logs
// that are not OTLP.
const (
	TraceIDKey = "trace_id"
	SpanIDKey  = "span_id"
)

// LogHandler returns a handler that adds trace_id and span_id to each record logged with a
// context that carries a span (slog.InfoContext and its kin). They are at the top level,
// also in loggers made by WithGroup. inner does everything else. Safe for concurrent use if
// inner is.
func LogHandler(inner slog.Handler) slog.Handler {
	return &logHandler{root: inner, now: inner}
}

type logHandler struct {
	root  slog.Handler // before the first group
	now   slog.Handler // root with steps applied
	steps []func(slog.Handler) slog.Handler
}

// Enabled asks the inner handler.
func (h *logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.now.Enabled(ctx, l) }

// Handle adds the ids and passes the record on.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsValid() {
		return h.now.Handle(ctx, r)
	}
	ids := []slog.Attr{
		slog.String(TraceIDKey, sc.TraceID().String()),
		slog.String(SpanIDKey, sc.SpanID().String()),
	}
	if len(h.steps) == 0 {
		r = r.Clone()
		r.AddAttrs(ids...)
		return h.now.Handle(ctx, r)
	}
	// Within a group the record's own attributes belong to the group, so the
	// ids go in before it was opened.
	inner := h.root.WithAttrs(ids)
	for _, step := range h.steps {
		inner = step(inner)
	}
	return inner.Handle(ctx, r)
}

// WithAttrs returns a handler with more attributes.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(h.steps) == 0 {
		return LogHandler(h.root.WithAttrs(attrs))
	}
	return h.with(func(in slog.Handler) slog.Handler { return in.WithAttrs(attrs) })
}

// WithGroup returns a handler that puts what follows into a group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(func(in slog.Handler) slog.Handler { return in.WithGroup(name) })
}

func (h *logHandler) with(step func(slog.Handler) slog.Handler) slog.Handler {
	steps := append(h.steps[:len(h.steps):len(h.steps)], step)
	return &logHandler{root: h.root, now: step(h.now), steps: steps}
}
