package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// longestScript is how long one script may hold Redis, ms.
const longestScript = 10

// patientScripts keeps Redis from answering BUSY, and so from disturbing others, where a
// script takes more than 5 s: a hundred LREMs may on a slow machine.
var patientScripts = lab.Args("--lua-time-limit", "0")

// pendings is what the series found, by pendingName.
type pendings struct {
	sizes     []int
	micros    series // of scripts per message
	longest   series // ms
	scripts   series // of a measurement
	oneLREM   series // µs, mean
	moved     map[string]int
	breakdown map[string]string // of the last round
}

func pendingName(who string, size int) string { return fmt.Sprintf("%s, %s pending", who, count(size)) }

// transferrer moves due messages of one queue, and nobody takes them.
type transferrer struct {
	who  string
	view registry.ViewMode
}

func transferrers() []transferrer {
	var all []transferrer
	for _, v := range views {
		all = append(all, transferrer{viewName(v), v})
	}
	return append(all, transferrer{who: jar})
}

func (t transferrer) queue() string {
	if t.who == jar {
		return "pending-jar"
	}
	return "pending-" + t.view.String()
}

// share is how many messages fall due in one measurement. Where each one costs a walk
// of the list few must do; Redisson moves a hundred in one script.
func (t transferrer) share(size int) int {
	switch {
	case t.who != jar && !walks(t.view):
		return min(1000, size/20)
	case size > 100_000:
		return 100
	}
	return 200
}

// amongPending measures what a transfer costs where very many messages are pending in
// random order.
func (b *bench) amongPending() (*pendings, error) {
	r := &pendings{
		sizes: b.plan.pending, micros: series{}, longest: series{}, scripts: series{}, oneLREM: series{},
		moved: map[string]int{}, breakdown: map[string]string{},
	}
	for _, size := range r.sizes {
		if err := b.amongSize(r, size); err != nil {
			return nil, fmt.Errorf("%s pending: %w", count(size), err)
		}
	}
	return r, nil
}

func (b *bench) amongSize(r *pendings, size int) error {
	b.progress("transfers among %s pending: filling", count(size))
	data, err := b.captured()
	if err != nil {
		return err
	}
	srv, err := b.startServer(patientScripts) // of its own: emptying this one would take long
	if err != nil {
		return err
	}
	defer func() { _ = srv.Stop() }()
	// Redisson's script may hold Redis for seconds.
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = time.Minute })
	all := transferrers()
	later := time.Now().Add(captureSpread).UnixMilli()
	if err = data.fill(b.ctx, rdb, all[0].queue(), size, func(i int) int64 { return later + data.delays[i] }); err != nil {
		return err
	}
	for _, t := range all[1:] {
		if err = copyQueue(b, rdb, all[0].queue(), t.queue()); err != nil {
			return err
		}
	}
	for round := range b.plan.pendingRounds {
		b.progress("transfers among %s pending, round %d of %d", count(size), round+1, b.plan.pendingRounds)
		for _, t := range all {
			b.quiet()
			n := t.share(size)
			l, err := b.transfer(rdb, srv.URL(), t, n)
			if err != nil {
				return fmt.Errorf("%s: %w", t.who, err)
			}
			r.add(pendingName(t.who, size), l, n)
			b.detail("%-22s %9.2f µs per message, longest script %.1f ms, %.0f scripts", t.who,
				l.scripts.micros/float64(n), milliseconds(l.longest), l.scripts.calls)
		}
	}
	return nil
}

func (r *pendings) add(name string, l load, n int) {
	r.micros.add(name, l.scripts.micros/float64(n))
	r.longest.add(name, milliseconds(l.longest))
	r.scripts.add(name, l.scripts.calls)
	if one := l.commands["lrem"]; one.calls > 0 {
		r.oneLREM.add(name, one.micros/one.calls)
	}
	r.moved[name] = n
	r.breakdown[name] = l.perMessage(n, "zadd") // which made them due
}

// copyQueue copies the delayed structures of a queue to another one.
func copyQueue(b *bench, rdb *redis.Client, from, to string) error {
	fromTimeout, fromPending, _ := keysOf(from)
	toTimeout, toPending, _ := keysOf(to)
	return errors.Join(rdb.Copy(b.ctx, fromTimeout, toTimeout, 0, true).Err(), rdb.Copy(b.ctx, fromPending, toPending, 0, true).Err())
}

// transfer lets n messages fall due together, at different ms, and measures the scripts
// until all are on the ready list.
func (b *bench) transfer(rdb *redis.Client, url string, t transferrer, n int) (l load, err error) {
	if t.who == jar {
		if _, err = b.java.call("serve %s %s 1 0 0", url, t.queue()); err != nil {
			return l, err
		}
		defer func() {
			_, failed := b.java.call("serve-stop")
			err = errors.Join(err, failed)
		}()
		if _, err = b.java.call("serve-start"); err != nil {
			return l, err
		}
	} else {
		s, failed := open(b.ctx, url)
		if failed != nil {
			return l, failed
		}
		defer func() { err = errors.Join(err, s.close(b.ctx)) }()
		if err = s.run(b.ctx, framework.TransferOnly(textsIn(t.queue(), t.view))); err != nil {
			return l, err
		}
	}
	b.sleep(500 * time.Millisecond) // the first look at the queue, and the subscription
	before, err := rdb.LLen(b.ctx, t.queue()).Result()
	if err != nil {
		return l, err
	}
	w, err := watchLoad(b.ctx, rdb)
	if err != nil {
		return l, err
	}
	if err = makeDue(b, rdb, t.queue(), n); err != nil {
		return l, err
	}
	if err = awaitLength(b, rdb, t.queue(), before+int64(n)); err != nil {
		return l, err
	}
	return w.end(b.ctx)
}

// makeDue moves the due times of the first n messages to the last n ms, and announces it.
func makeDue(b *bench, rdb *redis.Client, queue string, n int) error {
	timeout, _, channel := keysOf(queue)
	heads, err := rdb.ZRange(b.ctx, timeout, 0, int64(n)-1).Result()
	if err != nil {
		return err
	}
	first := time.Now().UnixMilli() - int64(n)
	moved := make([]redis.Z, len(heads))
	for i, element := range heads {
		moved[i] = redis.Z{Score: float64(first + int64(i)), Member: element}
	}
	_, err = rdb.TxPipelined(b.ctx, func(p redis.Pipeliner) error {
		p.ZAddXX(b.ctx, timeout, moved...)
		p.Publish(b.ctx, channel, first)
		return nil
	})
	return err
}

// awaitLength waits until a list has grown to n.
func awaitLength(b *bench, rdb *redis.Client, key string, n int64) error {
	return b.until(patience, 2*time.Millisecond, func() (bool, error) {
		length, err := rdb.LLen(b.ctx, key).Result()
		return length >= n, err
	})
}

func (r *pendings) goals() []goal {
	const big = 500_000
	var all []goal
	for _, v := range []registry.ViewMode{registry.ViewLazy, registry.ViewOff} {
		if slices.Contains(r.sizes, big) {
			name := pendingName(viewName(v), big)
			all = append(all, atLeast("transfer, "+name+": Redisson's time in Redis per message ÷ ours",
				r.micros.ratio(pendingName(jar, big), name), 500).about(name))
		}
	}
	for _, v := range views {
		for _, size := range r.sizes {
			if walks(v) && size >= big {
				continue // a single LREM takes longer, which is reported
			}
			name := pendingName(viewName(v), size)
			all = append(all, longestScriptGoal("transfer, "+name, r.longest[name]).about(name))
		}
	}
	return all
}

// walks reports whether each message of a view costs a walk of the list.
func walks(v registry.ViewMode) bool { return v == registry.ViewExact || v == registry.ViewOrdered }
