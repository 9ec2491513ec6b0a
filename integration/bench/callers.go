package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// callerCounts are how many offer at the same time, each one message after the other, and
// how many times as fast as Redisson's threads ours should be.
var callerCounts = []struct {
	n    int
	want float64
}{{1, 1.2}, {8, 2}, {64, 5}, {256, 6}}

// Who offers.
const (
	together    = "duequeue"                                  // goroutines with one client
	apart       = "duequeue, a client for each"               // one script for each offer, as without gathering
	keyed       = "duequeue, each with a key"                 // a key of its own
	keyedApart  = "duequeue, a client for each, with a key"   // so one script for each
	differ      = "duequeue, each with a due time of its own" // no two due at one ms
	jarTogether = "Redisson, threads with one RDelayedQueue"
)

// callers is what the part found, by [callersName].
type callers struct {
	rates, cpu, own series // a second; µs of Redis and of this process for each offer
	p50, p99        series // ms
	profiles        []callersProfile
}

// callersProfile says where the time goes with so many callers.
type callersProfile struct {
	callers int
	text    string
}

func callersName(who string, n int) string { return fmt.Sprintf("%s, %d", who, n) }

// offeringTogether offers from several goroutines or threads, ours and the jar's in turn. The
// round before the first one warms up.
func (b *bench) offeringTogether() (*callers, error) {
	r := &callers{rates: series{}, cpu: series{}, own: series{}, p50: series{}, p99: series{}}
	for round := range b.plan.callerRounds + 1 {
		b.quiet()
		b.progress("callers, round %d of %d", round, b.plan.callerRounds)
		for _, count := range callerCounts {
			for _, who := range callersOf(count.n) {
				var took latencies
				n := b.plan.callerOffers * min(count.n, 8)
				rate, cpu, own, err := b.compete(contestant{n: n, run: func(n int) (rate float64, err error) {
					rate, took, err = b.offerTogether(who, n, count.n)
					return rate, err
				}})
				name := callersName(who, count.n)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				b.detail("%-50s %9.0f/s, p50 %6.3f ms, p99 %6.3f ms, %6.2f µs of Redis, %6.2f of this process", name, rate, took.p50, took.p99, cpu, own)
				if round > 0 {
					r.rates.add(name, rate)
					r.cpu.add(name, cpu)
					r.own.add(name, own)
					r.p50.add(name, took.p50)
					r.p99.add(name, took.p99)
				}
			}
		}
	}
	return r, b.profileCallers(r)
}

// profileCallers runs our side once more with the profiler on where a goal is missed, or
// for all numbers of callers when profiles are to be kept.
func (b *bench) profileCallers(r *callers) error {
	for i, g := range r.goals()[:len(callerCounts)] {
		if g.met && b.profiles == "" {
			continue
		}
		count := callerCounts[i].n
		b.progress("profile of %d callers", count)
		n := b.plan.callerOffers * min(count, 8)
		text, err := b.profiled(fmt.Sprintf("callers-%d", count), n, func() error {
			_, _, err := b.offerTogether(together, n, count)
			return err
		})
		if err != nil {
			return err
		}
		r.profiles = append(r.profiles, callersProfile{count, text})
	}
	return nil
}

// callersOf are those that are measured with so many callers.
func callersOf(n int) []string {
	if n == 64 {
		return []string{together, jarTogether, apart, keyed, keyedApart, differ}
	}
	return []string{together, jarTogether}
}

// latencies are of single offers, in ms.
type latencies struct{ p50, p99 float64 }

func (b *bench) offerTogether(who string, n, goroutines int) (float64, latencies, error) {
	if who == jarTogether {
		answer, err := b.java.call("offer-together %s list %d %d %d", b.srv.URL(), n, payloadBytes, goroutines)
		var rate float64
		var took latencies
		if err == nil {
			_, err = fmt.Sscan(answer, &rate, &took.p50, &took.p99)
		}
		return rate, took, err
	}
	sides := make([]*side, 1)
	if who == apart || who == keyedApart {
		sides = make([]*side, goroutines)
	}
	var err error
	for i := range sides {
		if err == nil {
			sides[i], err = open(b.ctx, b.srv.URL())
		}
	}
	var rate float64
	var took latencies
	if err == nil {
		rate, took, err = b.offerFrom(sides, who, n, goroutines)
	}
	for _, s := range sides {
		if s != nil {
			err = errors.Join(err, s.close(b.ctx))
		}
	}
	return rate, took, err
}

// offerFrom offers from goroutines, which share the clients.
func (b *bench) offerFrom(sides []*side, who string, n, goroutines int) (float64, latencies, error) {
	each := n / goroutines
	all := make([]time.Duration, each*goroutines)
	failed := make([]error, goroutines)
	runtime.GC()
	watch := newStopwatch(len(all))
	var callers sync.WaitGroup
	texts := textsIn("list", registry.ViewExact)
	for g := range goroutines {
		queue := framework.Bind(sides[g%len(sides)].client, texts)
		callers.Go(func() {
			for i := g * each; i < (g+1)*each && failed[g] == nil; i++ {
				began := time.Now()
				failed[g] = offerOne(b, queue, who, i)
				all[i] = time.Since(began)
				watch.hit()
			}
		})
	}
	callers.Wait()
	if err := errors.Join(failed...); err != nil {
		return 0, latencies{}, err
	}
	rate, err := watch.rate(b.ctx)
	slices.Sort(all)
	return rate, latencies{milliseconds(all[len(all)/2]), milliseconds(all[len(all)*99/100])}, err
}

func offerOne(b *bench, queue *framework.Queue[string], who string, i int) error {
	delay := time.Hour
	var options []framework.OfferOption
	switch who {
	case keyed, keyedApart:
		options = append(options, framework.Key(strconv.Itoa(i)))
	case differ:
		delay += time.Duration(i%1000) * time.Second
	}
	_, err := queue.Offer(b.ctx, textValue(i), delay, options...)
	return err
}

func (r *callers) goals() []goal {
	var all []goal
	for _, c := range callerCounts {
		all = append(all, atLeast(fmt.Sprintf("%d callers: offers a second ÷ Redisson's", c.n),
			r.rates.ratio(callersName(together, c.n), callersName(jarTogether, c.n)), c.want).because("%s", r.costs(c.n)))
	}
	return append(all,
		atMost("64 callers: p99 ÷ that of one script for each offer", r.p99.ratio(callersName(together, 64), callersName(apart, 64)), 0.5),
		atMost("64 callers with keys: Redis's time per offer ÷ that of one script for each", r.cpu.ratio(callersName(keyed, 64), callersName(keyedApart, 64)), 0.6))
}

// costs says what an offer takes of the two processes that share the cores.
func (r *callers) costs(n int) string {
	name := callersName(together, n)
	return sharing("an offer", r.own.median(name), r.cpu.median(name)) + fmt.Sprintf("; Redisson's takes %s µs of Redis", figure(r.cpu.median(callersName(jarTogether, n))))
}

func (r *callers) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `Goroutines, or threads of Redisson, that offer at the same time to one queue through one client, each one message after the other: strings of %d bytes, due in an hour. duequeue by its public API with metrics, and with tracing of every tenth offer. %d offers by one caller, %d by many; timed from the end of the first tenth; p50 and p99 of all offers. "A client for each" has its own connection and script for each offer, which is what all offers were before they gathered. Median of %d rounds (lowest … highest).

`, payloadBytes, p.callerOffers, 8*p.callerOffers, p.callerRounds)
	table(w, "callers", "", "offers/s", "× Redisson", "p50, ms", "p99, ms", "µs of Redis per offer", "µs of the Go process per offer")
	for _, c := range callerCounts {
		for _, who := range callersOf(c.n) {
			name := callersName(who, c.n)
			own := figure(r.own.median(name))
			if who == jarTogether {
				own = "–"
			}
			row(w, strconv.Itoa(c.n), who, r.rates.spread(name), figure(r.rates.ratio(name, callersName(jarTogether, c.n))),
				r.p50.spread(name), r.p99.spread(name), figure(r.cpu.median(name)), own)
		}
	}
	w.WriteString("\n")
	for _, p := range r.profiles {
		fmt.Fprintf(w, "%d callers, CPU profile of the Go process. %s\n\n", p.callers, fenced(p.text))
	}
}
