package framework

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/handlers"
)

// Defaults of the consuming side.
const (
	DefaultWorkers = 8
	MaxWorkers     = 4096
)

// ConsumeOption changes how this process handles one queue. What every process
// must agree on (codec, key, limits, retries) is declared with the queue
// itself, in package registry.
type ConsumeOption interface {
	applyConsume(p *consumePolicy) error
	String() string
}

// consumePolicy is what the options of one handler say.
type consumePolicy struct {
	engine.Policy
	middleware      []handlers.Middleware
	batchMiddleware []handlers.BatchMiddleware
	forBatches      []string // options given that only batch handlers have
	code            string
}

// newConsumePolicy gathers the options of one handler: those of all handlers, which were
// checked, then its own.
func newConsumePolicy(code string, forAll, own []ConsumeOption, batches bool) (consumePolicy, error) {
	p := consumePolicy{Policy: engine.Policy{Workers: DefaultWorkers}, code: code}
	for _, o := range forAll {
		_ = o.applyConsume(&p)
	}
	p.forBatches = nil
	if batches {
		p.middleware = nil
	} else {
		p.BatchSize, p.BatchWait, p.batchMiddleware = 0, 0, nil
	}
	errs := p.apply(own)
	fit := p.forSingle
	if batches {
		fit = p.forBatch
	}
	if err := fit(); err != nil {
		errs = append(errs, err)
	}
	if room := p.Room(); p.Prefetch == 0 || p.Prefetch > room {
		p.Prefetch = room
	}
	p.Prefetch = min(p.Prefetch, lease.MaxTake)
	return p, errors.Join(errs...)
}

// apply sets what the options say, and returns what is wrong with them.
func (p *consumePolicy) apply(opts []ConsumeOption) (errs []error) {
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errors.New("nil option"))
			continue
		}
		for _, err := range separate(o.applyConsume(p)) {
			errs = append(errs, fmt.Errorf("%s: %w", o, err))
		}
	}
	return errs
}

// Inject takes an option from an fx graph: a middleware, or a function for [OnDead], that needs
// the [*Client] or another service. The constructor's parameters come from the graph; it returns
// a ConsumeOption, and may also return an error:
//
//	framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Inject(func(a *Alerts) framework.ConsumeOption {
//		return framework.OnDead(a.DeadLetter)
//	}))
//
// [Handle], [HandleFunc], [HandleBatch], [HandleBatchFunc] and [ForAll] take it. Elsewhere there
// is no graph: [Consume] and [New] refuse it.
func Inject(constructor any) ConsumeOption { return &injectOption{constructor, callerLine(1)} }

type injectOption struct {
	constructor any
	declared    string
}

func (o *injectOption) String() string { return fmt.Sprintf("Inject(%T)", o.constructor) }

func (o *injectOption) applyConsume(*consumePolicy) error {
	return fmt.Errorf("only an fx application has a graph: give the option itself (declared at %s)", o.declared)
}

// Workers sets how many handlers of the queue run at once in this process,
// 1 to [MaxWorkers]. Defaults to [DefaultWorkers].
func Workers(n int) ConsumeOption { return workersOption(n) }

type workersOption int

func (o workersOption) String() string { return fmt.Sprintf("Workers(%d)", int(o)) }

func (o workersOption) applyConsume(p *consumePolicy) error {
	if o < 1 || o > MaxWorkers {
		return fmt.Errorf("must be 1 to %d", MaxWorkers)
	}
	p.Workers = int(o)
	return nil
}

// Prefetch bounds how many messages one fetch takes from Redis. A fetch never takes more
// than there are free workers, so that no message waits in this process while another
// process is idle. Defaults to the number of workers. For batch handlers it counts messages
// too, and a fetch takes as many as the batches of the free workers have room for.
func Prefetch(n int) ConsumeOption { return prefetchOption(n) }

type prefetchOption int

func (o prefetchOption) String() string { return fmt.Sprintf("Prefetch(%d)", int(o)) }

func (o prefetchOption) applyConsume(p *consumePolicy) error {
	if o < 1 {
		return errors.New("must be at least 1")
	}
	p.Prefetch = int(o)
	return nil
}

// Use wraps the handler in middlewares; the first is the outermost. They run inside the
// framework's own: span and metrics, then panic recovery, then these, then panic recovery
// again, then the handler.
func Use(mw ...handlers.Middleware) ConsumeOption { return useOption{mw} }

type useOption struct{ mw []handlers.Middleware }

func (o useOption) String() string { return fmt.Sprintf("Use(%d middlewares)", len(o.mw)) }

func (o useOption) applyConsume(p *consumePolicy) error {
	for i, m := range o.mw {
		if m == nil {
			return fmt.Errorf("middleware %d is nil", i)
		}
	}
	p.middleware = append(p.middleware, o.mw...)
	return nil
}

// BreakerConfig sets the circuit breaker that closes the intake of one queue.
// Zero fields take the defaults.
type BreakerConfig struct {
	// Disabled turns the breaker off: failures are only retried.
	Disabled bool
	// Failures is how many different messages must fail one after another to close the
	// intake; a message that fails again before one succeeds counts once. Defaults to 4.
	Failures int
	// OpenFor is how long the intake stays closed before the first probe; it
	// doubles with each failed probe. Defaults to 300 ms.
	OpenFor time.Duration
	// MaxOpenFor caps OpenFor's growth. Defaults to 45 s.
	MaxOpenFor time.Duration
	// Unready makes an open breaker a reason for not being ready, see [health.Report]. It is
	// for processes that do nothing but handle queues; one that serves an API too would be
	// taken out of rotation. Defaults to false: the process is degraded and stays ready.
	Unready bool
}

// Breaker configures the queue's circuit breaker, which is on by default. While it is open,
// the process is degraded, not unready (but see BreakerConfig.Unready), and takes only
// single probes from Redis. A message that has not been tried is probed first; those that
// have failed take turns, less often the longer the outage lasts, so that their attempts
// last. One success closes the breaker, and retries that failed while it was open come
// forward within a minute. Every call that fails counts as an attempt, also that of a
// probe; for errors that must not count see handlers.Transient.
func Breaker(c BreakerConfig) ConsumeOption { return breakerOption(c) }

type breakerOption BreakerConfig

func (o breakerOption) String() string { return fmt.Sprintf("Breaker(%+v)", BreakerConfig(o)) }

func (o breakerOption) applyConsume(p *consumePolicy) error {
	if o.Failures < 0 || o.OpenFor < 0 || o.MaxOpenFor < 0 {
		return errors.New("negative values are not allowed; zero means the default")
	}
	if o.MaxOpenFor > 0 && o.MaxOpenFor < o.OpenFor {
		return fmt.Errorf("MaxOpenFor %v is shorter than OpenFor %v", o.MaxOpenFor, o.OpenFor)
	}
	p.Breaker = gate.Settings{
		Disabled: o.Disabled, Failures: o.Failures, OpenFor: o.OpenFor, MaxOpenFor: o.MaxOpenFor,
	}
	p.BreakerUnready = o.Unready
	return nil
}

// RateLimit bounds how many messages of the queue this process takes: perSecond on average,
// which may be less than one, and at most burst at once after a quiet time. The limit is
// per process: two processes with 10 handle 20 a second together, and Java's consumers are
// not bound. For n a minute write RateLimit(n/60.0, 1).
//
// Other messages remain in Redis, where other processes can take them. A message that goes
// back before its handler starts, is expired or cannot be decoded does not count; a retry
// does. A wait charges no attempt and the process stays ready; meanwhile health shows the
// reason "rate_limited".
func RateLimit(perSecond float64, burst int) ConsumeOption {
	return rateOption{perSecond: perSecond, burst: burst}
}

type rateOption struct {
	perSecond float64
	burst     int
}

func (o rateOption) String() string { return fmt.Sprintf("RateLimit(%v, %d)", o.perSecond, o.burst) }

func (o rateOption) applyConsume(p *consumePolicy) error {
	var errs []error
	if math.IsNaN(o.perSecond) || math.IsInf(o.perSecond, 0) || o.perSecond <= 0 {
		errs = append(errs, errors.New("the rate must be a positive number of messages a second; leave the option out for no limit"))
	}
	if o.burst < 1 {
		errs = append(errs, errors.New("the burst must be at least 1"))
	}
	p.Rate, p.Burst = o.perSecond, o.burst
	return errors.Join(errs...)
}
