package framework

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/handlers"
)

// Defaults of the consuming side.
const (
	DefaultWorkers = 8
	MaxWorkers     = 4096
	maxPrefetch    = 900 // one fetch is one Lua reply and one list; unpack is bounded by 1,000
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
}

// newConsumePolicy gathers the options of one handler: those of all handlers, which were
// checked, then its own.
func newConsumePolicy(code string, forAll, own []ConsumeOption, batches bool) (consumePolicy, error) {
	p := consumePolicy{Policy: engine.Policy{Workers: DefaultWorkers}}
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
	for i, err := range errs {
		errs[i] = fmt.Errorf("queue %q: %w", code, err)
	}
	fit := p.forSingle
	if batches {
		fit = p.forBatch
	}
	if err := fit(code); err != nil {
		errs = append(errs, err)
	}
	if room := p.Room(); p.Prefetch == 0 || p.Prefetch > room {
		p.Prefetch = room
	}
	p.Prefetch = min(p.Prefetch, maxPrefetch)
	return p, errors.Join(errs...)
}

// apply sets what the options say, and returns what is wrong with them.
func (p *consumePolicy) apply(opts []ConsumeOption) (errs []error) {
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errors.New("nil option"))
		} else if err := o.applyConsume(p); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o, err))
		}
	}
	return errs
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

// Prefetch bounds how many messages one fetch takes from Redis. It is never more
// than the number of free workers, so that no message waits in this process
// while another one is idle. Defaults to the number of workers. Where batches are
// handled it is messages too: as many as the free workers' batches have room for.
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

// Use wraps the handler in middlewares; the first is the outermost. They run
// inside the framework's own: span and metrics, then panic recovery, then
// these, then panic recovery again, then the handler.
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
	// Failures is how many different messages close the intake when they fail one after
	// another; one that fails again before anything succeeds counts once. Defaults to 4.
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

// Breaker configures the queue's circuit breaker. It is on by default.
// While it is open the process is degraded, not unready (but see BreakerConfig.Unready), and nothing
// is taken from Redis but single probes, of which one that has not been tried goes first.
// Those that have failed are tried in turn, the less often the longer it lasts, so that
// their attempts last. One success closes it, and retries that failed while it was open
// come forward within a minute. Every call that fails counts as an attempt, those of
// probes too; see handlers.Transient for errors that shall not.
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

// RateLimit bounds how many messages of the queue this process takes: perSecond on
// average, which may be less than one, and at most burst at once after a quiet time. It
// is per process: two that say 10 handle 20 a second together, and Java's consumers are
// not bound. For so many a minute write RateLimit(n/60.0, 1).
//
// What may not be taken yet stays in Redis, where others can have it. A message that is
// handed back before its handler started, expired, or undecodable costs nothing. Retries
// are deliveries as others. No attempt is charged by a wait and the process stays ready;
// health shows the reason "rate_limited" while a queue waits for its limit.
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
