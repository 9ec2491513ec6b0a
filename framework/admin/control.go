package admin

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
)

// JavaGoesOn is what everybody must know who steers a queue: it goes with every answer.
const JavaGoesOn = "Java consumers know nothing of this and go on taking"

// Control is what operators have set for all Go processes of a queue. It is in Redis, so
// that it outlives processes and, as far as Redis keeps its data, restarts of Redis. Java
// consumers know nothing of it and go on taking.
type Control struct {
	Queue string // the name that was asked for

	// Pause is nil unless the queue is paused.
	Pause *health.Pause
	// Limit has the limits of rate and workers for each process; nil without a limit.
	Limit *health.Limit
	// ResumedBy is who ended the last pause, at ResumedAt; empty if the pause expired or no name was given.
	ResumedBy string
	ResumedAt time.Time
	// Now is the time of Redis.
	Now time.Time
}

// String says in a line what is set.
func (c Control) String() string {
	text := "not paused"
	if c.Pause != nil {
		text = c.Pause.String()
	} else if c.ResumedBy != "" {
		text += " (resumed by " + c.ResumedBy + " at " + c.ResumedAt.UTC().Format(time.RFC3339) + ")"
	}
	if c.Limit != nil {
		text += "; " + c.Limit.String()
	}
	return text
}

// PauseOptions are the options of [Pause].
type PauseOptions struct {
	Reason string // why; logs and health pages show it
	By     string // who; may be empty
	// For ends the pause after this time by the clock of Redis, Until at that moment. Without
	// both it lasts until [Resume]. For counts if both are set.
	For   time.Duration
	Until time.Time
}

// Pause lets no Go process take from a queue, which is named as for [Diagnose]. Processes that
// run learn of it at once, after five seconds at the latest; those that start later know it
// before they take. What was taken and has not started goes back to the head of the queue,
// running handlers finish, due messages are still moved to the ready list, and what dead
// processes held is given back. Java consumers go on taking. A pause takes the place of one
// that there is. It ends by [Resume], or by the clock of Redis.
//
// Errors: every [*fault.ControlError] of the options together, then nothing is set; those of
// Redis, after which it may be set: look with [ControlOf], or call Pause again.
func Pause(ctx context.Context, c *framework.Client, queue string, o PauseOptions) (Control, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return Control{Queue: queue}, err
	}
	s, now, err := control.PauseFor(ctx, client.Redis, keys, control.Pause{Reason: o.Reason, By: o.By, Until: o.Until}, o.For)
	return controlOf(queue, s, now), err
}

// Resume ends a pause for all processes; by says who, and may be empty. Without a pause it
// does nothing. A pause by framework.Engine.Pause, which is of one process, remains. Errors
// are those of [Pause].
func Resume(ctx context.Context, c *framework.Client, queue, by string) (Control, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return Control{Queue: queue}, err
	}
	s, now, err := control.Resume(ctx, client.Redis, keys, by)
	return controlOf(queue, s, now), err
}

// LimitOptions shape [SetLimit].
type LimitOptions struct {
	// Rate bounds the messages that each process takes a second. Workers bounds how many
	// handlers run at once in each process; of batch handlers, how many messages: as many as
	// batches of so many workers hold. Each bounds within what a process was declared with:
	// one with Workers(8) and a limit of 20 has 8. Zero leaves a bound as it is, a negative
	// value takes it back.
	Rate    float64
	Workers int
	Reason  string // why; may be empty
	By      string // who; may be empty
}

// SetLimit bounds all Go processes of a queue at run time, until it is taken back. It reaches
// them as [Pause] does; handlers that run finish. Errors are those of Pause.
func SetLimit(ctx context.Context, c *framework.Client, queue string, o LimitOptions) (Control, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return Control{Queue: queue}, err
	}
	s, now, err := control.SetLimit(ctx, client.Redis, keys, control.Limit{Rate: o.Rate, Workers: o.Workers, Reason: o.Reason, By: o.By})
	return controlOf(queue, s, now), err
}

// ControlOf returns what is set for a queue. With a [*fault.ControlError], joined for all
// values that are not understood, it returns the others.
func ControlOf(ctx context.Context, c *framework.Client, queue string) (Control, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return Control{Queue: queue}, err
	}
	s, now, err := control.Look(ctx, client.Redis, keys)
	return controlOf(queue, s, now), err
}

func controlOf(queue string, s control.Settings, now time.Time) Control {
	out := Control{Queue: queue, ResumedBy: s.ResumedBy, ResumedAt: s.ResumedAt, Now: now}
	if p := s.Pause; p != nil {
		out.Pause = &health.Pause{Reason: p.Reason, By: p.By, At: p.At, Fleet: true}
		if !p.Until.IsZero() {
			out.Pause.Until = &p.Until
		}
	}
	if l := s.Limit; l.Any() {
		out.Limit = &health.Limit{Rate: l.Rate, Workers: l.Workers, Reason: l.Reason, By: l.By, At: l.At}
	}
	return out
}
