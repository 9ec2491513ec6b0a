package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// Defaults of a relay.
const (
	DefaultPoll     = 200 * time.Millisecond
	DefaultRemember = time.Hour
	DefaultBatch    = 256
)

// Option changes how a [Relay] works.
type Option func(*options) error

type options struct {
	poll     time.Duration
	remember time.Duration
	batch    int
	keep     time.Duration
	await    framework.OfferOption
	listen   func(ctx context.Context, wake func()) error
	log      *slog.Logger
	meters   metric.MeterProvider
}

// Poll is how often a relay looks for rows while there are none. While there are some it does
// not wait. Defaults to [DefaultPoll].
func Poll(every time.Duration) Option {
	return func(o *options) error {
		o.poll = every
		if every <= 0 {
			return fmt.Errorf("Poll(%v): give a time above 0", every)
		}
		return nil
	}
}

// Remember is for how long Redis remembers the nonce of each row, about 250 bytes: if a relay
// dies behind the sending of a row, or the database is gone by then, another relay has that
// long until it would add the message a second time. Give a longer time where the database may
// be away for longer. Defaults to [DefaultRemember].
func Remember(d time.Duration) Option {
	return func(o *options) error {
		o.remember = d
		if d < time.Second {
			return fmt.Errorf("Remember(%v): give a second or more", d)
		}
		return nil
	}
}

// Batch is how many rows a relay claims at a time. Defaults to [DefaultBatch].
func Batch(n int) Option {
	return func(o *options) error {
		o.batch = n
		const most = 1000
		if n < 1 || n > most {
			return fmt.Errorf("Batch(%d): give 1 to %d", n, most)
		}
		return nil
	}
}

// KeepAside is for how long rows that were set aside are kept; then relays delete them, which is
// logged. Zero, the default, keeps them until [Box.Drop].
func KeepAside(d time.Duration) Option {
	return func(o *options) error {
		o.keep = d
		if d < 0 {
			return fmt.Errorf("KeepAside(%v): give a time of 0 or more", d)
		}
		return nil
	}
}

// AwaitReplicas makes each row wait for replicas, see [framework.AwaitReplicas]. A row that too
// few have in time counts as sent.
func AwaitReplicas(n int, timeout time.Duration) Option {
	return func(o *options) error {
		o.await = framework.AwaitReplicas(n, timeout)
		return nil
	}
}

// Listen gives a function that waits for new rows, such as for the notifications of
// PostgreSQL (see [Notify]). It runs until its context ends, and calls wake whenever there may
// be rows; if it returns before, it is called again after a pause. With pgx:
//
//	func(ctx context.Context, wake func()) error {
//		conn, err := pgx.Connect(ctx, dsn)
//		if err != nil {
//			return err
//		}
//		defer conn.Close(context.WithoutCancel(ctx))
//		if _, err := conn.Exec(ctx, `LISTEN "duequeue_outbox"`); err != nil {
//			return err
//		}
//		for err == nil {
//			wake()
//			_, err = conn.WaitForNotification(ctx)
//		}
//		return err
//	}
func Listen(f func(ctx context.Context, wake func()) error) Option {
	return func(o *options) error {
		o.listen = f
		if f == nil {
			return errors.New("Listen: the function is nil")
		}
		return nil
	}
}

// Logger sets the logger of the relay. Defaults to [slog.Default].
func Logger(log *slog.Logger) Option {
	return func(o *options) error {
		o.log = log
		if log == nil {
			return errors.New("Logger: the logger is nil")
		}
		return nil
	}
}

// Meters gives the provider of the metrics. Defaults to OpenTelemetry's global one.
func Meters(p metric.MeterProvider) Option {
	return func(o *options) error {
		o.meters = p
		if p == nil {
			return errors.New("Meters: the provider is nil")
		}
		return nil
	}
}

func apply(opts []Option) (options, []error) {
	o := options{poll: DefaultPoll, remember: DefaultRemember, batch: DefaultBatch}
	var errs []error
	for i, opt := range opts {
		if opt == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i))
		} else if err := opt(&o); err != nil {
			errs = append(errs, err)
		}
	}
	o.log = errtext.Guard(o.log)
	return o, errs
}
