package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Defaults of [QueuesOptions].
const (
	DefaultSearchShare = 0.2
	DefaultMostQueues  = 10_000
)

// QueuesOptions shape [Queues].
type QueuesOptions struct {
	// Share bounds the part of the time for which a server searches for this call, from 0.0005
	// to 1: with 0.2 the call rests four times as long as each step took. Defaults to
	// DefaultSearchShare.
	Share float64
	// Most bounds how many queues are returned. Defaults to DefaultMostQueues.
	Most int
}

// QueueStatus is a queue that was found on a server.
type QueueStatus struct {
	Queue string // as Java names it for getBlockingQueue, in the names of the client

	// As in [framework.Counts].
	Ready, Delayed, Overdue, Dead int64
	// InFlight is what the processes say that they have in hand, see [Process].
	InFlight   int64
	Lag        time.Duration
	LagAtLeast bool
	NextDue    time.Time
	// OverdueLag and ReadyLag are the parts of Lag: for how long the oldest message is due that is still
	// pending, and that is ready. Both are 0 where neither is known.
	OverdueLag, ReadyLag time.Duration

	// Listeners counts the programs that transfer the queue, Java's and Go's.
	Listeners int64
	// Processes counts the Go processes that serve it. Silent counts those of them that no longer
	// report: they were killed, or cannot reach Redis.
	Processes, Silent int
	// Takers counts those that handle its messages, and are not silent; the others transfer only.
	Takers int
	// Closed counts the takers that take nothing, but for a pause; Because is why, of one of them.
	// Limited counts those whose rate limit is used up, of Rate messages a second and process; Full
	// those whose workers all have a message.
	Closed  int
	Because health.Reason
	Limited int
	Rate    float64
	Full    int
	// LastError is the last failure that counted against an intake that is not open, redacted: it may
	// name what is in a message. LastErrorKind is what may be shown to everybody: the types of the
	// error, or how payloads begin.
	LastError, LastErrorKind string
	// Hung counts handlers that do not return, in the processes HungIn ("host, pid 7"), five at most.
	Hung   int
	HungIn []string
	// SilentIn names processes that are silent, five at most.
	SilentIn []string
	// Refused are rights that Redis users of Go processes lack for the queue. Of its keys only a listing
	// tells, since a process says so in those of its other queues.
	Refused []Refused
	// Codec is that which processes declare: of several, that of one that cannot read the messages.
	Codec string
	// Early counts messages that came to these processes before they were due, in the last ten minutes,
	// by as much as EarlyBy.
	Early   int64
	EarlyBy time.Duration
	// Ended is for how long the lease of a Go process is over that has not given back what it held; 0
	// where there is none.
	Ended time.Duration
	// Young counts processes that started less than a minute ago.
	Young int
	// Near is another queue whose name differs in a letter or two: this one has messages that no
	// process serves, and that one is served and has none. Only a listing of both finds it.
	Near string
	// Age is that of the oldest of what processes say, and Heard that of the newest of those that are
	// not silent.
	Age, Heard time.Duration

	// Work is what each of the others has handled.
	Work []Work

	// Pause and Limit are what operators have set, see [Control].
	Pause *health.Pause
	Limit *health.Limit

	// Aside counts messages that [Move] has set aside since AsideFor on their way to the queue
	// AsideTo. After more than a few seconds the process that moved them was killed.
	Aside    int64
	AsideTo  string
	AsideFor time.Duration

	// OutboxFor is for how long Go processes have written rows for the queue into an outbox while
	// no relay looked for them; 0 if a relay looks or no process writes. OutboxNever reports that
	// no relay ever looked.
	OutboxFor   time.Duration
	OutboxNever bool

	// Expiring describes the keys of the queue that Redis will delete because they have an expiry.
	Expiring []string
	// Unserved counts messages in partitions that no Go process takes from, where some take from
	// others.
	Unserved int64
	sessions int64 // of its first partition

	user       string      // Redis user of the client that has read this
	processes  string      // the key of what processes say
	partitions bool        // there are several
	elsewhere  []elsewhere // what its processes lack for other queues
	viewEnds   bool        // of Expiring, all are Java's view: no message is lost with it

	// Err is why a part of it is not known, nil where all is: a key of another type, or a
	// value of the control that is not understood.
	Err error
}

// Work is how many messages a Go process says that it has handled since its start.
type Work struct {
	Process string        // ID of its engine
	Age     time.Duration // of what it says
	Handled uint64
}

// Queues searches a server, on a Cluster all of them, for delayed queues, Java's and Go's,
// and returns them sorted by name. more says that there are more than Most. A queue without
// messages, records and listeners leaves nothing to be found. The client's mapping of names
// applies: queues that it gives no name are left out. A name in braces is returned without
// its braces where both share all but the ready list.
//
// The search looks at every key of the database, a thousand at a time, within Share. Where a node of
// a Cluster does not answer, the queues of the others come with the error.
func Queues(ctx context.Context, c *framework.Client, o QueuesOptions) (found []QueueStatus, more bool, err error) {
	client := access.Of(c)
	p := o.pace()
	names, more, failed := searchedNames(ctx, client, &o, &p)
	if failed != nil && len(names) == 0 {
		return nil, false, failed
	}
	for part := range slices.Chunk(names, statusAtOnce) {
		some, err := budget.Ask(ctx, &p, func() ([]QueueStatus, error) { return statusOf(ctx, client, part) })
		if err != nil {
			return found, more, err
		}
		found = append(found, some...)
	}
	found = folded(found)
	compare(found)
	return found, more, failed
}

// StatusOf returns the status of queues, named as for [Diagnose], in their order, without a
// search: what [Queues] says of each. Errors are those of Redis; on a Cluster one of a node that does
// not answer is in the status of its queues.
func StatusOf(ctx context.Context, c *framework.Client, queues ...string) ([]QueueStatus, error) {
	client := access.Of(c)
	var out []QueueStatus
	for _, queue := range queues {
		keys, _, err := partsOf(ctx, client, queue)
		if rediserr.MayPass(err) && redisapi.IsCluster(client.Redis) {
			out = append(out, QueueStatus{Queue: queue, Err: err})
			continue
		}
		if err != nil {
			return out, err
		}
		names := make([]string, len(keys))
		for i := range keys {
			names[i] = wire.PartitionName(queue, i)
		}
		whole, err := StatusOfNames(ctx, c, names)
		if err != nil {
			return out, err
		}
		out = append(out, whole...)
	}
	return out, nil
}

// QueueNames searches as [Queues] does and returns the names alone, partitions included, for
// [StatusOfNames].
func QueueNames(ctx context.Context, c *framework.Client, o QueuesOptions) (found []string, more bool, err error) {
	p := o.pace()
	return searchedNames(ctx, access.Of(c), &o, &p)
}

// PartitionNames returns the names of all partitions of a declared queue, for [StatusOfNames]; most
// queues have one.
func PartitionNames(d registry.Descriptor) []string {
	var out []string
	for i := range d.Policy().AllPartitions() {
		out = append(out, wire.PartitionName(d.Key(), i))
	}
	return out
}

// StatusOfNames is [StatusOf] of many queues whose partitions are named with them: it takes one
// round trip or two for 50 names, and returns the partitions of a queue added to it.
func StatusOfNames(ctx context.Context, c *framework.Client, names []string) ([]QueueStatus, error) {
	client := access.Of(c)
	var found []QueueStatus
	for part := range slices.Chunk(names, statusAtOnce) {
		some, err := statusOf(ctx, client, part)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	found = folded(found)
	compare(found)
	return found, nil
}

// searchedNames searches for queues and returns their names, sorted.
func searchedNames(ctx context.Context, client access.Client, o *QueuesOptions, p *budget.Pace) (found []string, more bool, err error) {
	most := o.Most
	if most <= 0 {
		most = DefaultMostQueues
	}
	names := map[string]bool{}
	note := func(tag string) {
		if name, ok := client.Own(wire.NameOf(tag)); ok {
			names[name] = true
		}
	}
	err = eachKey(ctx, client.Redis, anyQueuePattern, p, func(key string) bool {
		if tag, ok := wire.TagIn(key); ok {
			note(tag)
		}
		return len(names) <= most
	})
	if err != nil && (len(names) == 0 || !redisapi.IsCluster(client.Redis)) {
		return nil, false, err
	}
	failed := err // of a node that is down: the others have told their keys
	channels, err := connect.Channels(ctx, client.Redis, channelPrefix+"*")
	if err != nil {
		return nil, false, err
	}
	for _, channel := range channels {
		note(strings.TrimPrefix(channel, channelPrefix))
	}
	found = slices.Sorted(maps.Keys(names))
	if more = len(found) > most; more {
		found = found[:most]
	}
	return found, more, failed
}

// pace returns one that keeps to Share.
func (o *QueuesOptions) pace() budget.Pace {
	if o.Share < leastShare || o.Share > 1 {
		return budget.PaceOf(DefaultSearchShare)
	}
	return budget.PaceOf(o.Share)
}

const leastShare = 0.0005

// folded adds the partitions of a queue to it, where both were found.
func folded(found []QueueStatus) []QueueStatus {
	at := map[string]int{}
	for i, q := range found {
		at[q.Queue] = i
	}
	var out []QueueStatus
	for _, q := range found {
		queue, _, partition := wire.PartitionedBy(q.Queue)
		if i, both := at[queue]; partition && both {
			found[i].add(q)
		}
	}
	for _, q := range found {
		queue, _, partition := wire.PartitionedBy(q.Queue)
		if _, both := at[queue]; !partition || !both {
			out = append(out, q)
		}
	}
	return out
}

// add adds another partition of the queue.
func (q *QueueStatus) add(o QueueStatus) {
	q.Ready, q.Delayed, q.Overdue, q.Dead = q.Ready+o.Ready, q.Delayed+o.Delayed, q.Overdue+o.Overdue, q.Dead+o.Dead
	q.Lag, q.LagAtLeast = max(q.Lag, o.Lag), q.LagAtLeast || o.LagAtLeast
	q.OverdueLag, q.ReadyLag = max(q.OverdueLag, o.OverdueLag), max(q.ReadyLag, o.ReadyLag)
	if q.NextDue.IsZero() || !o.NextDue.IsZero() && o.NextDue.Before(q.NextDue) {
		q.NextDue = o.NextDue
	}
	q.InFlight, q.Ended = q.InFlight+o.InFlight, max(q.Ended, o.Ended)
	if len(q.Expiring) == 0 {
		q.viewEnds = o.viewEnds
	} else if len(o.Expiring) > 0 {
		q.viewEnds = q.viewEnds && o.viewEnds
	}
	q.Expiring = append(q.Expiring, o.Expiring...)
	if q.Aside += o.Aside; o.AsideFor > q.AsideFor {
		q.AsideTo, q.AsideFor = o.AsideTo, o.AsideFor
	}
	if q.sessions > 0 && o.sessions == 0 {
		q.Unserved += o.Ready + o.Delayed
	}
	q.partitions = true
	q.Listeners = min(q.Listeners, o.Listeners) // of the partition that has the fewest
	q.Err = errors.Join(q.Err, o.Err)
}

// statusAtOnce is how many queues share one pipeline.
const statusAtOnce = 50

const channelPrefix = "redisson_delay_queue_channel:"

// anyQueuePattern matches keys that begin with "redi" or "dueq", and little else: SCAN knows
// one pattern.
const anyQueuePattern = "[rd][eu][de][iq]*"

// statusOf looks at queues.
func statusOf(ctx context.Context, client access.Client, names []string) ([]QueueStatus, error) {
	out := make([]QueueStatus, len(names))
	keys := make([]wire.Keys, len(names))
	channels := make([]string, len(names))
	var calls []script.Call
	for i, name := range names {
		out[i].Queue, out[i].user = name, redisapi.User(client.Redis)
		keys[i], out[i].Err = client.Keys(name)
		out[i].processes = keys[i].Processes
		channels[i] = keys[i].Channel
		if out[i].Err == nil {
			calls = append(calls, delayed.CountsCall(keys[i]), control.PresenceCall(keys[i]), control.LookCall(keys[i]), delayed.ExpiryCall(keys[i]))
		}
	}
	replies := script.RunAll(ctx, client.Redis, calls)
	listeners, err := connect.CountAll(ctx, client.Redis, channels)
	if err != nil {
		return nil, err
	}
	for i := range out {
		q := &out[i]
		if q.Err != nil {
			continue
		}
		q.Listeners = listeners[channels[i]]
		if q.Err = q.fill(ctx, client.Redis, keys[i], replies[:statusCalls]); rediserr.MayPass(q.Err) && !redisapi.IsCluster(client.Redis) {
			return nil, q.Err
		}
		replies = replies[statusCalls:]
	}
	return out, nil
}

// statusCalls is how many calls describe a queue.
const statusCalls = 4

// fill takes the replies of counts, processes, control and expiry. An error leaves out what follows.
func (q *QueueStatus) fill(ctx context.Context, rdb redisapi.Client, k wire.Keys, replies []script.Reply) error {
	n, err := delayed.CountsOf(replies[0])
	if err != nil {
		return err
	}
	if n.EndedMs >= 0 {
		q.Ended = max(millis(n.NowUs/1000-n.EndedMs), time.Millisecond)
		var since int64
		if since, err = lease.StagedSince(ctx, rdb, k, n.NowUs/1000); err != nil {
			return err
		}
		if since >= 0 {
			n.Lag.Add(n.NowUs/1000, since, true)
		}
	}
	q.Ready, q.Delayed, q.Overdue, q.Dead, q.sessions = n.Ready, n.Delayed, n.Overdue, n.Dead, n.Sessions
	expiring, err := delayed.ExpiryOf(k, replies[3])
	if err != nil {
		return err
	}
	q.viewEnds = len(expiring.Keys) > 0
	for _, key := range expiring.Keys {
		q.Expiring = append(q.Expiring, key.String())
		q.viewEnds = q.viewEnds && key.Holds == delayed.HoldsView
	}
	q.Lag, q.LagAtLeast = millis(n.Lag.Ms), n.Lag.AtLeast
	q.OverdueLag, q.ReadyLag = millis(n.OverdueLag.Ms), millis(n.ReadyLag.Ms)
	if n.NextDueMs >= 0 {
		q.NextDue = time.UnixMilli(n.NextDueMs)
	}
	all, err := control.ParseProcesses(replies[1])
	if err != nil {
		return err
	}
	q.Processes = len(all)
	for _, p := range all {
		q.said(p)
	}
	s, now, err := control.SettingsOf(k, replies[2])
	set := controlOf(q.Queue, s, now)
	q.Pause, q.Limit = set.Pause, set.Limit
	q.outbox(s, now)
	if a := s.Aside; a != nil {
		q.Aside, q.AsideTo, q.AsideFor = a.Messages, a.To, max(now.Sub(a.At), time.Millisecond)
	}
	return err
}

// mostNamed is how many processes a status names.
const mostNamed = 5

// said adds what a process says.
func (q *QueueStatus) said(p control.Process) {
	q.InFlight += int64(p.Held)
	q.Age = max(q.Age, p.Age)
	name := fmt.Sprintf("%s, pid %d", p.Host, p.PID)
	if p.Silent {
		if q.Silent++; len(q.SilentIn) < mostNamed {
			q.SilentIn = append(q.SilentIn, name)
		}
		return
	}
	if len(q.Work) == 0 || p.Age < q.Heard {
		q.Heard = p.Age
	}
	for _, r := range p.Refused {
		if strings.HasPrefix(r.Key, wire.OwnPrefix+"processes:") { // it could not say so in that queue
			q.elsewhere = append(q.elsewhere, elsewhere{p.ID, p.User, r})
			continue
		}
		q.refuse(p.User, r)
	}
	q.Work = append(q.Work, Work{Process: p.ID, Age: p.Age, Handled: p.Handled})
	if millis(p.Up)+p.Age < time.Minute {
		q.Young++
	}
	if p.TransferOnly {
		return
	}
	q.Takers++
	reason := health.Reason(p.Reason)
	if q.Codec == "" || reason == health.BecauseUndecodable {
		q.Codec = p.Codec
	}
	switch {
	case reason == health.BecauseDraining: // a deploy: another one takes its place
	case p.Intake == string(health.IntakeProbing), p.Intake == string(health.IntakeClosed) && reason != health.BecausePaused:
		q.Closed, q.Because = q.Closed+1, reason
	case reason == health.BecauseRateLimited:
		q.Limited, q.Rate = q.Limited+1, p.Rate
	case p.Held >= p.Usable && p.Usable > 0:
		q.Full++
	}
	if p.ErrorKind != "" {
		q.LastError, q.LastErrorKind = p.Error, p.ErrorKind
	}
	q.Early, q.EarlyBy = q.Early+p.Early, max(q.EarlyBy, millis(p.EarlyBy))
	if p.Zombies > 0 {
		if q.Hung += p.Zombies; len(q.HungIn) < mostNamed {
			q.HungIn = append(q.HungIn, name)
		}
	}
}

// eachKey calls f with each key of the database that matches, once or more often, until f
// returns false.
func eachKey(ctx context.Context, rdb redisapi.Client, pattern string, p *budget.Pace, f func(key string) bool) error {
	return redisapi.EachPrimary(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
		for key, err := range p.Keys(ctx, node, pattern) {
			if err != nil {
				return err
			}
			if !f(key) {
				return nil
			}
		}
		return nil
	})
}
