package framework

import (
	"errors"
	"fmt"
	"math"
)

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
