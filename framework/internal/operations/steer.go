package operations

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const reasonOfControl = "why: logs and health pages show this `TEXT`"

var pause = Operation{
	Name: "pause", Subject: Queues, Role: "operate",
	Short: "let no Go process take from queues, with a reason, until resume",
	Help: `
pause lets no Go process take messages from the queues any more: those that run stop at
once, after five seconds at the latest, and those that start later know it before they
take. Handlers that run finish; what was taken and has not started goes back to the
head of the queue. Due messages are still moved to the ready list.

JAVA GOES ON: Java consumers know nothing of this and go on taking.

QUEUE is the name that Java gives to getBlockingQueue. A pause needs a reason, which
logs and health pages show with -by. It is in Redis and outlives processes; it ends by
"duequeue resume", or after -for, or at -until, by the clock of Redis. To pause again
sets the new reason and end.

The command waits until all Go processes have followed, for -wait at most, and says how
many have. -json prints one line for each queue. The exit code is 0 when all have
followed, 1 when one has not, or a queue failed.

The Redis user needs what "duequeue acl -role operate" prints.
`,
	Examples: []string{"duequeue pause -reason 'payment provider is down' -for 1h ORDERS"},
	Reason:   reasonOfControl, NeedsReason: true,
	Title: "Pause all processes", Button: "Pause", Note: "Java consumers know nothing of it and go on taking.",
	New: func() *Run {
		var o admin.PauseOptions
		length := &Arg{Name: "for", To: &o.For, Help: "end after this `TIME`: 90m", Label: "For", Initial: "1h", Choices: []Choice{
			{"15m", "15 minutes"}, {"1h", "an hour"}, {"4h", "4 hours"}, {"24h", "a day"}, {"", "until resumed"},
		}}
		until := &Arg{Name: "until", To: &o.Until, Help: "end at this `TIME`: 2026-01-31T08:00:00Z, or so long from now: 90m"}
		return &Run{
			Args: []*Arg{length, until},
			Check: func(bool) error {
				switch {
				case length.Given() && until.Given():
					return errors.New("-for and -until exclude each other")
				case length.Given() && o.For <= 0:
					return errors.New("-for must not be negative, or nothing")
				}
				return nil
			},
			One: func(ctx context.Context, c *Call) (r Result, err error) {
				o.Reason, o.By = c.Reason, c.Who
				r.Control, err = admin.Pause(ctx, c.Client, c.Queue, o)
				r.Said = "Paused. No Go process takes from this queue"
				if p := r.Control.Pause; p != nil && p.Until != nil {
					r.Said += " for " + words.Span(p.Until.Sub(r.Control.Now)+time.Second/2)
				}
				r.Said += "; " + admin.JavaGoesOn + "."
				return r, err
			},
			Follows: func(_ admin.Control, p admin.Process) bool { return p.Intake == health.IntakeClosed },
		}
	},
}

var resume = Operation{
	Name: "resume", Subject: Queues, Role: "operate",
	Short: "let Go processes take from queues again",
	Help: `
resume ends what "duequeue pause" began: all Go processes take from the queues again.
A process that was paused by its own program (Engine.Pause) remains paused. Where
nothing is paused it does nothing.

It waits, prints and ends as "duequeue pause" does.
`,
	Examples: []string{"duequeue resume ORDERS"},
	Button:   "Resume",
	New: func() *Run {
		return &Run{
			One: func(ctx context.Context, c *Call) (Result, error) {
				set, err := admin.Resume(ctx, c.Client, c.Queue, c.Who)
				return Result{Control: set, Said: "Resumed: Go processes take from this queue again."}, err
			},
			Follows: func(_ admin.Control, p admin.Process) bool { return p.Reason != health.BecausePaused },
		}
	},
}

var limit = Operation{
	Name: "limit", Subject: Queues, Role: "operate",
	Short: "bound rate and workers of each Go process while it runs",
	Help: `
limit bounds every Go process of the queues while it runs: -rate says how many messages
each process takes a second, -workers how many handlers run at once in each (of batch
handlers: as many messages as batches of so many workers hold). Both bound within what
a process was declared with: one with Workers(8) and -workers 20 has 8.
What is not given remains as it was; -off takes all bounds back. Handlers that run
finish.

JAVA GOES ON: Java consumers know nothing of this.

It is in Redis, reaches processes, waits, prints and ends as "duequeue pause" does.
`,
	Examples: []string{"duequeue limit -rate 5 -reason 'spare the database' ORDERS", "duequeue limit -off ORDERS"},
	Reason:   reasonOfControl,
	Title:    "Limit each process", Button: "Set",
	New: func() *Run {
		var o admin.LimitOptions
		off := false
		rate := &Arg{Name: "rate", To: &o.Rate, Help: "`MESSAGES` a second for each process; less than one is possible", Label: "Messages a second", Empty: "as it is", Bounds: true}
		workers := &Arg{Name: "workers", To: &o.Workers, Help: "`HANDLERS` that run at once in each process", Label: "Workers", Empty: "as it is", Bounds: true}
		return &Run{
			Args: []*Arg{rate, workers, {Name: "off", To: &off, Help: "take all bounds back", Label: "Take all bounds back"}},
			Check: func(bool) error {
				switch {
				case off && (rate.Given() || workers.Given()):
					return errors.New("-off removes both limits: do not combine it with -rate or -workers")
				case o.Rate < 0 || o.Workers < 0:
					return errors.New("-rate and -workers must not be negative")
				case !off && o.Rate == 0 && o.Workers == 0:
					return errors.New("give -rate, -workers or -off")
				}
				return nil
			},
			One: func(ctx context.Context, c *Call) (r Result, err error) {
				o.Reason, o.By = c.Reason, c.Who
				r.Said = "Bounded: it reaches all Go processes within seconds."
				if off {
					o.Rate, o.Workers = -1, -1
					r.Said = "No bound is set any more: each process works as it was declared."
				}
				r.Control, err = admin.SetLimit(ctx, c.Client, c.Queue, o)
				return r, err
			},
			Follows: limitFollowed, Idle: limitIdle,
		}
	},
}

// limitIdle reports whether a process is declared with less than a limit lets through: it goes on as
// before.
func limitIdle(c admin.Control, p admin.Process) bool {
	l := c.Limit
	return l != nil && (l.Rate == 0 || p.Rate > 0 && p.Rate < l.Rate) && (l.Workers == 0 || p.Workers < l.Workers)
}

// limitFollowed reports whether a process is within the bounds, or has none any more.
func limitFollowed(c admin.Control, p admin.Process) bool {
	l := c.Limit
	switch {
	case l == nil || l.Workers == 0:
		if p.Usable != p.Workers {
			return false
		}
	case p.Usable > l.Workers:
		return false
	}
	return l == nil || l.Rate == 0 || p.Rate > 0 && p.Rate <= l.Rate
}
