// Package fxstop has what fx does not say of how an application stops.
package fxstop

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// HurryOnSignal returns a context that is cancelled when a SIGINT or SIGTERM arrives while
// the engine stops: the operator does not want to wait. fx has used the first signal for the
// stop, and ignores later ones. A third one does what the program arranged for, or ends it,
// which loses nothing either. Call end when the stop is over.
func HurryOnSignal(ctx context.Context, log *slog.Logger) (hurried context.Context, end func()) {
	hurried, cancel := context.WithCancel(ctx)
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	background.Go(ctx, "wait for another signal", func() {
		defer close(over)
		select {
		case s := <-signals:
			log.WarnContext(ctx, "drain: another signal while stopping: stopping at once", "signal", s.String())
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
