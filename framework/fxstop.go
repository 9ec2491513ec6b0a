package framework

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// hurryOnSignal returns a context that is cancelled when a SIGINT or SIGTERM arrives while
// the engine stops: the operator does not want to wait. fx has used the first signal for the
// stop, and ignores later ones. A third one does what the program arranged for, or ends it,
// which loses nothing either. Call end when the stop is over.
func hurryOnSignal(ctx context.Context, log *slog.Logger) (hurried context.Context, end func()) {
	hurried, cancel := context.WithCancel(ctx)
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	background.Go(ctx, "wait for another signal", func() {
		defer close(over)
		select {
		case s := <-signals:
			log.WarnContext(ctx, "drain: second signal: stopping immediately", "signal", s.String())
			signal.Stop(signals)
			cancel()
		case <-hurried.Done():
		}
	})
	return hurried, func() {
		signal.Stop(signals)
		cancel()
		<-over
	}
}

// stopTimeoutOf returns the stop timeout of the application to which s, an fx.Shutdowner, belongs.
// fx has no call for it, so this reads the App that s points to. ok is false if another release of fx
// has other fields; then the log does not warn.
func stopTimeoutOf(s any) (stop time.Duration, ok bool) {
	at := reflect.ValueOf(s)
	for _, field := range []string{"app", "stopTimeout"} {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Interface {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return 0, false
		}
		at = at.FieldByName(field)
	}
	if !at.IsValid() || at.Type() != reflect.TypeFor[time.Duration]() {
		return 0, false
	}
	return time.Duration(at.Int()), true
}
