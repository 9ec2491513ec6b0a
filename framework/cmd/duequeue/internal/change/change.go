package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/bulk"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/stamp"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const cancelHelp = `
cancel takes pending messages out of a queue, so that they are never handled: before they are
due, and while they wait for a retry. They are named by their IDs, or with -key by the keys of
their offers; "duequeue find" finds either. A message that is being handled is decided by its
handler, but it is not retried if this attempt fails. One that is not pending stays where it
is, and the command says where that is.

Where the queue keeps a journal, cancel writes the fields that the journal has of other
messages; to read payloads of Kryo's user classes it needs -classes.

It cannot be undone: at a terminal it asks, elsewhere it needs -yes. The exit code is 1
when a message that was named was not cancelled.
` + manyHelp

// Cancel returns the command that cancels messages.
func Cancel(e *env.Env) *cli.Command {
	c := &changing{e: e, action: "cancel", asks: true}
	return e.Command(env.Spec{
		Name: "cancel", Args: "QUEUE ID... | -match TEXT QUEUE", Short: "take pending messages out of a queue", Group: env.GroupChange, Long: cancelHelp,
		Examples: []string{"duequeue cancel ORDERS 18bcfe568000-a1b2c3d4e5f601", "duequeue cancel -key ORDERS 4711 4712 -yes", "duequeue cancel ORDERS -match shop-north -due-before 24h -dry-run"}, JSON: line{},
		Flags: c.flagsOf(),
		Run: func(ctx context.Context, args []string) error {
			if err := c.check(args); err != nil {
				return err
			}
			if c.many.filter.Text != "" {
				return c.runMany(ctx, args[0], nil)
			}
			if !c.yes && !screen.IsTerminal(e.Stdin) {
				return env.Usagef("cancel: this cannot be undone. Add -yes to confirm")
			}
			return c.run(ctx, args, c.cancel)
		},
	})
}

const reschedule = "reschedule"

const rescheduleHelp = `
reschedule gives pending messages another due time: -more 1h later than it is, -more -10m
earlier, -in 30m from now, or -at a time. A time that has passed makes them due at once.
Messages keep their IDs, and Java learns of an earlier time as of a new message. They are
named by their IDs, or with -key by the keys of their offers; "duequeue find" finds either.
The exit code is 1 when a message that was named was not rescheduled.
` + manyHelp + `
With -more 1h it begins with what is due last, so that what is done is always behind what is
not; where time is short, begin with -due-before 10m, or raise the rate.
`

// Reschedule returns the command that changes due times.
func Reschedule(e *env.Env) *cli.Command {
	c := &changing{e: e, action: reschedule}
	at := ""
	return e.Command(env.Spec{
		Name: reschedule, Args: "QUEUE ID... | -match TEXT QUEUE", Short: "give pending messages another due time", Group: env.GroupChange, Long: rescheduleHelp,
		Examples: []string{"duequeue reschedule ORDERS 18bcfe568000-a1b2c3d4e5f601 -more 1h", "duequeue reschedule -key ORDERS 4711 -at 2026-01-31T08:00:00Z", "duequeue reschedule ORDERS -match shop-north -more 1h -reason 'storm' -yes"}, JSON: line{},
		Flags: c.flagsOf(
			env.Duration(&c.more, "more", 0, "so much later than it is: 1h; earlier: -10m"),
			env.Duration(&c.in, "in", 0, "so long from now: 30m"),
			env.String(&at, "at", "", "this `TIME`: 2026-01-31T08:00:00Z"),
		),
		Run: func(ctx context.Context, args []string) error {
			if err := errors.Join(c.check(args), c.times(at)); err != nil {
				return env.Usage(err)
			}
			if c.many.filter.Text != "" {
				return c.runMany(ctx, args[0], c.move())
			}
			return c.run(ctx, args, c.reschedule)
		},
	})
}

// changing is one run of either.
type changing struct {
	e        *env.Env
	action   string
	key, yes bool
	reason   string
	by       string
	asks     bool // before it changes anything
	more, in time.Duration
	at       time.Time
	many     many

	queue *framework.Queue[[]byte]
}

func (c *changing) flags() []cli.Flag {
	return []cli.Flag{
		env.Bool(&c.key, "key", false, "messages are named by the keys of their offers"),
		env.String(&c.reason, "reason", "", "why: the audit shows this `TEXT`"),
		env.String(&c.by, "by", "", "who: the `NAME` that the audit shows; defaults to $USER and the host"),
	}
}

func (c *changing) check(args []string) error {
	if err := c.checkMany(args, time.Now()); err != nil {
		return err
	}
	if c.many.filter.Text != "" {
		return nil
	}
	if len(args) < 2 {
		return env.Usagef("%s: name a queue and at least one message, or all in which a text is found by -match", c.action)
	}
	for _, name := range args[1:] { // before anything is asked or changed
		if _, err := wire.ParseID(name); err != nil && !c.key {
			return env.Usagef("%s: %w; duequeue find %s %s looks for it, and -key says that it is a key", c.action, err, words.Quote(args[0]), words.Quote(name))
		}
	}
	return nil
}

func (c *changing) times(at string) error {
	given := 0
	for _, is := range []bool{c.more != 0, c.in != 0, at != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return env.Usagef("reschedule: give one of -more, -in and -at")
	}
	if at == "" {
		return nil
	}
	var err error
	if c.at, err = time.Parse(time.RFC3339, at); err != nil {
		return env.Usagef("reschedule: -at %q: a time such as 2026-01-31T08:00:00Z", at)
	}
	return nil
}

// move says how due times change.
func (c *changing) move() bulk.Move {
	if c.more != 0 {
		return bulk.Later(c.more)
	}
	if c.in != 0 {
		c.at = time.Now().Add(c.in)
	}
	return bulk.To(c.at)
}

// line is a message in JSON.
type line struct {
	Queue string `json:"queue"`
	ID    string `json:"id,omitempty"`
	Key   string `json:"key,omitempty"`
	Done  bool   `json:"done"`
	Due   string `json:"due,omitempty"`   // as it is now
	Was   string `json:"was,omitempty"`   // due
	Where string `json:"where,omitempty"` // it is, where it is not pending
	Error string `json:"error,omitempty"`
	Dry   bool   `json:"dryRun,omitempty"` // it would be done
}

func (c *changing) run(ctx context.Context, args []string, do func(ctx context.Context, l *line) (said string, err error)) (err error) {
	return c.many.payloads.With(ctx, c.e, func(ctx context.Context, client *framework.Client) error {
		return c.runOn(ctx, client, args, do)
	})
}

func (c *changing) runOn(ctx context.Context, client *framework.Client, args []string, do func(ctx context.Context, l *line) (said string, err error)) (err error) {
	ctx = journal.With(ctx, &journal.Decoder{Decode: c.many.payloads.Decode})
	if c.queue, err = c.e.Queue(ctx, client, args[0]); err != nil {
		return err
	}
	if c.asks && !c.yes {
		yes, err := screen.Ask(c.e.Stdin, c.e.Stderr, fmt.Sprintf("Cancel %s of queue %s for good?", screen.Count(len(args)-1, "message"), screen.Clean(args[0])))
		if err != nil || !yes {
			return errors.Join(err, errors.New("nothing was cancelled"))
		}
	}
	failed := false
	for i, name := range args[1:] {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %d of %d are done; go on from %s", i, len(args)-1, screen.Name(name))
		}
		l := line{Queue: args[0], ID: name}
		if c.key {
			l.ID, l.Key = "", name
		}
		target := name
		if c.key {
			target = "key " + name
		}
		said := ""
		err := c.e.Audited(ctx, client, admin.Action{Who: c.by, Action: c.action, Queue: args[0], Target: target, Reason: c.reason}, func(ctx context.Context) (_ string, err error) {
			said, err = do(ctx, &l)
			if err != nil {
				return "", err
			}
			return said, nil
		})
		if l.Done = err == nil; err != nil {
			failed, l.Error = true, err.Error()
			if gone := (*fault.NotPendingError)(nil); errors.As(err, &gone) {
				l.Where = string(gone.Where)
			}
			c.e.Warn("%v", err)
		}
		switch {
		case c.e.JSON:
			err = c.e.Line(l)
		case l.Done:
			_, err = fmt.Fprintln(c.e.Stdout, said)
		default:
			continue
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return env.ErrReported
	}
	return nil
}

func (c *changing) cancel(ctx context.Context, l *line) (said string, err error) {
	if c.key {
		return fmt.Sprintf("the message with the key %s is cancelled", screen.Clean(l.Key)), c.queue.CancelKey(ctx, l.Key)
	}
	return fmt.Sprintf("message %s is cancelled", screen.Clean(l.ID)), c.queue.Cancel(ctx, framework.ID(l.ID))
}

func (c *changing) reschedule(ctx context.Context, l *line) (said string, err error) {
	var m framework.PendingMessage[[]byte]
	if c.key {
		m, err = c.queue.Pending().GetKey(ctx, l.Key)
	} else {
		m, err = c.queue.Pending().Get(ctx, framework.ID(l.ID))
	}
	if err != nil {
		return "", err
	}
	to := c.at
	switch {
	case c.more != 0 && m.Due.IsZero():
		return "", errors.New("it is never due: give -in or -at")
	case c.more != 0:
		to = m.Due.Add(c.more)
	case c.in != 0:
		to = time.Now().Add(c.in)
	}
	l.ID, l.Was = string(m.ID), stamp.Of(m.Due)
	if c.key {
		var id framework.ID
		if id, err = c.queue.RescheduleKey(ctx, l.Key, to); err == nil {
			l.ID = string(id)
		}
	} else {
		err = c.queue.Reschedule(ctx, m.ID, to)
	}
	if err != nil {
		return "", err
	}
	l.Due = stamp.Of(to)
	clock := c.e.Clock()
	return fmt.Sprintf("message %s is due %s %s, %s; before: %s", screen.Clean(l.ID), clock.At(to), clock.Zone(), screen.Due(to, time.Now()), clock.At(m.Due)), nil
}
