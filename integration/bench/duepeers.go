package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

const (
	asynqWho    = "asynq"
	peersQueue  = "peers"
	peersFlight = 256 // offers at a time of offerAsync
)

// dueSides are all of them, in the order of the table.
var dueSides = []string{ours, asynqWho, bullName, jar}

// duePeer is a queue whose messages are offered for one instant and handled from it on.
type duePeer struct {
	name  string
	serve func(n int, due time.Time) (server, error)
	offer func(n int, due time.Time) (float64, error) // offers a second
}

// duePeers are the sides in the order of a round.
func (b *bench) duePeers() []duePeer {
	return []duePeer{
		{ours, b.serveDue, b.offerDue},
		{asynqWho, b.serveAsynq, b.offerAsynq},
		{bullName, b.serveBull, b.offerBull},
		{jar, b.serveJarDue, b.offerJarDue},
	}
}

// delayedPeers is what the part found, by the name of the side.
type delayedPeers struct {
	offers      series // a second
	first, last series // seconds from the due instant until that handler began
	between     series // seconds from the first to the last one
	early       map[string]int64
	node        string // BullMQ and what it runs on
}

// peersDelayed lets messages fall due together on each side in turn. The round before the
// first one is short, and warms up.
func (b *bench) peersDelayed() (*delayedPeers, error) {
	bull, err := b.bullmq()
	if err != nil {
		return nil, err
	}
	b.progress("peers, delayed: warming Java up")
	for range 2 { // as many as are measured: the compiler needs them
		if _, err = b.offerAsync(peersQueue, b.plan.peerMessages, peersFlight); err != nil {
			return nil, fmt.Errorf("warm Java up: %w", err)
		}
	}
	r := &delayedPeers{offers: series{}, first: series{}, last: series{}, between: series{}, early: map[string]int64{}, node: bull.hello}
	for round := range b.plan.peerRounds + 1 {
		b.progress("peers, delayed, round %d of %d", round, b.plan.peerRounds)
		n := b.plan.peerMessages
		if round == 0 {
			n /= 10
		}
		for _, who := range b.duePeers() {
			b.quiet()
			f, err := b.fallDue(who, n, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", who.name, err)
			}
			b.detail("%-10s %9.0f offers/s, first after %.3f s, last after %.3f s, %d early", who.name, f.offers, f.first, f.last, f.early)
			r.early[who.name] += f.early
			if round > 0 {
				r.add(who.name, f)
			}
		}
	}
	return r, nil
}

// dueFound is what one measurement found.
type dueFound struct {
	offers      float64 // a second
	first, last float64 // s; the first is 0 where it is not noted
	early       int64
}

func (r *delayedPeers) add(name string, f dueFound) {
	r.offers.add(name, f.offers)
	r.last.add(name, f.last)
	if f.first != 0 {
		r.first.add(name, f.first)
		r.between.add(name, f.last-f.first)
	}
}

func (b *bench) fallDue(who duePeer, n, round int) (f dueFound, err error) {
	err = b.intime(func() (err error) {
		f, err = b.fallDueOnce(who, n, round)
		return err
	})
	return f, err
}

// fallDueOnce starts the handlers first: an idle process waits, as in the burst.
func (b *bench) fallDueOnce(who duePeer, n, round int) (f dueFound, err error) {
	if err = b.clean(); err != nil {
		return f, fmt.Errorf("clean Redis: %w", err)
	}
	due := b.dueInstant(n, round)
	s, err := who.serve(n, due)
	if err != nil {
		return f, fmt.Errorf("connect the handlers: %w", err)
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err = s.start(); err != nil {
		return f, fmt.Errorf("start the handlers: %w", err)
	}
	if f.offers, err = who.offer(n, due); err != nil {
		return f, fmt.Errorf("offer: %w", err)
	}
	if err = s.rest(); err != nil {
		return f, fmt.Errorf("come to rest: %w", err)
	}
	if time.Now().After(due) {
		return f, errLate
	}
	h, err := s.await(n)
	if err != nil {
		return f, fmt.Errorf("await %d messages: %w", n, err)
	}
	f.last, f.early = time.UnixMicro(h.Last).Sub(due).Seconds(), h.Early
	if h.First != 0 {
		f.first = time.UnixMicro(h.First).Sub(due).Seconds()
	}
	return f, nil
}

// dueInstant leaves time for the slowest offers, and for a client of Redisson to start and
// to shut down. It is a whole second, since asynq knows no other. Rounds are spread over the time in which
// asynq looks once: its server starts so long before that it would always look just before
// the messages are due, or always just after.
func (b *bench) dueInstant(n, round int) time.Time {
	ahead := time.Duration(b.slowness) * (6*time.Second + time.Duration(n)*200*time.Microsecond)
	ahead += time.Duration(round%b.plan.peerRounds) * asynqLooks / time.Duration(b.plan.peerRounds)
	return time.Now().Add(ahead).Truncate(time.Second).Add(time.Second)
}

func (b *bench) serveDue(_ int, due time.Time) (server, error) {
	return b.serveOurs(role{URL: b.srv.URL(), Queue: peersQueue, View: registry.ViewExact, Workers: burstWorkers, Due: due.UnixMicro()}, 1)
}

func (b *bench) offerDue(n int, due time.Time) (float64, error) {
	return b.offerBulk(n, textsIn(peersQueue, registry.ViewExact), framework.Item[string]{At: due}, 1)
}

func (b *bench) serveJarDue(n int, _ time.Time) (server, error) {
	return b.serveJar(peersQueue, 1, jarThreads, n)
}

// offerJarDue sets the due times afterwards: Redisson's offers know delays alone, which
// would spread the messages over the time that offering takes.
func (b *bench) offerJarDue(n int, due time.Time) (float64, error) {
	rate, err := b.offerAsync(peersQueue, n, peersFlight)
	if err != nil {
		return 0, err
	}
	timeout, _, _ := keysOf(peersQueue)
	elements, err := b.rdb.ZRange(b.ctx, timeout, 0, -1).Result()
	if err != nil {
		return 0, fmt.Errorf("read what Redisson offered: %w", err)
	}
	if len(elements) != n {
		return 0, fmt.Errorf("%d of %d messages of Redisson are pending", len(elements), n)
	}
	pipe := b.rdb.Pipeline()
	for _, element := range elements {
		pipe.ZAddXX(b.ctx, timeout, redis.Z{Score: float64(due.UnixMilli()), Member: element})
	}
	if _, err = pipe.Exec(b.ctx); err != nil {
		return 0, fmt.Errorf("set the due times of Redisson's messages: %w", err)
	}
	if err = announce(b.ctx, b.rdb, peersQueue, due.UnixMilli()); err != nil {
		return 0, fmt.Errorf("announce the due time: %w", err)
	}
	return rate, nil
}

func (r *delayedPeers) goals() []goal {
	return []goal{atMost("beside peers: early", float64(r.early[ours]), 0)}
}

func (r *delayedPeers) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `%s messages due at one instant, for which one idle process waits, and a handler that does nothing: duequeue, asynq and BullMQ (%s) with %d at a time, Redisson with an RDelayedQueue and %d take() loops; all else as each has it by default. asynq looks for what is due every five seconds, and its idle workers look for what that brought every second: the due instants of the rounds are spread over these five seconds, and from the first handler to the last is what its work takes. Offers by each side's best way, with the handlers waiting, timed from the end of the first tenth: OfferAll in ten calls, asynq's Enqueue from %d goroutines, BullMQ's addBulk of up to 1,000, Redisson's offerAsync with %d at a time, whose due times are set afterwards to the same instant. "Begins" is from the due instant to the start of that handler, or to the return of the last take(). Each × duequeue is the side's figure by that of duequeue: of offers more is better, of seconds less. Median of %d rounds (lowest … highest); early: all rounds.

`, count(p.peerMessages), r.node, burstWorkers, jarThreads, asynqProducers, peersFlight, p.peerRounds)
	table(w, "", "offers/s", "× duequeue", "first one begins after, s", "last one begins after, s", "× duequeue", "from first to last, s", "early")
	for _, name := range dueSides {
		early := "–"
		if len(r.first[name]) > 0 {
			early = strconv.FormatInt(r.early[name], 10)
		}
		row(w, name, r.offers.spread(name), figure(r.offers.ratio(name, ours)), r.first.spread(name),
			r.last.spread(name), figure(r.last.ratio(name, ours)), r.between.spread(name), early)
	}
	w.WriteString("\n")
}
