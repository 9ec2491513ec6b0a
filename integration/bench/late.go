package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

const (
	ours = "duequeue"
	jar  = "Redisson"
	// ping is what this machine makes of the least there is: a timer, and one question to Redis.
	ping = "timer and PING"
)

// late is what part b found, by rate.
type late struct {
	p50, p99, cpu series // by lateName, in ms; cpu in µs of Redis per message
	scripts       series // per message
	max           map[string]float64
	early, count  map[string]int
}

func lateName(who string, rate int) string { return fmt.Sprintf("%s %d/s", who, rate) }

// lateness lets messages fall due at each rate, on our side and on the jar's in turn.
func (b *bench) lateness() (*late, error) {
	l := &late{p50: series{}, p99: series{}, cpu: series{}, scripts: series{}, max: map[string]float64{}, early: map[string]int{}, count: map[string]int{}}
	b.progress("lateness: warming Java up")
	if _, err := b.lateJar(1000, 2000); err != nil {
		return nil, err
	}
	for round := range b.plan.lateRounds {
		for _, rate := range rates {
			b.quiet()
			b.progress("lateness at %d/s, round %d of %d", rate, round+1, b.plan.lateRounds)
			n := rate * b.plan.lateSeconds[rate]
			for _, who := range []struct {
				name    string
				measure func(rate, n int) (observed, error)
			}{{ours, b.lateOurs}, {jar, b.lateJar}, {ping, b.latePing}} {
				began := time.Now()
				o, err := who.measure(rate, n)
				if err != nil {
					return nil, fmt.Errorf("%s at %d/s: %w", who.name, rate, err)
				}
				l.add(lateName(who.name, rate), o)
				b.detail("%-12s p50 %.2f p99 %.2f max %.2f ms %.0f µs %.1f s in all", who.name, quantile(o.ms, 0.5),
					quantile(o.ms, 0.99), quantile(o.ms, 1), o.cpu, time.Since(began).Seconds())
			}
		}
	}
	return l, nil
}

// observed is what one measurement found.
type observed struct {
	ms           []float64 // late, of each message
	cpu, scripts float64   // µs of Redis, and scripts, per message, from the last offer to the last ack
}

func (l *late) add(name string, o observed) {
	ms := o.ms
	slices.Sort(ms)
	l.p50.add(name, quantile(ms, 0.5))
	l.p99.add(name, quantile(ms, 0.99))
	l.cpu.add(name, o.cpu)
	l.scripts.add(name, o.scripts)
	l.max[name] = max(l.max[name], ms[len(ms)-1])
	l.count[name] += len(ms)
	for _, v := range ms {
		if v >= 0 {
			break
		}
		l.early[name]++
	}
}

// lead is how long before the first due time the offering begins.
func lead(n int) time.Duration { return time.Second + time.Duration(n)*400*time.Microsecond }

// lateOurs measures our side once.
func (b *bench) lateOurs(rate, n int) (observed, error) {
	if err := b.clean(); err != nil {
		return observed{}, err
	}
	s, err := open(b.ctx, b.srv.URL())
	if err != nil {
		return observed{}, err
	}
	o, err := b.lateWith(s, rate, n)
	return o, errors.Join(err, s.close(b.ctx))
}

func (b *bench) lateWith(s *side, rate, n int) (observed, error) {
	started := make([]int64, n)
	watch := newStopwatch(n)
	note := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		now := time.Now().UnixMicro()
		i, err := strconv.Atoi(d.Payload[:8])
		if err != nil {
			return err
		}
		started[i] = now
		watch.hit()
		return nil
	})
	if err := s.run(b.ctx, framework.Consume(texts, note)); err != nil {
		return observed{}, err
	}
	if err := b.offerAll(s.client, rate, n); err != nil {
		return observed{}, err
	}
	return b.observe(texts.Key(), n, func() ([]int64, error) {
		_, err := watch.rate(b.ctx)
		return started, err
	})
}

// offerAll offers from several goroutines, nearly in the order of due times.
func (b *bench) offerAll(client *framework.Client, rate, n int) error {
	const producers = 8
	first := time.Now().Add(lead(n)).Truncate(time.Millisecond)
	errs := make([]error, producers)
	var running sync.WaitGroup
	for p := range producers {
		running.Go(func() {
			for i := p; i < n && errs[p] == nil; i += producers {
				due := first.Add(time.Duration(i) * time.Second / time.Duration(rate))
				_, errs[p] = framework.Bind(client, texts).OfferAt(b.ctx, textValue(i), due)
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// lateJar is lateOurs for Redisson: an RDelayedQueue and a take() loop.
func (b *bench) lateJar(rate, n int) (observed, error) {
	if err := b.clean(); err != nil {
		return observed{}, err
	}
	if _, err := b.java.call("late %s list %d %d %d %d", b.srv.URL(), n, rate, lead(n).Milliseconds(), payloadBytes); err != nil {
		return observed{}, err
	}
	o, err := b.observe("list", n, func() ([]int64, error) {
		text, err := b.java.call("late-await %d", int(patience.Seconds()))
		if err != nil {
			return nil, err
		}
		var taken []int64
		for part := range strings.SplitSeq(text, ",") {
			micros, err := strconv.ParseInt(part, 10, 64)
			if err != nil {
				return nil, err
			}
			taken = append(taken, micros)
		}
		return taken, nil
	})
	_, stopErr := b.java.call("late-stop")
	return o, errors.Join(err, stopErr)
}

// latePing is the least that lateOurs can be: it knows the due times, wakes at each and asks Redis
// once.
func (b *bench) latePing(rate, n int) (observed, error) {
	first := time.Now().Add(100 * time.Millisecond).Truncate(time.Millisecond)
	dues := make([]int64, n)
	for i := range dues {
		dues[i] = first.Add(time.Duration(i) * time.Second / time.Duration(rate)).UnixMilli()
	}
	return b.observeDues(dues, func() ([]int64, error) {
		answered := make([]int64, n)
		for i, due := range dues {
			b.sleep(time.Until(time.UnixMilli(due)))
			if err := b.rdb.Ping(b.ctx).Err(); err != nil {
				return nil, err
			}
			answered[i] = time.Now().UnixMicro()
		}
		return answered, nil
	})
}

// pinging asks the server again and again for as little as there is, until end is called: that
// returns how late each answer was, in ms, ascending.
func (b *bench) pinging(rdb redis.UniversalClient) (end func() []float64) {
	const every = 20 * time.Millisecond
	var ms []float64
	var over atomic.Bool
	var asking sync.WaitGroup
	asking.Go(func() {
		for !over.Load() && b.ctx.Err() == nil {
			due := time.Now().Add(every)
			b.sleep(every)
			if rdb.Ping(b.ctx).Err() == nil {
				ms = append(ms, milliseconds(time.Since(due)))
			}
		}
	})
	return func() []float64 {
		over.Store(true)
		asking.Wait()
		slices.Sort(ms)
		return ms
	}
}

// observe learns the due times from Redis, where both sides keep them the same way,
// waits for the times of handling and compares. All clocks are the machine's.
func (b *bench) observe(queue string, n int, wait func() ([]int64, error)) (observed, error) {
	dues, err := b.dues(queue, n)
	if err != nil {
		return observed{}, err
	}
	return b.observeDues(dues, wait)
}

func (b *bench) observeDues(dues []int64, wait func() ([]int64, error)) (observed, error) {
	w, err := watchLoad(b.ctx, b.rdb)
	if err != nil {
		return observed{}, err
	}
	handled, err := wait()
	if err != nil {
		return observed{}, err
	}
	b.sleep(30 * time.Millisecond) // the last acks
	l, err := w.end(b.ctx)
	if err != nil {
		return observed{}, err
	}
	n := float64(len(dues))
	o := observed{ms: make([]float64, len(dues)), cpu: l.cpu / n, scripts: l.scripts.calls / n}
	for i := range o.ms {
		o.ms[i] = float64(handled[i]-dues[i]*1000) / 1000
	}
	return o, nil
}

// dues reads when each message is due, in ms. Elements of all layouts end with the payload.
func (b *bench) dues(queue string, n int) ([]int64, error) {
	all, err := b.rdb.ZRangeWithScores(b.ctx, "redisson_delay_queue_timeout:{"+queue+"}", 0, -1).Result()
	if err != nil {
		return nil, err
	}
	if len(all) != n {
		return nil, fmt.Errorf("%d of %d messages were pending when the offering ended: it took too long", len(all), n)
	}
	dues := make([]int64, n)
	for _, z := range all {
		element := z.Member.(string)
		payload := element[len(element)-payloadBytes:]
		i, err := strconv.Atoi(payload[:8])
		if err != nil || i >= n {
			return nil, fmt.Errorf("strange element %q", element)
		}
		dues[i] = int64(z.Score)
	}
	return dues, nil
}
