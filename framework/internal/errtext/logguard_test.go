package errtext

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// askingHandler calls Error of each error itself, and survives nothing.
type askingHandler struct{ said *[]string }

func (askingHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h askingHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h askingHandler) WithGroup(string) slog.Handler          { return h }
func (h askingHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			*h.said = append(*h.said, err.Error())
		} else {
			*h.said = append(*h.said, a.Value.String())
		}
		return true
	})
	return nil
}

// hostile panics in every method that a log may call.
type hostile struct{}

func (hostile) Error() string  { panic("Error") }
func (hostile) String() string { panic("String") }

type hostileText struct{}

func (hostileText) String() string { panic("String") }

type hostileValue struct{}

func (hostileValue) LogValue() slog.Value { panic("LogValue") }

// A handler of logs that asks an error for its text meets no panic of it, or a failing
// message would end the process that logs the failure.
func TestLogOfWhatPanics(t *testing.T) {
	t.Parallel()
	var said []string
	fine := errors.New("fine")
	Guard(slog.New(askingHandler{&said})).Error("failed",
		"err", hostile{}, "wrapped", errors.Join(hostile{}), "nil", (*loggedError)(nil), "text", hostileText{}, "value", hostileValue{}, "fine", fine)
	if len(said) != 6 || said[0] != "errtext.hostile (its Error method panics)" ||
		said[1] != "*errors.joinError (its Error method panics)" || said[2] != "*errtext.loggedError (its Error method panics)" ||
		!strings.Contains(said[3], "PANIC=String method") || !strings.Contains(said[4], "LogValue panicked") || said[5] != "fine" {
		t.Errorf("%q", said)
	}
	if got := Of(hostile{}, MaxLogText); got != "errtext.hostile (its Error method panics)" {
		t.Error(got)
	}
}

// A duration is text such as 1m30s whatever the handler, wherever it stands: JSON of slog has ns.
func TestDurationsAreText(t *testing.T) {
	t.Parallel()
	for what, handler := range map[string]func(io.Writer, *slog.HandlerOptions) slog.Handler{
		"JSON": func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) },
		"text": func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) },
	} {
		var out strings.Builder
		log := Guard(slog.New(handler(&out, nil)))
		log.With("with", 90*time.Second).WithGroup("group").Info("took", "attr", 90*time.Second, slog.Duration("typed", 90*time.Second),
			slog.Group("inner", "attr", 90*time.Second), "any", slog.AnyValue(90*time.Second))
		if n := strings.Count(out.String(), "1m30s"); n != 5 || strings.Contains(out.String(), "90000000000") {
			t.Errorf("%s: %s", what, out.String())
		}
	}
}
