package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/registry"
)

const (
	crowdQueue  = burstQueue
	crowdPerMs  = 100  // messages that fall due in one ms of the rush
	crowdSteady = 1000 // messages a second that fall due in the steady part
)

// crowdSizes are the numbers of processes.
var crowdSizes = []int{1, 4}

// crowds is what the series found, by crowdName.
type crowds struct {
	rate    series // messages a second, of the rush
	redis   series // µs of Redis per message
	scripts series // per message
}

// crowdCase is one measurement.
type crowdCase struct {
	who       string
	view      registry.ViewMode
	processes int
	steady    bool
}

func (c crowdCase) name() string {
	kind := "rush"
	if c.steady {
		kind = "steady"
	}
	return fmt.Sprintf("%s, %s, %d", kind, c.who, c.processes)
}

// crowdSides are who is compared.
func crowdSides() []crowdCase {
	return []crowdCase{
		{who: viewName(registry.ViewExact), view: registry.ViewExact},
		{who: viewName(registry.ViewLazy), view: registry.ViewLazy},
		{who: jar},
	}
}

func crowdCases() []crowdCase {
	var all []crowdCase
	for _, steady := range []bool{false, true} {
		for _, n := range crowdSizes {
			for _, c := range crowdSides() {
				c.processes, c.steady = n, steady
				all = append(all, c)
			}
		}
	}
	return all
}

// crowding lets several processes serve one queue.
func (b *bench) crowding() (*crowds, error) {
	r := &crowds{rate: series{}, redis: series{}, scripts: series{}}
	b.progress("processes: warming Java up")
	if _, _, err := b.crowd(crowdCase{who: jar, processes: 1}); err != nil {
		return nil, err
	}
	for round := range b.plan.crowdRounds {
		b.progress("processes, round %d of %d", round+1, b.plan.crowdRounds)
		for _, c := range crowdCases() {
			b.quiet()
			rate, l, err := b.crowd(c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name(), err)
			}
			n := float64(b.plan.crowdOf(c))
			r.rate.add(c.name(), rate)
			r.redis.add(c.name(), l.cpu/n)
			r.scripts.add(c.name(), l.scripts.calls/n)
			b.detail("%-32s %8.0f/s, %6.1f µs of Redis, %.3f scripts per message", c.name(), rate, l.cpu/n, l.scripts.calls/n)
		}
	}
	return r, nil
}

// crowdOf is how many messages one measurement has.
func (p plan) crowdOf(c crowdCase) int {
	if c.steady {
		return crowdSteady * int(p.crowdSteady/time.Second)
	}
	return p.crowd
}

// crowd measures one case once.
func (b *bench) crowd(c crowdCase) (rate float64, l load, err error) {
	err = b.intime(func() (err error) {
		rate, l, err = b.crowdOnce(c)
		return err
	})
	return rate, l, err
}

// crowdOnce does, unless the machine is too busy. Messages fall due in the order of their offers, which
// costs Redisson next to no walks of its list: the number of processes is what counts
// here.
func (b *bench) crowdOnce(c crowdCase) (rate float64, l load, err error) {
	data, err := b.captured()
	if err != nil {
		return 0, l, err
	}
	if err = b.clean(); err != nil {
		return 0, l, err
	}
	n := b.plan.crowdOf(c)
	s, err := b.serveCrowd(c, n)
	if err != nil {
		return 0, l, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err = s.start(); err != nil {
		return 0, l, err
	}
	first := time.Now().Add(b.lead(n)).Truncate(time.Millisecond)
	due := func(i int) int64 {
		if c.steady {
			return first.UnixMilli() + int64(i)*1000/crowdSteady
		}
		return first.UnixMilli() + int64(i)/crowdPerMs
	}
	if err = data.fill(b.ctx, b.rdb, crowdQueue, n, due); err != nil {
		return 0, l, err
	}
	if err = announce(b.ctx, b.rdb, crowdQueue, first.UnixMilli()); err != nil {
		return 0, l, err
	}
	w, err := b.watchRest(s)
	if err != nil {
		return 0, l, err
	}
	if time.Now().After(first) {
		return 0, l, errLate
	}
	h, err := s.await(n)
	if err != nil {
		return 0, l, err
	}
	if _, err = b.awaitGone(crowdQueue); err != nil {
		return 0, l, err
	}
	l, err = w.end(b.ctx)
	return float64(n) / time.UnixMicro(h.Last).Sub(first).Seconds(), l, err
}

func (b *bench) serveCrowd(c crowdCase, n int) (server, error) {
	if c.who == jar {
		return b.serveJar(crowdQueue, c.processes, jarThreads, n)
	}
	return b.serveOurs(role{URL: b.srv.URL(), Queue: crowdQueue, View: c.view, Workers: burstWorkers}, c.processes)
}
