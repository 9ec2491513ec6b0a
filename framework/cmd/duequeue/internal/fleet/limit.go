package fleet

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

const limitHelp = `
limit bounds every Go process of the queues while it runs: -rate says how many messages
each process takes a second, -workers how many handlers run at once in each (of batch
handlers: as many messages as batches of so many workers hold). Both bound within what
a process was declared with: one with Workers(8) and -workers 20 has 8.
What is not given remains as it was; -off takes all bounds back. Handlers that run
finish.

JAVA GOES ON: Java consumers know nothing of this.

It is in Redis, reaches processes, waits, prints and ends as "duequeue pause" does.
`

// Limit returns the command that bounds processes.
func Limit(e *env.Env) *cli.Command {
	var o admin.LimitOptions
	var off bool
	s := &steering{idle: limitIdle}
	return e.Command(env.Spec{
		Name: "limit", Args: "QUEUE...", Short: "bound rate and workers of each Go process while it runs", Group: env.GroupSteer,
		Long: limitHelp, Examples: []string{"duequeue limit -rate 5 -reason 'spare the database' ORDERS", "duequeue limit -off ORDERS"}, JSON: controlLine{},
		Flags: append([]cli.Flag{
			env.Float(&o.Rate, "rate", 0, "`MESSAGES` a second for each process; less than one is possible"),
			env.Int(&o.Workers, "workers", 0, "handlers that run at once in each process"),
			env.String(&o.Reason, "reason", "", "why: logs and health pages show this `TEXT`"),
			env.Bool(&off, "off", false, "take all bounds back"),
		}, s.flags()...),
		Run: func(ctx context.Context, queues []string) error {
			switch {
			case off && (o.Rate != 0 || o.Workers != 0):
				return env.Usagef("limit: -off takes both bounds back: give no others")
			case o.Rate < 0 || o.Workers < 0:
				return env.Usagef("limit: -rate and -workers must not be negative")
			case off:
				o.Rate, o.Workers = -1, -1
			case o.Rate == 0 && o.Workers == 0:
				return env.Usagef("limit: give -rate, -workers or -off")
			}
			o.By = s.author()
			return s.run(ctx, e, admin.Action{Action: "limit", Target: limitText(o), Reason: o.Reason}, queues, func(ctx context.Context, c *framework.Client, queue string) (admin.Control, error) {
				return admin.SetLimit(ctx, c, queue, o)
			}, limitFollowed)
		},
	})
}

// limitText says what is to be set.
func limitText(o admin.LimitOptions) string {
	var words []string
	switch {
	case o.Rate < 0:
		words = append(words, "no rate")
	case o.Rate > 0:
		words = append(words, fmt.Sprintf("rate %g", o.Rate))
	}
	switch {
	case o.Workers < 0:
		words = append(words, "no bound of workers")
	case o.Workers > 0:
		words = append(words, fmt.Sprintf("workers %d", o.Workers))
	}
	return strings.Join(words, ", ")
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
