package framework

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Engine handles queues in this process: it moves due messages, takes them and runs their
// handlers. Make it with [New]; it runs once. It is safe for concurrent use.
type Engine struct{ run *engine.Engine }

// New checks all registrations together and builds an engine; nothing runs until
// [Engine.Start]. The error joins every mistake: those of the declarations (see
// registry.Validate), [*fault.RegistrationError] for those of the registrations, and
// [*fault.SlotWarning] for names whose keys a Redis Cluster would spread, which are
// only logged elsewhere.
//
// The options forAll are for all handlers: common middlewares, or another default. A
// handler's own options come after these. Options for batches do not change other handlers,
// and [Use] does not change batch handlers.
func New(c *Client, consumers []Consumer, forAll ...ConsumeOption) (*Engine, error) {
	if c == nil {
		return nil, errNilClient
	}
	if len(consumers) == 0 {
		return nil, fault.ErrNoConsumers
	}
	return newEngine(c, consumers, forAll)
}

// newEngine works without a client too, to find the mistakes of the registrations
// beside those of the configuration.
func newEngine(c *Client, consumers []Consumer, forAll []ConsumeOption) (*Engine, error) {
	var forAllErr error
	if errs := new(consumePolicy).apply(forAll); len(errs) > 0 {
		forAllErr, forAll = fmt.Errorf("options for all handlers: %w", errors.Join(errs...)), nil
	}
	consumers = sorted(consumers)
	parts := make([]engine.Consumer, len(consumers))
	for i := range consumers {
		if of := &consumers[i]; of.build != nil {
			parts[i], of.err = of.build(forAll)
		} else {
			parts[i] = engine.Consumer{Queue: of.queue, Declared: of.declared}
		}
	}
	if err := errors.Join(forAllErr, check(c, consumers)); err != nil || c == nil {
		return nil, err
	}
	return &Engine{engine.New(c.parts, parts)}, nil
}

// sorted orders consumers by code: fx hands groups over in random order.
func sorted(cs []Consumer) []Consumer {
	out := slices.Clone(cs)
	slices.SortStableFunc(out, func(a, b Consumer) int { return strings.Compare(a.Code(), b.Code()) })
	return out
}

// check finds all mistakes.
func check(client *Client, consumers []Consumer) error {
	var errs []error
	var ds []registry.Descriptor
	seen := map[registry.Descriptor]Consumer{}
	for _, c := range consumers {
		if err := c.problem(); err != nil {
			errs = append(errs, err)
		}
		if c.queue == nil {
			continue
		}
		if first, dup := seen[c.queue]; dup {
			errs = append(errs, &fault.RegistrationError{
				Code: c.Code(), Declared: c.declared,
				Err: errors.New("the queue has a handler already, registered at " + first.declared),
			})
			continue
		}
		seen[c.queue] = c
		ds = append(ds, c.queue)
	}
	errs = append(errs, registry.Validate(ds...))
	if client == nil {
		return errors.Join(errs...)
	}
	for _, d := range ds {
		name := client.names.To(d.Key())
		if twin, ok := wire.Twin(name); ok && strings.HasPrefix(name, "{") {
			client.log.Warn("this queue shares its delayed structures with the queue of the name without braces: the process that transfers first gets the messages of both; use only one of them",
				"queue", d.Code(), "name", name, "twin", twin, "declared", d.Declared())
		}
		if err := wire.CheckName(name); err != nil {
			w := &fault.SlotWarning{Code: d.Code(), Declared: d.Declared(), Err: err}
			if client.cluster || !isSlotError(err) {
				errs = append(errs, w)
				continue
			}
			client.log.Warn("queue name would not work on a Redis Cluster", "queue", d.Code(), "err", w)
		}
	}
	return errors.Join(append(errs, checkPartitions(client, ds)...)...)
}

func isSlotError(err error) bool {
	var slot *fault.SlotError
	return errors.As(err, &slot)
}

// Start checks that the Redis user may run the scripts on every queue, then starts to
// transfer and to take. It returns when all is running; ctx bounds only the checks. After
// an error nothing runs, and Start may be tried again. A second Start returns
// [fault.ErrStarted], a Start after Stop [fault.ErrClosed].
func (e *Engine) Start(ctx context.Context) error { return e.run.Start(ctx) }

// Stop drains. It takes nothing more and lets running handlers finish within ShutdownShare
// of the time that ctx leaves (without a deadline: of a lease). Then it cancels them with
// handlers.ErrDraining and puts what is not done back at the head of its queue, in order
// and uncharged. Messages whose handlers had begun may be handled twice: they are logged
// and counted. Each second the log says what Stop waits for.
//
// It returns before the deadline of ctx. If Redis is gone or a handler hangs, it returns an
// error, such as [fault.ErrStopTime]: what it could not give back comes back when its lease
// ends, as after a kill. When ctx is cancelled, Stop cancels the handlers at once and
// returns within about two seconds. [Module] does that at a second signal.
//
// A second Stop waits for the first one and returns nil, as does one before Start.
func (e *Engine) Stop(ctx context.Context) error { return e.run.Stop(ctx) }

// Pause stops taking messages of these queues until Resume; without queues, of all that the
// engine handles. Running handlers finish. What was taken and has not started goes back to
// the head of its queue, uncharged, as does what a take under way still brings. Due
// messages still move to the ready list: Java and other processes go on. A pause lasts as
// long as the process; an engine that is paused before its start starts paused.
//
// [Engine.Health] shows reason and by, which may be empty. The process stays ready: a pause
// must neither take it out of its service nor hold up a rollout. A queue that is paused
// already takes the new reason. For a pause of all Go processes see admin.Pause; a queue is
// taken from while neither holds. A breaker may trip or recover during the pause.
//
// Errors: [fault.ErrNoPauseReason], and [fault.ErrNotHandled] for queues that are not
// handled here; then nothing is paused.
func (e *Engine) Pause(reason, by string, queues ...registry.Descriptor) error {
	return e.run.Pause(reason, by, queues...)
}

// Resume takes messages of these queues again; without queues, of all. For queues that are
// not paused it does nothing. Errors: [fault.ErrNotHandled]; then nothing is resumed.
func (e *Engine) Resume(queues ...registry.Descriptor) error { return e.run.Resume(queues...) }

// Health returns the state of the engine. It does not ask Redis.
func (e *Engine) Health() health.Report { return e.run.Health() }

// Queues returns the queues that this engine handles or only transfers, in the order of their
// codes.
func (e *Engine) Queues() []registry.Descriptor { return e.run.Queues() }

// HealthHandler serves [Engine.Health] on /livez and /readyz, see [health.Handler].
func (e *Engine) HealthHandler() http.Handler { return health.Handler(e.Health) }

// tellStopTime warns of the longest handler that a stop of this length does not wait for.
func (e *Engine) tellStopTime(ctx context.Context, stop time.Duration) { e.run.TellStopTime(ctx, stop) }
