package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
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
	if err := check(c, consumers, forAll); err != nil {
		return nil, err
	}
	parts, err := assemble(consumers, forAll)
	if err != nil {
		return nil, err
	}
	return &Engine{engine.New(c.parts, parts)}, nil
}

// assemble makes what the engine needs of consumers whose declarations are checked. It finds
// handlers that are nil.
func assemble(consumers []Consumer, forAll []ConsumeOption) ([]engine.Consumer, error) {
	var errs []error
	parts := make([]engine.Consumer, 0, len(consumers))
	for _, c := range sorted(consumers) {
		part := engine.Consumer{Queue: c.queue, Declared: c.declared}
		if c.err == nil && c.policy != nil {
			var p consumePolicy
			if p, c.err = c.policy(forAll); c.err == nil {
				c.bind(&part, p)
			}
		}
		errs = append(errs, c.wrong(c.err))
		parts = append(parts, part)
	}
	return parts, errors.Join(errs...)
}

// sorted orders consumers by code, then by place: fx hands groups over in random order.
func sorted(cs []Consumer) []Consumer {
	out := slices.Clone(cs)
	slices.SortStableFunc(out, func(a, b Consumer) int {
		return cmp.Or(strings.Compare(a.Code(), b.Code()), byPlace(a.declared, b.declared))
	})
	return out
}

// byPlace compares two file:line.
func byPlace(a, b string) int {
	fileA, lineA := splitPlace(a)
	fileB, lineB := splitPlace(b)
	return cmp.Or(strings.Compare(fileA, fileB), cmp.Compare(lineA, lineB))
}

func splitPlace(place string) (file string, line int) {
	i := strings.LastIndexByte(place, ':')
	line, _ = strconv.Atoi(place[i+1:])
	return place[:max(i, 0)], line
}

// check finds all mistakes in the declarations. It works without a client too, to find them
// beside the mistakes of the configuration.
func check(client *Client, consumers []Consumer, forAll []ConsumeOption) error {
	var errs []error
	if wrong := new(consumePolicy).apply(forAll); len(wrong) > 0 {
		errs, forAll = append(errs, fmt.Errorf("options for all handlers: %w", errors.Join(wrong...))), nil
	}
	var ds []registry.Descriptor
	seen := map[registry.Descriptor]Consumer{}
	for _, c := range sorted(consumers) {
		if err := c.problem(forAll); err != nil {
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
	slices.SortStableFunc(ds, func(a, b registry.Descriptor) int { return byPlace(a.Declared(), b.Declared()) })
	errs = append(errs, registry.Validate(ds...))
	if client == nil {
		return errors.Join(errs...)
	}
	for _, d := range ds {
		name := client.names.To(d.Key())
		if twin, ok := wire.Twin(name); ok && strings.HasPrefix(name, "{") {
			client.log.Warn("this queue shares its Redisson keys with another queue, whose name differs only in braces: use only one of them",
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
// transfer and to take. It returns when all is running; ctx bounds only the checks. While Redis
// gives an answer that passes by itself, such as BUSY, the checks are repeated for
// Config.StartRetryFor. After an error nothing runs, and Start may be tried again. A second Start returns
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
