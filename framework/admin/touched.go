package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What becomes of a queue whose keys others touch: EXPIRE, DEL, RENAME, COPY, RESTORE.

// expires looks for keys that Redis is going to delete, and removes their end with Fix.
func (q *queue) expires(ctx context.Context) error {
	found, err := delayed.LookExpiry(ctx, q.rdb, q.keys)
	if err != nil {
		return err
	}
	if found.Refused {
		q.add(Finding{
			Check: "expiry", Severity: SeverityInfo,
			Message: "this user may not ask whether Redis is going to delete keys of the queue", Advice: "allow PTTL: see duequeue acl",
		})
	}
	for _, k := range found.Keys {
		severity := SeverityError
		if k.Holds == delayed.HoldsView {
			severity = SeverityWarning
		}
		f := q.add(Finding{
			Check: "expiry", Severity: severity, Count: 1, Fixable: true, Message: k.String(),
			Advice:  "find the program that calls expire on the queue; this command lets Redis keep the key",
			Command: "duequeue doctor -fix " + shellName(q.name),
		})
		if q.options.Fix {
			if f.Fixed, err = delayed.KeepKeys(ctx, q.rdb, []delayed.ExpiringKey{k}); err != nil {
				return err
			}
		}
	}
	return nil
}

// halves looks whether one of the two keys of the pending messages is gone as a whole. gone says
// that the set is: then entries of the list are no ghosts, but all that is left of messages.
func (q *queue) halves(ctx context.Context) (gone bool, err error) {
	if q.noView {
		return false, nil // the list differs
	}
	switch {
	case q.counts.Delayed == 0 && q.counts.View > 0:
		element, err := q.rdb.LIndex(ctx, q.keys.Pending, 0).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return false, rediserr.Classify("LINDEX", err)
		}
		where, err := q.elsewhere(ctx, element)
		if err != nil {
			return false, err
		}
		advice := fmt.Sprintf("LRANGE %q shows what is left of the messages: bring the set back from a backup (RESTORE), or offer them anew; -fix does not touch them", q.keys.Pending)
		if len(where) > 0 {
			advice = fmt.Sprintf("the messages are in %s: where that is the key renamed, RENAMENX %q %q brings it back", quoted(where), where[0], q.keys.Timeout)
		}
		q.add(Finding{
			Check: "set", Severity: SeverityError, Count: q.counts.View,
			Message: fmt.Sprintf("key %q does not exist, and %s in its list: a program has deleted or renamed the set with the due times, and no service delivers these messages; or a service leaves the list alone (-view off)",
				q.keys.Timeout, count(q.counts.View, "message is", "messages are")),
			Advice: advice,
		})
		return true, nil
	case q.counts.Delayed > 0 && q.counts.View == 0:
		head, err := q.rdb.ZRange(ctx, q.keys.Timeout, 0, 0).Result()
		if err != nil {
			return false, rediserr.Classify("ZRANGE", err)
		}
		q.add(Finding{
			Check: "list", Severity: SeverityWarning, Count: q.counts.Delayed,
			Message: fmt.Sprintf("key %q does not exist, and %s in its set: a program has deleted or renamed Java's list, or a service keeps none (-view off). The messages are delivered", q.keys.Pending, count(q.counts.Delayed, "message is", "messages are")),
			Advice:  "Java's size, contains, remove and poll do not know these messages: where Java calls them, bring the list back from a backup or by RENAMENX; else nothing is to do",
		})
		return false, q.copiesOf(ctx, head)
	}
	return false, nil
}

// copiesOf reports elements that are pending in another queue, too: their ids are random, so
// a program has copied or restored them.
func (q *queue) copiesOf(ctx context.Context, elements []string) error {
	for _, element := range elements {
		where, err := q.elsewhere(ctx, element)
		if err != nil {
			return err
		}
		if len(where) > 0 {
			q.copied(1, where)
		}
	}
	return nil
}

func (q *queue) copied(n int64, where []string) {
	q.add(Finding{
		Check: "copies", Severity: SeverityError, Count: n,
		Message: fmt.Sprintf("messages that are pending here are pending in %s, too: a program has copied or renamed keys (COPY, RESTORE, RENAME), and each queue delivers them", quoted(where)),
		Advice:  "find out which queue is the copy, and delete its set and its list together once no service uses it",
	})
}

// searchedSets bounds how many keys are looked at.
const searchedSets = 1000

// elsewhere returns the sets of other delayed queues that hold an element.
func (q *queue) elsewhere(ctx context.Context, element string) (found []string, err error) {
	if element == "" {
		return nil, nil
	}
	var sets []string
	p := budget.PaceOf(DefaultSearchShare)
	prefix := strings.TrimSuffix(q.keys.Timeout, q.keys.Tag())
	err = eachKey(ctx, q.rdb, prefix+"*", &p, func(key string) bool {
		if key != q.keys.Timeout {
			sets = append(sets, key)
		}
		return len(sets) < searchedSets
	})
	if _, refused := errors.AsType[*fault.PermissionError](rediserr.Classify("SCAN", err)); refused {
		return nil, nil
	}
	if err != nil {
		return nil, rediserr.Classify("SCAN", err)
	}
	pipe := q.rdb.Pipeline()
	scores := make([]*redis.FloatCmd, len(sets))
	for i, key := range sets {
		scores[i] = pipe.ZScore(ctx, key, element)
	}
	_, _ = pipe.Exec(ctx) // the answers are read one by one
	for i, s := range scores {
		if s.Err() == nil {
			found = append(found, sets[i])
		}
	}
	return found, nil
}

func quoted(names []string) string {
	out := make([]string, 0, min(len(names), 3))
	for _, name := range names[:cap(out)] {
		out = append(out, fmt.Sprintf("%q", name))
	}
	if len(names) > cap(out) {
		out = append(out, fmt.Sprintf("%d more", len(names)-cap(out)))
	}
	return strings.Join(out, ", ")
}

// checkCopies compares queues that are examined together: a message is pending in one of them.
func checkCopies(ctx context.Context, client access.Client, queues []string) (found []Finding, err error) {
	type examined struct {
		q        *queue
		elements []string
	}
	var all []examined
	for _, name := range queues {
		keys, err := client.Keys(name)
		if err != nil {
			continue // told elsewhere
		}
		e := examined{q: &queue{rdb: client.Redis, keys: keys, name: name}}
		for _, ends := range [][2]int64{{0, 2}, {-3, -1}} {
			some, err := client.Redis.ZRange(ctx, keys.Timeout, ends[0], ends[1]).Result()
			if err == nil {
				e.elements = append(e.elements, some...)
			}
		}
		slices.Sort(e.elements)
		e.elements = slices.Compact(e.elements)
		all = append(all, e)
	}
	for i, a := range all {
		if len(a.elements) == 0 {
			continue
		}
		pipe := client.Redis.Pipeline()
		var scores [][]*redis.FloatCmd
		for _, b := range all[i+1:] {
			var of []*redis.FloatCmd
			for _, e := range a.elements {
				of = append(of, pipe.ZScore(ctx, b.q.keys.Timeout, e))
			}
			scores = append(scores, of)
		}
		_, _ = pipe.Exec(ctx) // the answers are read one by one
		for j, of := range scores {
			n := int64(0)
			for _, s := range of {
				if s.Err() == nil {
					n++
				}
			}
			if b := all[i+1+j].q; n > 0 && b.keys.Timeout != a.q.keys.Timeout {
				a.q.copied(n, []string{b.keys.Timeout})
			}
		}
		found = append(found, a.q.found...)
	}
	return found, nil
}

// checkPolicies compares how processes that live declare a queue.
func checkPolicies(ctx context.Context, client access.Client, queue string, first wire.Keys) (found []Finding, err error) {
	all, err := control.ReadProcesses(ctx, client.Redis, first)
	if err != nil {
		return nil, err
	}
	for _, d := range control.Differences(all) {
		found = append(found, Finding{
			Check: "policies", Severity: SeverityWarning, Queue: queue, Count: int64(len(d.Values)), Message: "processes declare this queue differently: " + d.String(),
			Advice: "what becomes of a message depends on the process that takes it: deploy one declaration; during a rolling deploy this passes",
		})
	}
	return found, nil
}

// checkServed looks for messages in partitions that no Go process takes from while some take from
// others: these declare fewer partitions than the producers.
func checkServed(ctx context.Context, client access.Client, queue string, all []wire.Keys) ([]Finding, error) {
	counts, errs := delayed.CountsAll(ctx, client.Redis, all...)
	var found []Finding
	served := int64(0)
	for i := range counts {
		if errs[i] != nil {
			return nil, nil //nolint:nilerr // reported of each partition
		}
		served = max(served, counts[i].Sessions)
	}
	for i, n := range counts {
		if lie := n.Ready + n.Delayed; served > 0 && n.Sessions == 0 && lie > 0 {
			found = append(found, Finding{
				Check: "partitions", Severity: SeverityError, Queue: queue, Count: lie,
				Message: fmt.Sprintf("partition %d: %s there, and no Go process takes from it, while %s from another partition: they declare fewer partitions than producers offer to", all[i].Partition, count(lie, "message is", "messages are"), count(served, "process takes", "processes take")),
				Advice:  fmt.Sprintf("declare the same registry.Partitions(%d) everywhere: consumers first, then producers", len(all)),
			})
		}
	}
	return found, nil
}
