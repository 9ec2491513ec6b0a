package look

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const pendingHelp = `
pending lists the messages that are not due yet, or not transferred yet, Go's and Java's, in
the order in which they fall due: ID, when each is due, and what it holds. Those that are due
("ago") wait for a process that transfers. -from leaves out so many at the beginning.
`

// Pending returns the command that lists pending messages.
func Pending(e *env.Env) *cli.Command {
	p := &page{e: e}
	return e.Command(env.Spec{
		Name: "pending", Args: "QUEUE", Short: "list the messages that are not due yet", Group: env.GroupLook, Long: pendingHelp,
		Examples: []string{"duequeue pending ORDERS", "duequeue pending ORDERS -limit 10 -classes shop.jar"}, JSON: pendingLine{},
		Flags: p.flags(),
		Run: func(ctx context.Context, args []string) error {
			return p.run(ctx, "pending", args, p.pending)
		},
	})
}

const readyHelp = `
ready lists the messages that are due and wait for a consumer, Go's or Java's, the next one
to be taken first. They have no ID there: Java's list holds payloads alone. -from leaves out
so many at the beginning.
`

// Ready returns the command that lists ready messages.
func Ready(e *env.Env) *cli.Command {
	p := &page{e: e}
	return e.Command(env.Spec{
		Name: "ready", Args: "QUEUE", Short: "list the messages that are due and not taken", Group: env.GroupLook, Long: readyHelp,
		Examples: []string{"duequeue ready ORDERS"}, JSON: readyLine{},
		Flags: p.flags(),
		Run: func(ctx context.Context, args []string) error {
			return p.run(ctx, "ready", args, p.ready)
		},
	})
}

// page is a part of a list.
type page struct {
	e           *env.Env
	from, limit int64
	payloads    reading.Payloads

	name  string
	table screen.Table
	shown int64
}

func (p *page) flags() []cli.Flag {
	return append([]cli.Flag{
		env.Int64(&p.limit, "limit", 100, "most messages"),
		env.Int64(&p.from, "from", 0, "leave out so many at the beginning"),
	}, p.payloads.Flags()...)
}

func (p *page) run(ctx context.Context, what string, args []string, list func(context.Context, *framework.Queue[[]byte]) error) error {
	switch {
	case len(args) != 1:
		return env.Usagef("%s: name one queue", what)
	case p.limit < 1 || p.from < 0:
		return env.Usagef("%s: -limit must be positive, -from not negative", what)
	}
	p.name = args[0]
	return p.payloads.With(ctx, p.e, func(ctx context.Context, client *framework.Client) error {
		q, err := p.e.Queue(ctx, client, p.name)
		if err != nil {
			return err
		}
		if err = list(ctx, q); err != nil {
			return err
		}
		return p.end(what)
	})
}

// end says whether there is more, and shows the table.
func (p *page) end(what string) error {
	switch {
	case p.shown == 0 && p.from > 0:
		p.e.Warn("queue %s has no more than %d %s messages", screen.Clean(p.name), p.from, what)
		return nil
	case p.shown == 0:
		p.e.Warn("queue %s has no %s messages", screen.Clean(p.name), what)
		return nil
	case p.shown == p.limit:
		p.e.Warn("there may be more: -from %d goes on", p.from+p.shown)
	}
	if p.e.JSON {
		return nil
	}
	return p.table.Write(p.e.Stdout)
}

// pendingLine is a pending message in JSON.
type pendingLine struct {
	Queue string `json:"queue"`
	ID    string `json:"id,omitempty"`
	Due   string `json:"due,omitempty"` // empty for never
	reading.Value
}

func (p *page) pending(ctx context.Context, q *framework.Queue[[]byte]) error {
	now := time.Now()
	p.table.Header("DUE ("+p.e.Clock().Zone()+")", "IN", "ID", "PAYLOAD")
	for p.shown < p.limit {
		found, err := q.Pending().Page(ctx, p.from+p.shown, min(p.limit-p.shown, 500))
		if err != nil || len(found) == 0 {
			return err
		}
		for _, m := range found {
			p.shown++
			if p.e.JSON {
				line := pendingLine{p.name, string(m.ID), words.Stamp(m.Due), p.payloads.ValueOf(m.Body)}
				if m.Body == nil {
					line.Error = fmt.Sprint(m.Err)
				}
				if err := p.e.Line(line); err != nil {
					return err
				}
				continue
			}
			in := screen.Due(m.Due, now)
			if !m.Due.IsZero() && m.Due.Before(now) {
				in = screen.Yellow.On(in)
			}
			p.table.Row(p.e.Clock().At(m.Due), in, screen.Clean(string(m.ID)), p.summary(m))
		}
	}
	return nil
}

func (p *page) summary(m framework.PendingMessage[[]byte]) string {
	if m.Body == nil {
		return screen.Red.On(screen.Clean("malformed: " + fmt.Sprint(m.Err)))
	}
	return p.payloads.Summary(m.Body)
}

// readyLine is a ready message in JSON.
type readyLine struct {
	Queue string `json:"queue"`
	Place int64  `json:"place"` // 0 is taken next
	reading.Value
}

func (p *page) ready(ctx context.Context, q *framework.Queue[[]byte]) error {
	p.table.Header("PLACE", "PAYLOAD")
	found, err := q.Ready().Page(ctx, p.from, p.limit)
	if err != nil {
		return err
	}
	for _, m := range found {
		place := p.from + p.shown
		p.shown++
		if p.e.JSON {
			if err := p.e.Line(readyLine{p.name, place, p.payloads.ValueOf(m.Body)}); err != nil {
				return err
			}
			continue
		}
		p.table.Row(number(place), p.payloads.Summary(m.Body))
	}
	return nil
}
