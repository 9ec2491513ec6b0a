package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/bulk"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/stamp"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const manyHelp = `
With -match TEXT it changes all pending messages in whose line of "duequeue pending" the text
stands, or that have a field whose value it is; -due-from and -due-before bound them further.
What cannot be read is not chosen: payloads of Kryo's user classes need -classes.
First it chooses, and changes nothing: -dry-run ends there. At a terminal it shows what it has
chosen and asks, elsewhere it needs -yes. Then it changes them, at -rate a second. Interrupted,
it says how far it came and how to go on. Messages without an ID are left.
`

// many is a change of all messages that a filter chooses.
type many struct {
	filter          bulk.Filter
	dueFrom, before string
	dry             bool
	rate, share     float64
	payloads        reading.Payloads
	flags           []cli.Flag // that go with -match
	shown           screen.Table
	first, last     time.Time // due times of what was chosen
	chosen, unread  int64
	progress        *screen.Progress
}

// previewed bounds how many messages are shown before they are changed.
const previewed = 20

// manyFlags returns the flags that choose messages.
func (c *changing) manyFlags() []cli.Flag {
	m := &c.many
	m.flags = append([]cli.Flag{
		env.String(&m.dueFrom, "due-from", "", "with -match: messages that are due at this `TIME` or later: 2026-01-31T08:00:00Z, or so long from now: 2h"),
		env.String(&m.before, "due-before", "", "with -match: messages that are due before this `TIME`"),
		env.Bool(&m.dry, "dry-run", false, "with -match: change nothing, say what would be done"),
		env.Float(&m.rate, "rate", bulk.DefaultRate, "with -match: messages a second; 0 is no limit"),
		env.Float(&m.share, "share", admin.DefaultFieldShare, "with -match: part of the time for which messages are read, 0.001 to 1"),
		env.Bool(&c.yes, "yes", false, c.yesHelp()),
	}, m.payloads.Flags()...)
	return append([]cli.Flag{env.String(&m.filter.Text, "match", "", "all messages in which this `TEXT` is found")}, m.flags...)
}

func (c *changing) yesHelp() string {
	if c.asks {
		return "do not ask"
	}
	return "with -match: do not ask"
}

// checkMany checks the flags that go with -match, or are given without it.
func (c *changing) checkMany(args []string, now time.Time) error {
	m := &c.many
	if m.filter.Text == "" {
		for _, f := range m.flags {
			if name := f.Names()[0]; f.IsSet() && (!c.asks || !slices.Contains([]string{"yes", "codec", "classes"}, name)) {
				return env.Usagef("%s: -%s goes with -match TEXT", c.action, name)
			}
		}
		return nil
	}
	m.filter.Fields = payload.Everything
	switch {
	case len(args) != 1:
		return env.Usagef("%s: -match takes one queue and no messages", c.action)
	case c.key:
		return env.Usagef("%s: -key and -match exclude each other", c.action)
	case m.rate != 0 && !(m.rate >= bulk.LeastRate) || !(m.share >= 0.001 && m.share <= 1):
		return env.Usagef("%s: -rate must be 0 or at least %g, -share from 0.001 to 1", c.action, bulk.LeastRate)
	case !m.dry && !c.yes && !screen.IsTerminal(c.e.Stdin):
		return env.Usagef("%s: -match changes many: add -yes, or -dry-run to see which", c.action)
	}
	return errors.Join(c.setDue("due-from", m.dueFrom, now, &m.filter.From), c.setDue("due-before", m.before, now, &m.filter.Before))
}

// setDue reads a due time, which may be how long it is until then.
func (c *changing) setDue(flag, text string, now time.Time, to *time.Time) error {
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		in, wrong := time.ParseDuration(text)
		if wrong != nil {
			return env.Usagef("%s: -%s %q: a time such as 2026-01-31T08:00:00Z, or how long from now, such as 2h", c.action, flag, text)
		}
		at = now.Add(in)
	}
	*to = at
	return nil
}

// runMany chooses, asks and changes. move is nil to cancel.
func (c *changing) runMany(ctx context.Context, queue string, move bulk.Move) error {
	m := &c.many
	return m.payloads.With(ctx, c.e, func(ctx context.Context, client *framework.Client) (err error) {
		ctx = journal.With(ctx, &journal.Decoder{Decode: m.payloads.Decode})
		if c.queue, err = c.e.Queue(ctx, client, queue); err != nil {
			return err
		}
		b := &bulk.Change{
			Queue: c.queue, Filter: m.filter, Read: m.read, Move: move, MoreTime: move != nil && c.more > 0,
			Rate: m.rate, Pace: budget.CountedPace{Pace: budget.PaceOf(m.share)}, Dry: m.dry,
		}
		m.progress = screen.NewProgress(c.e.Stderr)
		m.shown.Header("DUE ("+c.e.Clock().Zone()+")", "IN", "ID", "PAYLOAD")
		b.Looked = func(looked, chosen int64) { m.progress.Tell("%d of %d chosen so far", chosen, looked) }
		b.Chose = func(one bulk.Message, to time.Time, line string) {
			err = errors.Join(err, c.chose(queue, one, to, line))
		}
		chosen, more, failed := b.Choose(ctx)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted: nothing was changed")
		case failed != nil || err != nil:
			return errors.Join(failed, err)
		}
		if m.unread > 0 {
			c.e.Warn("%s could not be read, and %s not chosen: give -codec NAME, or -classes FILE.jar with their classes", screen.Count(m.unread, "payload"), screen.Verb(m.unread, "is", "are"))
		}
		switch {
		case m.chosen == 0:
			c.e.Warn("queue %s has no pending message that is chosen", screen.Name(queue))
			return nil
		case m.dry:
			return c.showMany(queue, false)
		}
		if !c.yes {
			if err = c.askMany(queue, more); err != nil {
				return err
			}
		}
		a := admin.Action{Who: c.by, Action: c.action, Queue: queue, Target: c.target(), Reason: c.reason}
		return c.e.Audited(ctx, client, a, func(ctx context.Context) (string, error) { return c.apply(ctx, queue, b, chosen, more) })
	})
}

// read returns what is shown of a message, and its value.
func (m *many) read(p framework.PendingMessage[[]byte]) (line string, value any) {
	if p.Body != nil {
		if line, value, ok := m.payloads.Shown(p.Body); ok {
			return line, value
		}
	}
	m.unread++
	return "", nil
}

// chose keeps what is shown of a message before it is changed.
func (c *changing) chose(queue string, one bulk.Message, to time.Time, text string) error {
	m := &c.many
	if m.chosen++; m.chosen == 1 {
		m.first = one.Due
	}
	m.last = one.Due
	if c.e.JSON {
		if !m.dry {
			return nil
		}
		return c.e.Line(c.lineOf(queue, one, to))
	}
	if m.chosen <= previewed {
		m.shown.Row(c.e.Clock().At(one.Due), screen.Due(one.Due, time.Now()), screen.Clean(string(one.ID)), text)
	}
	return nil
}

// lineOf returns the line of a message that is chosen.
func (c *changing) lineOf(queue string, one bulk.Message, to time.Time) line {
	l := line{Queue: queue, ID: string(one.ID), Due: stamp.Of(to), Dry: c.many.dry}
	if c.action == reschedule {
		l.Was = stamp.Of(one.Due)
	}
	return l
}

// showMany shows what is chosen.
func (c *changing) showMany(queue string, asks bool) error {
	m := &c.many
	if c.e.JSON {
		return nil
	}
	out := c.e.Stdout
	if asks {
		out = c.e.Stderr
	}
	if err := m.shown.Write(out); err != nil {
		return err
	}
	if rest := m.chosen - previewed; rest > 0 {
		fmt.Fprintf(out, "and %d more\n", rest)
	}
	if asks {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s of queue %s would be %s, due from %s to %s%s\n",
		screen.Count(m.chosen, "message"), screen.Name(queue), c.done(), c.e.Clock().At(m.first), c.e.Clock().At(m.last), m.takes())
	return err
}

// takes says how long the change takes.
func (m *many) takes() string {
	if m.rate == 0 {
		return ""
	}
	return fmt.Sprintf("; at %g a second that takes %s", m.rate, words.Span(time.Duration(float64(m.chosen)/m.rate*float64(time.Second))))
}

// done is what messages are afterwards.
func (c *changing) done() string {
	if c.action == reschedule {
		return "rescheduled"
	}
	return "cancelled"
}

func (c *changing) askMany(queue string, more bool) error {
	if err := c.showMany(queue, true); err != nil {
		return err
	}
	these := "these " + screen.Count(c.many.chosen, "message")
	switch {
	case more:
		these = fmt.Sprintf("more than %d messages", c.many.chosen)
	case c.many.chosen == 1:
		these = "this message"
	}
	question := fmt.Sprintf("Cancel %s of queue %s for good%s?", these, screen.Name(queue), c.many.takes())
	if c.action == reschedule {
		question = fmt.Sprintf("Reschedule %s of queue %s%s?", these, screen.Name(queue), c.many.takes())
	}
	yes, err := screen.Ask(c.e.Stdin, c.e.Stderr, question)
	if err == nil && !yes {
		err = fmt.Errorf("nothing was %s", c.done())
	}
	return err
}

// target says in words what is changed, for the audit.
func (c *changing) target() string {
	m := &c.many
	parts := []string{fmt.Sprintf("match %q", m.filter.Text)}
	for _, w := range []struct {
		name string
		at   time.Time
	}{{"due from", m.filter.From}, {"due before", m.filter.Before}, {"at", c.at}} {
		if !w.at.IsZero() {
			parts = append(parts, w.name+" "+stamp.Of(w.at))
		}
	}
	if c.more != 0 {
		parts = append(parts, "more "+words.Span(c.more))
	}
	return strings.Join(parts, ", ")
}

// apply changes what was chosen, and says how far it came.
func (c *changing) apply(ctx context.Context, queue string, b *bulk.Change, chosen []bulk.Message, more bool) (result string, err error) {
	var printing error
	b.Looked, b.Chose = nil, nil
	b.Each = func(one bulk.Message, to time.Time, failed error) {
		c.many.progress.Tell("%d of %d %s so far", b.Done, c.many.chosen, c.done())
		if c.e.JSON {
			l := c.lineOf(queue, one, to)
			if l.Done = failed == nil; !l.Done || c.action != reschedule {
				l.Due = ""
			}
			if failed != nil {
				l.Error = failed.Error()
			}
			printing = errors.Join(printing, c.e.Line(l))
		}
	}
	err = b.Apply(ctx, chosen)
	if err == nil && more {
		b.Filter = b.Rest()
		err = b.Run(ctx)
	}
	result = fmt.Sprintf("%d %s", b.Done, c.done())
	if b.Left > 0 {
		result += fmt.Sprintf(", %d left: not pending any more, or due at another time", b.Left)
	}
	if !c.e.JSON {
		fmt.Fprintln(c.e.Stdout, result)
	}
	switch {
	case err == nil:
		return result, printing
	case ctx.Err() != nil:
		err = errors.New("interrupted: what was done stays done, and " + c.rest(b))
	default:
		err = fmt.Errorf("%w; what was done stays done, and %s", err, c.rest(b))
	}
	return result, errors.Join(err, printing)
}

// rest says how to go on.
func (c *changing) rest(b *bulk.Change) string {
	var with []string
	if c.in != 0 {
		with = append(with, "-at "+stamp.Of(c.at)+" in place of -in")
	}
	f := b.Rest() // as times: what is so long from now means others later
	if !f.From.IsZero() {
		with = append(with, "-due-from "+stamp.Of(f.From))
	}
	if !f.Before.IsZero() {
		with = append(with, "-due-before "+stamp.Of(f.Before))
	}
	if len(with) == 0 {
		return "the same command goes on with the rest"
	}
	return "the same command goes on with the rest, with " + strings.Join(with, " ")
}

// flagsOf returns the flags of a command that names messages or chooses many.
func (c *changing) flagsOf(more ...cli.Flag) []cli.Flag {
	return slices.Concat(c.flags(), more, c.manyFlags())
}
