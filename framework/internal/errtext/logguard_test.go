package errtext

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
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
