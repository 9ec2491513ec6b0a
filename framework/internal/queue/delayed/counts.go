package delayed

import (
	"context"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var countsScript = library.Script("counts")

// QueueCounts says how many messages are where, at one moment. Messages in
// flight are counted by the sessions that hold them.
type QueueCounts struct {
	Ready     int64 // in the ready list
	Delayed   int64 // pending, overdue ones included
	Overdue   int64 // pending though due: nobody transfers, or not fast enough
	View      int64 // length of Java's pending list; differs from Delayed by ghosts
	Sessions  int64 // Go consumer sessions, dead ones included until they are reaped
	Dead      int64 // in the dead store
	NextDueMs int64 // due time of the next pending message; -1 for none
	NowUs     int64 // time of Redis in µs
	EndedMs   int64 // when the lease of the session ended that ended first; -1 for none
	Lag       Lag   // what lies in stages left out

	OverdueLag, ReadyLag Lag // of these the part of what is pending, and of what is ready
}

// Lag is for how long the oldest message is due that was not started.
type Lag struct {
	Ms      int64
	AtLeast bool // it may be longer: when the message was due is not known, as after a transfer by Java
}

// Add takes another message into account, that waits since a moment.
func (l *Lag) Add(nowMs, sinceMs int64, atLeast bool) {
	l.Ms = max(l.Ms, nowMs-sinceMs)
	l.AtLeast = l.AtLeast || atLeast
}

// later returns that of both together.
func (l Lag) later(o Lag) Lag { return Lag{Ms: max(l.Ms, o.Ms), AtLeast: l.AtLeast || o.AtLeast} }

// Add returns the counts of two partitions together, with the next of their due times and
// the latest time of Redis. Sessions are those of the partition that has more: processes
// serve all.
func (c QueueCounts) Add(o QueueCounts) QueueCounts {
	next := c.NextDueMs
	if next < 0 || o.NextDueMs >= 0 && o.NextDueMs < next {
		next = o.NextDueMs
	}
	ended := c.EndedMs
	if ended < 0 || o.EndedMs >= 0 && o.EndedMs < ended {
		ended = o.EndedMs
	}
	return QueueCounts{
		EndedMs: ended, Lag: c.Lag.later(o.Lag), OverdueLag: c.OverdueLag.later(o.OverdueLag), ReadyLag: c.ReadyLag.later(o.ReadyLag),
		Ready: c.Ready + o.Ready, Delayed: c.Delayed + o.Delayed, Overdue: c.Overdue + o.Overdue, View: c.View + o.View,
		Sessions: max(c.Sessions, o.Sessions), Dead: c.Dead + o.Dead, NextDueMs: next, NowUs: max(c.NowUs, o.NowUs),
	}
}

// Counts counts the messages of one queue in one script. Errors are those of
// [script.Script.Run].
func Counts(ctx context.Context, rdb redis.Scripter, k wire.Keys) (QueueCounts, error) {
	call := CountsCall(k)
	value, err := countsScript.Run(ctx, rdb, call.Keys)
	return CountsOf(script.Reply{Value: value, Err: err})
}

// CountsCall is the call of [Counts] for a pipeline; [CountsOf] takes its reply.
func CountsCall(k wire.Keys) script.Call {
	return script.Call{Script: countsScript, Keys: []string{k.Timeout, k.Pending, k.Queue, k.Sessions, k.Dead, k.Due, k.Head}}
}

// CountsOf reads the reply of a [CountsCall].
func CountsOf(reply script.Reply) (QueueCounts, error) {
	if reply.Err != nil {
		return QueueCounts{}, reply.Err
	}
	r := script.NewReader(countsScript, reply.Value)
	c := QueueCounts{
		Ready: r.Integer(), Delayed: r.Integer(), Overdue: r.Integer(), View: r.Integer(),
		Sessions: r.Integer(), Dead: r.Integer(), NextDueMs: wire.ScoreMs(r.Text()), NowUs: r.Micros(),
	}
	overdue, due, latest, ended := wire.ScoreMs(r.Text()), r.Text(), r.Text(), r.Text()
	c.EndedMs = wire.ScoreMs(ended)
	now := c.NowUs / 1000
	if overdue >= 0 {
		c.OverdueLag.Add(now, overdue, false)
	}
	if ms, err := strconv.ParseInt(due, 10, 64); err == nil {
		c.ReadyLag.Add(now, ms, false)
	} else if ms, err := strconv.ParseInt(latest, 10, 64); err == nil {
		c.ReadyLag.Add(now, ms, true)
	}
	c.Lag = c.OverdueLag.later(c.ReadyLag)
	return c, r.Err()
}

// CountsAll is [Counts] of several queues in one pipeline.
func CountsAll(ctx context.Context, rdb script.Pipelined, all ...wire.Keys) ([]QueueCounts, []error) {
	calls := make([]script.Call, len(all))
	for i, k := range all {
		calls[i] = CountsCall(k)
	}
	counted, errs := make([]QueueCounts, len(all)), make([]error, len(all))
	for i, reply := range script.RunAll(ctx, rdb, calls) {
		counted[i], errs[i] = CountsOf(reply)
	}
	return counted, errs
}
