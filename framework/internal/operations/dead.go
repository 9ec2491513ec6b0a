package operations

import (
	"context"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/handlers"
)

var redrive = Operation{
	Name: "redrive", Subject: Dead, Role: "operate",
	Short: "put dead letters back into the queue",
	Help: `
redrive puts entries back to the end of the ready list, or with -delay among the delayed
ones, as new messages without attempts but with their history; do it once the cause is
gone. With -all it puts back all that the filters choose, at -rate a second.

Messages that killed their processes (crash-loop) or hung (hung) do so again while the
cause is there. With -all they stay unless -harmful, -reason or -group chooses them, and
it says how many stay.

Malformed entries are elements that fit no layout of Redisson's, not payloads: they stay
where they are unless -malformed says otherwise.
`,
	Examples: []string{"duequeue dead redrive ORDERS 1700000120000-0", "duequeue dead redrive ORDERS -all -reason rejected -rate 5 -dry-run"},
	Done:     "redriven",
	Title:    "Put back", Button: "Put back", ButtonAll: "Put back", OpenAll: true, Note: "As new messages with their IDs, without attempts, due now. Start with 5, check that they stay handled, then empty the second field. What killed processes or hung stays: choose that by its group.",
	New: func() *Run {
		o := framework.RedriveOptions{Rate: framework.DefaultRedriveRate}
		return &Run{
			Args: []*Arg{
				{Name: "malformed", To: &o.Malformed, Help: "malformed entries, too"},
				{Name: "harmful", To: &o.Harmful, Help: "with -all: messages that killed processes or hung, too", Use: OfAll},
				{Name: "rate", To: &o.Rate, Help: "with -all: `ENTRIES` a second; 0 is no limit", Use: OfAll, Label: "Messages a second", Initial: "5", Bounds: true},
				{Name: "delay", To: &o.Delay, Help: "due this `TIME` after they are put back"},
				{Name: "spread", To: &o.Spread, Help: "a random time up to this `TIME` is added to each delay"},
				mostOf(&o.Limit),
			},
			Check: func(bool) error {
				if !(o.Rate >= 0 && o.Rate <= 1e6) || o.Delay < 0 || o.Spread < 0 || o.Limit < 0 {
					return errors.New("-limit, -rate, -delay and -spread must not be negative, and -rate at most a million")
				}
				return nil
			},
			One: func(ctx context.Context, c *Call) (Result, error) { return redriveOne(ctx, c, o) },
			All: func(ctx context.Context, c *Call) (Counts, error) { return redriveAll(ctx, c, o) },
		}
	},
}

// mostOf is the argument that bounds how many are changed.
func mostOf(to *int64) *Arg {
	return &Arg{Name: "limit", To: to, Help: "most `ENTRIES`, with -all; 0 is no limit", Use: OfAll, Label: "At most", Initial: "5", Empty: "no limit", Bounds: true}
}

// redriveOne puts one entry back, or only looks for it.
func redriveOne(ctx context.Context, c *Call, o framework.RedriveOptions) (r Result, err error) {
	if !c.Dry {
		err = c.Messages.Dead().Redrive(ctx, c.Name, o)
		return Result{Said: "Put back: " + c.Name + " is ready again."}, err
	}
	m, err := c.Messages.Dead().Get(ctx, c.Name)
	if err == nil && m.Reason == handlers.ReasonMalformed && !o.Malformed {
		err = fmt.Errorf("%w: %s", fault.ErrMalformedEntry, c.Name)
	}
	return r, err
}

func redriveAll(ctx context.Context, c *Call, o framework.RedriveOptions) (Counts, error) {
	if o.Filter, o.DryRun = c.Dead, c.Dry; o.Rate == 0 {
		o.Rate = -1
	}
	if o.Limit > 0 {
		if o.Limit -= c.Was; o.Limit <= 0 {
			return Counts{Done: c.Was}, nil
		}
	}
	would := int64(0)
	if c.Dry {
		o.Each = func(m framework.DeadMessage, err error) {
			if err == nil {
				would++
				if c.Preview != nil {
					c.Preview(m)
				}
			}
		}
	}
	o.Progress = func(r framework.RedriveResult) { c.tell(c.Was+max(r.Redriven, would), nil) }
	r, err := c.Messages.Dead().RedriveAll(ctx, o)
	n := Counts{Done: c.Was + r.Redriven, Rest: r.Skipped, Why: "left", Harmful: r.Harmful, Unknown: r.Unknown}
	if c.Dry {
		n.Done, n.Rest = would, r.Skipped+r.Matched-would
	}
	if ctx.Err() != nil { // how many are left is not known
		n.Why = ""
	}
	if err == nil && o.Limit > 0 && max(r.Redriven, would) >= o.Limit {
		o.Filter.After, o.Limit, o.DryRun, o.Each, o.Progress = r.Last, MostMore, true, nil, nil
		r, err = c.Messages.Dead().RedriveAll(ctx, o)
		n.More = r.Matched
	}
	return n, err
}

var drop = Operation{
	Name: "drop", Subject: Dead, Role: "admin",
	Short:    "delete dead letters for good",
	Help:     "\nWith -all it deletes all that the filters choose; it asks first, and without a terminal it\nneeds -yes.\n",
	Examples: []string{"duequeue dead drop ORDERS 1700000120000-0", "duequeue dead drop ORDERS -all -until 720h -yes"},
	Question: "Delete %s for good", Confirms: true, Done: "dropped",
	Title: "Delete for good", Button: "Delete", ButtonAll: "Delete all of these",
	New: func() *Run {
		most := int64(0)
		limit := mostOf(&most)
		limit.Label = "" // the console deletes all that it shows
		return &Run{
			Args: []*Arg{limit},
			Check: func(bool) error {
				if most < 0 {
					return errors.New("-limit must not be negative")
				}
				return nil
			},
			One: func(ctx context.Context, c *Call) (Result, error) {
				if c.Dry {
					_, err := c.Messages.Dead().Get(ctx, c.Name)
					return Result{}, err
				}
				n, err := c.Messages.Dead().Drop(ctx, c.Name)
				if err == nil && n == 0 {
					err = fmt.Errorf("%w: %s", fault.ErrNoEntry, c.Name)
				}
				return Result{Said: "Deleted for good: " + c.Name + "."}, err
			},
			All: func(ctx context.Context, c *Call) (Counts, error) { return dropAll(ctx, c, most) },
		}
	},
}

// dropStep is how many entries are deleted at once.
const dropStep = 500

func dropAll(ctx context.Context, c *Call, most int64) (n Counts, err error) {
	chosen := int64(0)
	gone := deadletter.Dropping{View: c.Messages.Dead(), Step: dropStep}
	for m, failed := range c.Messages.Dead().All(ctx, c.Dead) {
		if err = failed; err != nil {
			break
		}
		if most > 0 && chosen >= most {
			if n.More++; n.More >= MostMore {
				break
			}
			continue
		}
		if chosen++; !c.Dry {
			err = gone.Add(ctx, m.Entry)
		} else if c.Preview != nil {
			c.Preview(m)
		}
		if err != nil {
			break
		}
		if c.Dry {
			c.tell(chosen, nil)
		} else {
			c.tell(c.Was+gone.Dropped, nil)
		}
	}
	if err == nil {
		err = gone.Flush(ctx)
	}
	n.Done, n.Why = c.Was+gone.Dropped, "missing"
	if n.Rest = chosen - gone.Dropped; c.Dry {
		n.Done, n.Rest = chosen, 0
	}
	return n, err
}

var bury = Operation{
	Name: "bury", Subject: Ready, Role: "operate",
	Short: "move ready messages to the dead store",
	Help: `
bury moves messages that are ready to the dead store, the next one to be handled first: payloads
of another codec, say, that hold up what waits behind them. They get the reason buried, and
-reason as their detail; "duequeue dead redrive QUEUE -all -reason buried" puts them back. It
looks at those that are ready when it begins. Consumers that take at the same time move the others, so
that it may miss some: run it again. What a process has taken is not ready.

You may interrupt it: what is done stays done, and nothing is lost. It asks first, and without a
terminal it needs -yes.
`,
	Examples: []string{"duequeue dead bury ORDERS -reason old-json -limit 10 -dry-run", "duequeue dead bury ORDERS -reason old-json -codec jsonjackson -yes"},
	Reason:   "why, as `TEXT`: for their detail and the audit; required", NeedsReason: true,
	Question: "Move %s to the dead store", Confirms: true, Done: "buried",
	Title: "Move to the dead letters", ButtonAll: "Move them",
	Note: "For payloads of another codec that hold up what waits behind them. The next one to be handled goes first. Dead letters can be put back.",
	New: func() *Run {
		var o framework.BuryOptions
		codec := ""
		limit := &Arg{Name: "limit", To: &o.Limit, Help: "most `MESSAGES`; 0 is no limit", Label: "At most; empty is no limit", Initial: "10", Bounds: true}
		return &Run{
			Args: []*Arg{
				{Name: "class", To: &o.Class, Help: "messages with this `NAME` in their payload, a Java class for example", Label: "Java class in the payload; empty is any"},
				limit,
				{Name: "codec", To: &codec, Help: "messages whose bytes look most like this codec's `NAME`: a guess"},
			},
			Check: func(bool) error {
				if o.Limit < 0 {
					return errors.New("-limit must not be negative")
				}
				if codec == "" {
					return nil
				}
				if _, err := catalog.Find(codec); err != nil {
					return fmt.Errorf("-codec: %w", err)
				}
				name := catalog.Canonical(codec)
				o.Choose = func(body []byte) bool { return sniff.Like(body, name) }
				return nil
			},
			All: func(ctx context.Context, c *Call) (Counts, error) { return buryAll(ctx, c, o) },
		}
	},
}

func buryAll(ctx context.Context, c *Call, o framework.BuryOptions) (Counts, error) {
	o.Detail, o.DryRun = codecs.Printable(c.Reason, 1<<10)+" ("+c.Who+")", c.Dry
	if o.Limit > 0 {
		if o.Limit -= c.Was; o.Limit <= 0 {
			return Counts{Done: c.Was}, nil
		}
	}
	count := func(r framework.BuryResult) int64 {
		if c.Dry {
			return r.Matched
		}
		return c.Was + r.Buried
	}
	o.Progress = func(r framework.BuryResult) { c.tell(count(r), nil) }
	r, err := c.Messages.Ready().Bury(ctx, o)
	return Counts{Done: count(r), Rest: r.Left, Why: "not looked at"}, err
}
