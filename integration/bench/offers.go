package main

import (
	"errors"
	"runtime"
	"time"

	"github.com/duequeue/duequeue/framework"
)

// offered is what part c found.
type offered struct {
	rates series // offers a second
	cpu   series // µs of Redis per offer
}

// offering offers one after the other, on our side and on the jar's in turn. The
// round before the first one warms up.
func (b *bench) offering() (*offered, error) {
	o := &offered{rates: series{}, cpu: series{}}
	for round := range b.plan.offerRounds + 1 {
		b.quiet()
		b.progress("offers, round %d of %d", round, b.plan.offerRounds)
		for _, who := range []contestant{
			{name: ours, n: b.plan.offers, run: b.offerOurs},
			{name: jar, n: b.plan.offers, run: func(n int) (float64, error) {
				return b.java.rate("offer %s list %d %d", b.srv.URL(), n, payloadBytes)
			}},
		} {
			rate, cpu, _, err := b.compete(who)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				o.rates.add(who.name, rate)
				o.cpu.add(who.name, cpu)
			}
		}
	}
	return o, nil
}

func (b *bench) offerOurs(n int) (float64, error) {
	s, err := open(b.ctx, b.srv.URL())
	if err != nil {
		return 0, err
	}
	runtime.GC()
	watch := newStopwatch(n)
	for i := 0; i < n && err == nil; i++ {
		_, err = framework.Bind(s.client, texts).Offer(b.ctx, textValue(i), time.Hour)
		watch.hit()
	}
	var rate float64
	if err == nil {
		rate, err = watch.rate(b.ctx)
	}
	return rate, errors.Join(err, s.close(b.ctx))
}
