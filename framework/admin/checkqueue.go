package admin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/control"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/migrate"
	"github.com/duequeue/duequeue/framework/internal/presence"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/subscribe"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// queue is one examination of a queue.
type queue struct {
	rdb     redisapi.Client
	keys    wire.Keys
	name    string // what Java and the command line call it
	options DiagnoseOptions
	kept    delayed.View // how Go keeps Java's list
	now     time.Time    // of Redis
	counts  delayed.QueueCounts
	found   []Finding
}

func (q *queue) add(f Finding) *Finding {
	f.Queue = q.name
	q.found = append(q.found, f)
	return &q.found[len(q.found)-1]
}

func (q *queue) run(ctx context.Context) error {
	counts, err := delayed.Counts(ctx, q.rdb, q.keys)
	var wrong *fault.WrongTypeError
	if errors.As(err, &wrong) {
		q.wrongType(wrong.Key, wrong.Got, wrong.Want)
		return nil
	}
	if err != nil {
		return err
	}
	q.counts, q.now = counts, time.UnixMicro(counts.NowUs)
	for _, check := range []func(context.Context) error{
		q.absent, q.records, q.expires, q.twins, q.scores, q.control, q.intake, q.overdue, q.listeners, q.ready, q.long, q.sessions, q.dead, q.view, q.layouts, q.list,
	} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (q *queue) wrongType(key, got, want string) {
	q.add(Finding{
		Check: "type", Severity: SeverityError,
		Message: fmt.Sprintf("key %q holds a %s, not a %s: scripts refuse it, and offers or handlers stand still", key, got, want),
		Advice:  "find out who else uses this name; rename that key or the queue",
	})
}

// records looks at the types of the keys beside the messages: scripts refuse them, too.
// Of those that the counts are of, a wrong one was met already.
func (q *queue) records(ctx context.Context) error {
	wanted := append(q.keys.Typed(), wire.TypedKey{Key: q.keys.Control, Type: "hash"}, wire.TypedKey{Key: q.keys.Processes, Type: "hash"}, wire.TypedKey{Key: q.keys.Head, Type: "string"})
	types := make([]*redis.StatusCmd, len(wanted))
	pipe := q.rdb.Pipeline()
	for i, w := range wanted {
		types[i] = pipe.Type(ctx, w.Key)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return rediserr.Classify("TYPE", err)
	}
	for i, w := range wanted {
		if got := types[i].Val(); got != "none" && got != w.Type {
			q.wrongType(w.Key, got, w.Type)
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
	if wire.KeysOf(twin).Timeout != q.keys.Timeout {
		return nil
	}
	n, err := q.rdb.LLen(ctx, twin).Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return nil // somebody's key of that name, no queue
	}
	if err != nil || n == 0 {
		return rediserr.Classify("LLEN", err)
	}
	q.add(Finding{
		Check: "twins", Severity: SeverityError, Count: n,
		Message: fmt.Sprintf("%s ready under the name %q, which shares its delayed messages with %q", count(n, "message is", "messages are"), twin, name),
		Advice:  "let all services use one spelling of the name: each transfers the other's messages into its own list",
	})
	return nil
}

// scores looks for due times that no clock reaches.
func (q *queue) scores(ctx context.Context) error {
	far := strconv.FormatInt(q.now.Add(farAfter).UnixMilli(), 10)
	beyond := strconv.FormatInt(wire.MaxDueMs, 10)
	pipe := q.rdb.Pipeline()
	negative := pipe.ZCount(ctx, q.keys.Timeout, "-inf", "(0")
	never := pipe.ZCount(ctx, q.keys.Timeout, beyond, "+inf")
	later := pipe.ZCount(ctx, q.keys.Timeout, far, "("+beyond)
	if _, err := pipe.Exec(ctx); err != nil {
		return rediserr.Classify("ZCOUNT", err)
	}
	if n := negative.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: SeverityError, Count: n,
			Message: count(n, "message has", "messages have") + " a negative due time (a delay that overflowed): no Redisson ever transfers them",
			Advice:  "a Go consumer of the queue moves them to the dead store; fix the producer's delay",
		})
	}
	if n := never.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: SeverityError, Count: n,
			Message: count(n, "message has", "messages have") + " a due time at or beyond 2^53 ms: they are never due",
			Advice:  "cancel them, and fix the producer's delay",
		})
	}
	if n := later.Val(); n > 0 {
		q.add(Finding{
			Check: "scores", Severity: SeverityWarning, Count: n,
			Message: count(n, "message is", "messages are") + " due in more than ten years",
			Advice:  "look for a producer that gives seconds where milliseconds are meant, or the reverse",
		})
	}
	return nil
}

// control tells what operators have set, and what of it no process understands.
func (q *queue) control(ctx context.Context) error {
	s, now, err := control.Look(ctx, q.rdb, q.keys)
	if wrong := (*fault.WrongTypeError)(nil); errors.As(err, &wrong) {
		return nil // told already
	}
	if mistake := (*fault.ControlError)(nil); errors.As(err, &mistake) {
		q.add(Finding{
			Check: "control", Severity: SeverityError,
			Message: err.Error() + "; Go processes that start take nothing", Advice: "set it anew with duequeue pause, resume or limit",
		})
	} else if err != nil {
		return err
	}
	set := controlOf(q.name, s, now)
	if p := set.Pause; p != nil {
		q.add(Finding{
			Check: "control", Severity: SeverityWarning,
			Message: p.String() + "; " + JavaGoesOn, Advice: fmt.Sprintf("duequeue resume %q when the reason is gone", q.name),
		})
	}
	if l := set.Limit; l != nil {
		q.add(Finding{
			Check: "control", Severity: SeverityInfo,
			Message: fmt.Sprintf("operators bound each Go process: %d workers, %v messages a second (0: as declared); %s", l.Workers, l.Rate, l.Reason),
			Advice:  fmt.Sprintf("duequeue limit -off %q takes it back", q.name),
		})
	}
	return nil
}

// intake tells of Go processes that take nothing since payloads of another codec are ready.
func (q *queue) intake(ctx context.Context) error {
	all, err := presence.Read(ctx, q.rdb, q.keys)
	if wrong := (*fault.WrongTypeError)(nil); errors.As(err, &wrong) {
		return nil // told already
	}
	closed := int64(0)
	for _, p := range all {
		if p.Intake == string(health.IntakeClosed) && p.Reason == string(health.BecauseUndecodable) {
			closed++
		}
	}
	if closed > 0 {
		q.add(Finding{
			Check: "intake", Severity: SeverityError, Count: closed,
			Message: count(closed, "Go process takes", "Go processes take") + " nothing: ten payloads in a row were of another codec, and are at the head of the queue",
			Advice:  fmt.Sprintf("duequeue decode tells what they are: declare that codec, or codecs.AnyOf; or move them away: duequeue dead bury %q", q.name),
		})
	}
	return err
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
	severity := SeverityError
	advice := "start a service that handles the queue: Go transfers by itself, Java as long as some service has called getDelayedQueue on it"
	if n, err := subscribe.Count(ctx, q.rdb, q.keys.Channel); err == nil && n > 0 {
		advice = "services do listen: look for elements that stop Redisson (mixed layouts), or for a transfer that cannot keep up (see views)"
		if q.counts.Ready >= watch.FullReady {
			severity = SeverityWarning
			advice = count(q.counts.Ready, "message is", "messages are") + " ready: consumers are slower than messages come, and Go leaves the rest where it can still be cancelled; more workers or processes"
		}
	}
	q.add(Finding{
		Check: "overdue", Severity: severity, Count: q.counts.Overdue,
		Message: fmt.Sprintf("%s due and not transferred, the oldest for %v", count(q.counts.Overdue, "message is", "messages are"), late.Round(time.Second)),
		Advice:  advice,
	})
	return nil
}

// listeners looks for a queue that no process transfers. Sessions prove nothing: a process
// that died has one for a lease, and for ever where no process reaps.
func (q *queue) listeners(ctx context.Context) error {
	if q.counts.Delayed == 0 {
		return nil
	}
	subscribed, err := subscribe.Count(ctx, q.rdb, q.keys.Channel)
	if err != nil {
		return err
	}
	if subscribed == 0 {
		q.add(Finding{
			Check: "listeners", Severity: SeverityWarning, Count: q.counts.Delayed,
			Message: count(q.counts.Delayed, "message is", "messages are") + " pending and no process listens on the queue's channel",
			Advice:  "start a service that handles or transfers the queue, or has Java call getDelayedQueue on it, or they will be late",
		})
	}
	return nil
}

// ready tells of a list that grows because consumers are too slow.
func (q *queue) ready(context.Context) error {
	if q.counts.Ready > longReady {
		q.add(Finding{
			Check: "ready", Severity: SeverityWarning, Count: q.counts.Ready,
			Message: count(q.counts.Ready, "message is", "messages are") + " ready and wait for consumers",
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
		Check: "long", Severity: SeverityWarning, Count: n,
		Message: fmt.Sprintf("%s in Java's list of pending messages: where due times are mixed, each transfer by Redisson holds Redis for about %v, and in Go the view exact moves few at a time until hundreds are overdue", count(n, "entry is", "entries are"), hold.Round(100*time.Millisecond)),
		Advice:  "let Go alone transfer, with registry.View(registry.ViewLazy) or ViewOff where Java neither lists nor cancels; or spread the messages over several queues",
	})
	return nil
}

// sessions tells of consumers that died, and of what they held. One whose lease is over
// gave no sign of life for as long. One whose lease holds is dead, or cut off, where no
// process listens on the channel: one that handles the queue always does.
func (q *queue) sessions(ctx context.Context) error {
	if q.counts.Sessions == 0 {
		return nil
	}
	held, err := lease.HeldBy(ctx, q.rdb, q.keys)
	if err != nil {
		return err
	}
	now := q.now.UnixMilli()
	var ended, living, stranded, inFlight, latest int64
	first := now
	for _, h := range held {
		if h.Ended(now) {
			ended, stranded, first = ended+1, stranded+h.Messages, min(first, h.DeadlineMs)
			continue
		}
		living, inFlight, latest = living+1, inFlight+h.Messages, max(latest, h.DeadlineMs)
	}
	ago := (time.Duration(now-first) * time.Millisecond).Round(time.Second)
	switch {
	case ended == 0:
	case ago < endedAfter && living > 0:
		q.add(Finding{
			Check: "sessions", Severity: SeverityWarning, Count: ended,
			Message: fmt.Sprintf("%s up to %v ago and held %s: not given back yet", count(ended, "Go consumer died", "Go consumers died"), ago, count(stranded, "message", "messages")),
			Advice:  "the Go services that live give them back within seconds: look again",
		})
	default:
		q.add(Finding{
			Check: "sessions", Severity: SeverityError, Count: ended,
			Message: fmt.Sprintf("%s up to %v ago without giving back what they held, %s, and no process does it for them", count(ended, "Go consumer ended", "Go consumers ended"), ago, count(stranded, "message", "messages")),
			Advice:  fmt.Sprintf("duequeue reap %q; or start any Go service that handles, transfers or offers to this queue: it returns their messages to the head", q.name),
		})
	}
	if living == 0 {
		return nil
	}
	// Who may not ask is told nothing here.
	if n, err := subscribe.Count(ctx, q.rdb, q.keys.Channel); err == nil && n == 0 {
		wait := (time.Duration(latest-now) * time.Millisecond).Round(time.Second)
		q.add(Finding{
			Check: "sessions", Severity: SeverityWarning, Count: living,
			Message: fmt.Sprintf("%s %s and none listens on the queue's channel: dead since less than a lease, or cut off", count(living, "Go consumer holds", "Go consumers hold"), count(inFlight, "message", "messages")),
			Advice:  fmt.Sprintf("where they are gone: duequeue reap -wait %q, which takes up to %v", q.name, wait),
		})
	}
	return nil
}

// dead tells of messages that were given up: nothing deletes them unless the queue's
// declaration says so.
func (q *queue) dead(ctx context.Context) error {
	if q.counts.Dead == 0 {
		return nil
	}
	message := count(q.counts.Dead, "message is", "messages are") + " in the dead store"
	oldest, err := q.rdb.XRangeN(ctx, q.keys.Dead, "-", "+", 1).Result()
	if err != nil {
		return rediserr.Classify("XRANGE", err)
	}
	if len(oldest) == 1 {
		ms, _, _ := strings.Cut(oldest[0].ID, "-")
		if at, err := strconv.ParseInt(ms, 10, 64); err == nil {
			message += ", the oldest since " + time.UnixMilli(at).UTC().Format(time.DateTime) + " UTC"
		}
	}
	advice := fmt.Sprintf("duequeue dead list %q; fix the cause, then redrive or drop them", q.name)
	if q.counts.Dead > manyDead {
		message += ": all of them are kept in the memory of Redis"
		advice += " (export keeps them elsewhere), or declare registry.DeadLimit or DeadAge"
	}
	q.add(Finding{Check: "dead", Severity: SeverityWarning, Count: q.counts.Dead, Message: message, Advice: advice})
	return nil
}

// manyDead is how many dead messages are too many to keep without asking.
const manyDead = 1000

// view refuses a view that answers Java's cancellations wrongly.
func (q *queue) view(context.Context) error {
	if !q.options.JavaCancels || q.kept.Exact() {
		return nil
	}
	q.add(Finding{
		Check: "view", Severity: SeverityError,
		Message: fmt.Sprintf("Java cancels messages of this queue, and its view is %q: Java's remove and poll may take a message that was delivered, or miss one that is pending", q.kept),
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
	n, err := migrate.Run(ctx, q.rdb, q.keys, migrate.Args{DryRun: true})
	if err != nil {
		return err
	}
	if n.Malformed > 0 {
		q.add(Finding{
			Check: "malformed", Severity: SeverityError, Count: n.Malformed,
			Message: count(n.Malformed, "pending element fits", "pending elements fit") + " no layout: when they fall due, every Redisson fails on them and repeats what it had moved",
			Advice:  "run a Go consumer on the queue before they are due: it moves them to the dead store; find out who writes them",
		})
	}
	if n.Old > 0 && n.New+n.Other > 0 {
		q.add(Finding{
			Check: "layouts", Severity: SeverityError, Count: n.Foreign(),
			Message: fmt.Sprintf("%s of Redisson up to 3.21.0 and %d of 3.21.1 or later: neither reads the other's", count(n.Old, "pending element is", "pending elements are"), n.New+n.Other),
			Advice:  fmt.Sprintf("duequeue migrate -layout %q, with -follow as long as both run", q.name),
		})
	}
	return nil
}

func (q *queue) tooLong(check string, n int64) {
	q.add(Finding{
		Check: check, Severity: SeverityInfo, Count: n,
		Message: fmt.Sprintf("%d elements, of which at most %d are looked at: not checked", n, q.options.Walk),
		Advice:  "raise the bound (-walk) where Redis has time for it: about 20 µs for each element",
	})
}

// count says how many there are: of one it uses the first words, of more the others.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
