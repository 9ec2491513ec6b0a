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
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// queue is one examination of a queue.
type queue struct {
	rdb     redisapi.Client
	keys    wire.Keys
	name    string // what Java and the command line call it
	options DiagnoseOptions
	noView  bool      // Go keeps no list for Java
	now     time.Time // of Redis
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
		q.absent, q.records, q.expires, q.twins, q.scores, q.long, q.sessions, q.view, q.layouts, q.list,
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

// records looks at the types of the keys other than those of the messages: scripts refuse them, too.
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
		return nil // another program's key of that name, no queue
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

// long reports a list that is walked too often. Redisson walks it for each of up to 100
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
		Message: fmt.Sprintf("%s in Java's list of pending messages: where due times are mixed, each transfer by Redisson holds Redis for about %s, and in Go the view exact moves few at a time until hundreds are overdue", count(n, "entry is", "entries are"), words.Span(hold)),
		Advice:  "let Go alone transfer, with registry.View(registry.ViewOff) where Java neither lists nor cancels; or spread the messages over several queues",
	})
	return nil
}

// sessions reports consumers that died, and of what they held. One whose lease is over
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
	var ended, living, stranded int64
	first := now
	for _, h := range held {
		if h.Ended(now) {
			ended, stranded, first = ended+1, stranded+h.Messages, min(first, h.DeadlineMs)
			continue
		}
		living++
	}
	ago := time.Duration(now-first) * time.Millisecond
	switch {
	case ended == 0:
	case ago < endedAfter && living > 0:
		q.add(Finding{
			Check: "sessions", Severity: SeverityWarning, Count: ended,
			Message: fmt.Sprintf("%s up to %s ago and held %s: not given back yet", count(ended, "Go consumer died", "Go consumers died"), words.Span(ago), count(stranded, "message", "messages")),
			Advice:  "the Go services that live give them back within seconds: look again",
		})
	default:
		q.add(Finding{
			Check: "sessions", State: "stranded", Severity: SeverityError, Count: ended,
			Message: fmt.Sprintf("%s up to %s ago and still %s: no process gives them back", count(ended, "Go process ended", "Go processes ended"), words.Span(ago), holds(ended, stranded)),
			Advice:  "start any Go service that handles, transfers or offers to this queue, or run this command: it returns their messages to the head",
			Command: "duequeue reap " + shellName(q.name),
		})
	}
	return nil
}

// holds says what so many processes have.
func holds(processes, messages int64) string {
	if processes == 1 {
		return "holds " + count(messages, "message", "messages")
	}
	return "hold " + count(messages, "message", "messages")
}

// manyDead is how many dead messages are too many to keep without asking.
const manyDead = 1000

// view refuses a view that answers Java's cancellations wrongly.
func (q *queue) view(context.Context) error {
	if !q.options.JavaCancels || !q.noView {
		return nil
	}
	q.add(Finding{
		Check: "view", Severity: SeverityError,
		Message: "Java cancels messages of this queue, and its view is off: Java's remove and poll miss what is pending, and may take a message that was delivered",
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
	n, err := delayed.Migrate(ctx, q.rdb, q.keys, delayed.MigrateArgs{DryRun: true})
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
			Advice:  "this command rewrites them, with -follow as long as both run",
			Command: "duequeue migrate -layout " + shellName(q.name),
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
