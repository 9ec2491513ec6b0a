package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// queue is one examination of a queue.
type queue struct {
	rdb     redis.UniversalClient
	keys    redisson.Keys
	options Options
	now     time.Time // of Redis
	counts  redisson.QueueCounts
	found   []Finding
}

func (q *queue) add(f Finding) *Finding {
	f.Queue = q.options.Name
	q.found = append(q.found, f)
	return &q.found[len(q.found)-1]
}

func (q *queue) run(ctx context.Context) error {
	counts, err := redisson.Counts(ctx, q.rdb, q.keys)
	var wrong *redisson.WrongTypeError
	if errors.As(err, &wrong) {
		q.wrongType(wrong.Key, wrong.Got, wrong.Want)
		return nil
	}
	if err != nil {
		return err
	}
	q.counts, q.now = counts, time.UnixMicro(counts.NowUs)
	for _, check := range []func(context.Context) error{
		q.records, q.twins, q.scores, q.overdue, q.listeners, q.ready, q.long, q.sessions, q.dead, q.view, q.layouts, q.list,
	} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (q *queue) wrongType(key, got, want string) {
	q.add(Finding{
		Check: "type", Severity: Error,
		Message: fmt.Sprintf("key %q holds a %s, not a %s: scripts refuse it, and offers or handlers stand still", key, got, want),
		Advice:  "find out who else uses this name; rename that key or the queue",
	})
}

// records looks at the keys beside the messages: scripts refuse them, too. What the
// counts are of was met already.
func (q *queue) records(ctx context.Context) error {
	keys := []string{q.keys.Attempts, q.keys.Due, q.keys.Trace}
	types := make([]*redis.StatusCmd, len(keys))
	pipe := q.rdb.Pipeline()
	for i, key := range keys {
		types[i] = pipe.Type(ctx, key)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return redisson.Classify("TYPE", err)
	}
	for i, key := range keys {
		if got := types[i].Val(); got != "none" && got != "hash" {
			q.wrongType(key, got, "hash")
		}
	}
	return nil
}

// twins looks for a queue whose name differs only by braces: Redisson gives both the
// same delayed structures, and each transfers the other's messages to its own list.
func (q *queue) twins(ctx context.Context) error {
	name := q.keys.Queue
	twin := "{" + name + "}"
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		twin = name[1 : len(name)-1]
	}
	if redisson.KeysOf(twin).Timeout != q.keys.Timeout {
		return nil
	}
	n, err := q.rdb.LLen(ctx, twin).Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return nil // somebody's key of that name, no queue
	}
	if err != nil || n == 0 {
		return redisson.Classify("LLEN", err)
	}
	q.add(Finding{
		Check: "twins", Severity: Error, Count: n,
		Message: fmt.Sprintf("%d messages are ready under the name %q, which shares its delayed messages with %q", n, twin, name),
		Advice:  "let all services use one spelling of the name: each transfers the other's messages into its own list",
	})
	return nil
}

// scores looks for due times that no clock reaches.
func (q *queue) scores(ctx context.Context) error {
	far := strconv.FormatInt(q.now.Add(farAfter).UnixMilli(), 10)
	beyond := strconv.FormatInt(redisson.MaxDueMs, 10)
	pipe := q.rdb.Pipeline()
	negative := pipe.ZCount(ctx, q.keys.Timeout, "-inf", "(0")
	never := pipe.ZCount(ctx, q.keys.Timeout, beyond, "+inf")
	later := pipe.ZCount(ctx, q.keys.Timeout, far, "("+beyond)
	if _, err := pipe.Exec(ctx); err != nil {
		return redisson.Classify("ZCOUNT", err)
	}
	if n := negative.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: Error, Count: n,
			Message: fmt.Sprintf("%d messages have a negative due time (a delay that overflowed): no Redisson ever transfers them", n),
			Advice:  "a Go consumer of the queue moves them to the dead store; mend the producer's delay",
		})
	}
	if n := never.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: Error, Count: n,
			Message: fmt.Sprintf("%d messages have a due time at or beyond 2^53 ms: they are never due", n),
			Advice:  "cancel them, and mend the producer's delay",
		})
	}
	if n := later.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: Warning, Count: n,
			Message: fmt.Sprintf("%d messages are due in more than ten years", n),
			Advice:  "look for a producer that gives seconds where milliseconds are meant, or the reverse",
		})
	}
	return nil
}

// overdue tells of messages that should have been transferred.
func (q *queue) overdue(ctx context.Context) error {
	due := q.counts.NextDueMs
	if q.counts.Overdue == 0 || due < 0 {
		return nil
	}
	late := q.now.Sub(time.UnixMilli(due))
	if late < lateAfter {
		return nil
	}
	severity := Error
	advice := "start a service that handles the queue: Go transfers by itself, Java as long as some service has called getDelayedQueue on it"
	if n, err := q.subscribers(ctx); err == nil && n > 0 {
		advice = "services do listen: look for elements that stop Redisson (mixed layouts), or for a transfer that cannot keep up (see views)"
		if q.counts.Ready >= redisson.FullReady(q.options.View) {
			severity = Warning
			advice = fmt.Sprintf("%d messages are ready: consumers are slower than messages come, and Go leaves the rest where it can still be cancelled; more workers or processes", q.counts.Ready)
		}
	}
	q.add(Finding{
		Check: "overdue", Severity: severity, Count: q.counts.Overdue,
		Message: fmt.Sprintf("%d messages are due and not transferred, the oldest for %v", q.counts.Overdue, late.Round(time.Second)),
		Advice:  advice,
	})
	return nil
}

// listeners looks for a queue that nobody transfers.
func (q *queue) listeners(ctx context.Context) error {
	if q.counts.Delayed == 0 {
		return nil
	}
	subscribed, err := q.subscribers(ctx)
	if err != nil {
		return redisson.Classify("PUBSUB", err)
	}
	if subscribed == 0 && q.counts.Sessions == 0 {
		q.add(Finding{
			Check: "listeners", Severity: Warning, Count: q.counts.Delayed,
			Message: fmt.Sprintf("%d messages are pending and nobody listens on the queue's channel", q.counts.Delayed),
			Advice:  "start a service that handles the queue, or they will be late",
		})
	}
	return nil
}

// subscribers counts who listens on the channel: on a Cluster at all nodes, since each
// knows its own clients only.
func (q *queue) subscribers(ctx context.Context) (int64, error) {
	cluster, ok := q.rdb.(*redis.ClusterClient)
	if !ok {
		n, err := q.rdb.PubSubNumSub(ctx, q.keys.Channel).Result()
		return n[q.keys.Channel], err
	}
	var all atomic.Int64
	err := cluster.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error {
		n, err := node.PubSubNumSub(ctx, q.keys.Channel).Result()
		all.Add(n[q.keys.Channel])
		return err
	})
	return all.Load(), err
}

// ready tells of a list that grows because consumers are too slow.
func (q *queue) ready(context.Context) error {
	if q.counts.Ready > longReady {
		q.add(Finding{
			Check: "ready", Severity: Warning, Count: q.counts.Ready,
			Message: fmt.Sprintf("%d messages are ready and wait for consumers", q.counts.Ready),
			Advice:  "raise Workers, start more consumers, or look why handlers are slow",
		})
	}
	return nil
}

// long tells of a list that is walked too often. Redisson walks it for each of up to 100
// messages of a transfer: measured, 0.18 s at 100,000 entries and 1.6 s at a million
// where due times are in another order than offers.
func (q *queue) long(context.Context) error {
	n := q.counts.View
	if n <= longView {
		return nil
	}
	hold := time.Duration(n) * 1700 * time.Nanosecond
	q.add(Finding{
		Check: "long", Severity: Warning, Count: n,
		Message: fmt.Sprintf("%d entries are in Java's list of pending messages: where due times are mixed, each transfer by Redisson holds Redis for about %v, and in Go exact views transfer a few at a time",
			n, hold.Round(100*time.Millisecond)),
		Advice: "declare registry.View(registry.ViewLazy) or ViewOff where Java neither lists nor cancels, ViewOnePass or ViewUnordered where it does; or spread the messages over several queues",
	})
	return nil
}

// sessions tells of consumers that died with messages which nobody gives back.
func (q *queue) sessions(ctx context.Context) error {
	ended := strconv.FormatInt(q.now.Add(-endedAfter).UnixMilli(), 10)
	n, err := q.rdb.ZCount(ctx, q.keys.Sessions, "-inf", ended).Result()
	if err != nil || n == 0 {
		return redisson.Classify("ZCOUNT", err)
	}
	q.add(Finding{
		Check: "sessions", Severity: Error, Count: n,
		Message: fmt.Sprintf("%d Go consumers ended without giving back what they held, and nobody does it for them", n),
		Advice:  "start any Go service that handles this queue: it returns their messages to the head within seconds",
	})
	return nil
}

// dead tells of messages that were given up: nothing deletes them unless the queue's
// declaration says so.
func (q *queue) dead(ctx context.Context) error {
	if q.counts.Dead == 0 {
		return nil
	}
	message := fmt.Sprintf("%d messages are in the dead store", q.counts.Dead)
	oldest, err := q.rdb.XRangeN(ctx, q.keys.Dead, "-", "+", 1).Result()
	if err != nil {
		return redisson.Classify("XRANGE", err)
	}
	if len(oldest) == 1 {
		ms, _, _ := strings.Cut(oldest[0].ID, "-")
		if at, err := strconv.ParseInt(ms, 10, 64); err == nil {
			message += ", the oldest since " + time.UnixMilli(at).UTC().Format(time.DateTime) + " UTC"
		}
	}
	advice := fmt.Sprintf("duequeue dead list %q; mend the cause, then redrive or drop them", q.options.Name)
	if q.counts.Dead > manyDead {
		message += ": all of them are kept in the memory of Redis"
		advice += " (export keeps them elsewhere), or declare registry.DeadLimit or DeadAge"
	}
	q.add(Finding{Check: "dead", Severity: Warning, Count: q.counts.Dead, Message: message, Advice: advice})
	return nil
}

// manyDead is how many dead messages are too many to keep without asking.
const manyDead = 1000

// view refuses a view that answers Java's cancellations wrongly.
func (q *queue) view(context.Context) error {
	if !q.options.JavaCancels || q.options.View.Exact() {
		return nil
	}
	q.add(Finding{
		Check: "view", Severity: Error,
		Message: fmt.Sprintf("Java cancels messages of this queue, and its view is %q: Java's remove and poll may take a message that was delivered, or miss one that is pending", q.options.View),
		Advice:  "declare the queue with registry.View(registry.ViewExact)",
	})
	return nil
}

// layouts looks for elements that some Redissons cannot read.
func (q *queue) layouts(ctx context.Context) error {
	if q.counts.Delayed == 0 {
		return nil
	}
	if q.counts.Delayed > q.options.Walk {
		q.tooLong("layouts", q.counts.Delayed)
		return nil
	}
	n, err := redisson.Migrate(ctx, q.rdb, q.keys, redisson.MigrateArgs{DryRun: true})
	if err != nil {
		return err
	}
	if n.Malformed > 0 {
		q.add(Finding{
			Check: "malformed", Severity: Error, Count: n.Malformed,
			Message: fmt.Sprintf("%d pending elements fit no layout: when they fall due, every Redisson fails on them and repeats what it had moved", n.Malformed),
			Advice:  "run a Go consumer on the queue before they are due: it moves them to the dead store; find out who writes them",
		})
	}
	if n.Old > 0 && n.New+n.Other > 0 {
		q.add(Finding{
			Check: "layouts", Severity: Error, Count: n.Foreign(),
			Message: fmt.Sprintf("%d pending elements are of Redisson up to 3.21.0 and %d of 3.21.1 or later: neither reads the other's", n.Old, n.New+n.Other),
			Advice:  fmt.Sprintf("duequeue migrate -layout %q, with -follow as long as both run", q.options.Name),
		})
	}
	return nil
}

func (q *queue) tooLong(check string, n int64) {
	q.add(Finding{
		Check: check, Severity: Info, Count: n,
		Message: fmt.Sprintf("%d elements, of which at most %d are looked at: not checked", n, q.options.Walk),
		Advice:  "raise the bound (-walk) where Redis has time for it: about 20 µs for each element",
	})
}
