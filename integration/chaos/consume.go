package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

const (
	stopTimeout = 8 * time.Second
	startPause  = 200 * time.Millisecond // before a start that failed is tried again
)

// handler is the role's handler for the framework.
func (r *role) handler(l *ledger) handlers.Handler[string] {
	return handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		return r.handle(ctx, l, noteOf(d), d.Attempt(), d.Message().Died)
	})
}

// consume runs an engine that handles the queue.
func consume(ctx context.Context, r *role, l *ledger) error {
	if r.FX {
		return insist(ctx, func() (stopper, error) { return r.startApp(ctx, l) })
	}
	var engines sync.WaitGroup
	errs := make([]error, max(r.Engines, 1))
	for i := range errs {
		engines.Go(func() {
			errs[i] = insist(ctx, func() (stopper, error) { return r.startEngine(ctx, r.consumers(l)...) })
		})
	}
	engines.Wait()
	return errors.Join(errs...)
}

// transfer runs an engine that only transfers.
func transfer(ctx context.Context, r *role, _ *ledger) error {
	var queues []framework.Consumer
	for i := range max(r.Queues, 1) {
		queues = append(queues, framework.TransferOnly(r.queueOf(i)))
	}
	return insist(ctx, func() (stopper, error) { return r.startEngine(ctx, queues...) })
}

// stopper ends what was started.
type stopper func(ctx context.Context) error

// insist starts, again and again as a supervisor of services would, waits for ctx and
// stops.
func insist(ctx context.Context, start func() (stopper, error)) error {
	for {
		stop, err := start()
		if err == nil {
			<-ctx.Done()
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return stop(stopping)
		}
		fmt.Fprintln(os.Stderr, "start:", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startPause):
		}
	}
}

func (r *role) startEngine(ctx context.Context, consumers ...framework.Consumer) (stopper, error) {
	client, err := framework.Open(ctx, r.config(), sampled)
	if err != nil {
		return nil, err
	}
	engine, err := framework.New(client, consumers)
	if err == nil {
		err = engine.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return func(ctx context.Context) error { return errors.Join(engine.Stop(ctx), client.Close()) }, nil
}

func (r *role) startApp(ctx context.Context, l *ledger) (stopper, error) {
	app := fx.New(framework.Module, fx.Supply(r.config(), fx.Annotate(sampling, fx.As(new(trace.TracerProvider)))), fx.StartTimeout(time.Minute),
		fx.WithLogger(func() fxevent.Logger { return fxevent.NopLogger }),
		r.handles(l))
	if err := app.Start(ctx); err != nil {
		return nil, err
	}
	return app.Stop, nil
}
