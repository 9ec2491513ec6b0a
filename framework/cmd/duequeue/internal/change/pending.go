package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/operations"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Commands returns those that change messages, and those that steer processes.
func Commands(e *env.Env) []*cli.Command {
	return slices.Concat(pendingCommands(e), []*cli.Command{moveCommand(e), deadCommand(e), forgetCommand(e)}, steerCommands(e))
}

// pendingCommands are those of pending messages: one for each operation of the table.
func pendingCommands(e *env.Env) (all []*cli.Command) {
	for _, o := range operations.Of(operations.Pending) {
		c := &changing{Operating: e.Operating(o, ""), e: e}
		c.Choosing = "-match TEXT"
		yes := "do not ask"
		if !o.AsksEach {
			yes = "with -match: do not ask"
		}
		all = append(all, e.Command(env.Spec{
			Name: o.Name, Args: "QUEUE ID... | -match TEXT QUEUE", Short: o.Short, Group: env.GroupChange, Long: o.Help, Examples: o.Examples, JSON: line{},
			Flags: append(c.choosing(), c.Flags(yes)...), Run: c.run,
		}))
	}
	return all
}

// changing is one run of such a command.
type changing struct {
	*env.Operating

	e       *env.Env
	key     bool
	filter  operations.Filter
	dry     bool
	share   float64
	many    []cli.Flag // that go with -match
	reading reading.Payloads

	shown          screen.Table
	first, last    string // due times of what was chosen
	chosen, unread int64
	failed         bool
	progress       *screen.Progress
}

// previewed bounds how many messages are shown before they are changed.
const previewed = 20

// choosing returns the flags that say which messages are meant.
func (c *changing) choosing() []cli.Flag {
	due := func(name, usage string, to *time.Time) cli.Flag {
		a := &operations.Arg{Name: name, To: to}
		return env.Func(name, usage, a.Set)
	}
	c.many = []cli.Flag{
		due("due-from", "with -match: messages that are due at this `TIME` or later: 2026-01-31T08:00:00Z, or so long from now: 2h", &c.filter.From),
		due("due-before", "with -match: messages that are due before this `TIME`", &c.filter.Before),
		env.Bool(&c.dry, "dry-run", false, "with -match: change nothing, say what would be done"),
		env.Float(&c.share, "share", admin.DefaultFieldShare, "with -match: part of the time for which messages are read, 0.001 to 1"),
	}
	flags := append([]cli.Flag{
		env.String(&c.filter.Text, "match", "", "all messages in which this `TEXT` is found"),
		env.Bool(&c.key, "key", false, "messages are named by the keys of their offers"),
	}, c.many...)
	return append(flags, c.reading.Flags()...)
}

func (c *changing) check(args []string) error {
	all := c.filter.Text != ""
	for _, f := range c.many {
		if f.IsSet() && !all {
			return c.Usagef("-%s goes with -match TEXT", f.Names()[0])
		}
	}
	terminal := screen.IsTerminal(c.e.Stdin)
	switch {
	case all && len(args) != 1:
		return c.Usagef("-match takes one queue and no messages")
	case all && c.key:
		return c.Usagef("-key and -match exclude each other")
	case !(c.share >= 0.001 && c.share <= 1):
		return c.Usagef("-share must be from 0.001 to 1")
	case !all && c.Yes && !c.AsksEach:
		return c.Usagef("-yes goes with -match TEXT")
	case !all && len(args) < 2:
		return c.Usagef("name a queue and at least one message, or all in which a text is found by -match")
	}
	if err := c.Wrong(all); err != nil {
		return err
	}
	for _, name := range args[1:] { // before anything is asked or changed
		if _, err := wire.ParseID(name); err != nil && !c.key {
			return c.Usagef("%w; duequeue find %s %s looks for it, and -key says that it is a key", err, words.Quote(args[0]), words.Quote(name))
		}
	}
	switch {
	case all && !c.dry && !c.Yes && !terminal:
		return c.Usagef("-match changes many: add -yes, or -dry-run to see which")
	case !all && c.AsksEach && !c.Yes && !terminal:
		return c.Usagef("this cannot be undone. Add -yes to confirm")
	}
	return nil
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

func (c *changing) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	return c.reading.With(ctx, c.e, func(ctx context.Context, client *framework.Client) (err error) {
		ctx = journal.With(ctx, &journal.Decoder{Decode: c.reading.Decode})
		call := c.Call(args[0])
		call.Client, call.ByKey = client, c.key
		if call.Messages, err = c.e.Queue(ctx, client, args[0]); err != nil {
			return err
		}
		if c.filter.Text != "" {
			return c.runMany(ctx, call)
		}
		if c.AsksEach && !c.Yes {
			if err = c.Ask(screen.Count(len(args)-1, "message") + " of queue " + screen.Clean(args[0])); err != nil {
				return err
			}
		}
		for i, name := range args[1:] {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted: %d of %d are done; go on from %s", i, len(args)-1, screen.Name(name))
			}
			if err := c.one(ctx, call, name); err != nil {
				return err
			}
		}
		if c.failed {
			return env.ErrReported
		}
		return nil
	})
}

// one does it to one message, and says so. The error is that of the output.
func (c *changing) one(ctx context.Context, call *operations.Call, name string) error {
	l, target := line{Queue: call.Queue, ID: name}, name
	if call.Name = name; c.key {
		l.ID, l.Key, target = "", name, "key "+name
	}
	var r operations.Result
	err := c.Audited(ctx, call, target, func(ctx context.Context) (_ string, err error) {
		if r, err = c.One(ctx, call); err != nil {
			return "", err
		}
		return r.Said, nil
	})
	if r.ID != "" {
		l.ID = string(r.ID)
	}
	if l.Due, l.Was, l.Done = r.Due, r.Was, err == nil; err != nil {
		c.failed, l.Error = true, err.Error()
		if gone := (*fault.NotPendingError)(nil); errors.As(err, &gone) {
			l.Where = string(gone.Where)
		}
		c.e.Warn("%v", err)
	}
	switch {
	case c.e.JSON:
		return c.e.Line(l)
	case !l.Done:
		return nil
	}
	said := screen.Clean(r.Said)
	if to := at(r.Due); !to.IsZero() {
		clock := c.e.Clock()
		said = fmt.Sprintf("message %s is due %s %s, %s; before: %s", screen.Clean(l.ID), clock.At(to), clock.Zone(), screen.Due(to, time.Now()), clock.At(at(r.Was)))
	}
	_, err = fmt.Fprintln(c.e.Stdout, said)
	return err
}

// at reads a time as package words writes it.
func at(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t
}

// runMany chooses, asks and changes.
func (c *changing) runMany(ctx context.Context, call *operations.Call) error {
	c.filter.Fields = payload.Everything
	call.Filter, call.Dry, call.Read, call.Pace = c.filter, c.dry, c.read, budget.CountedPace{Pace: budget.PaceOf(c.share)}
	c.progress = screen.NewProgress(c.e.Stderr)
	c.shown.Header("DUE ("+c.e.Clock().Zone()+")", "IN", "ID", "PAYLOAD")
	call.Looked = func(looked, chosen int64) { c.progress.Tell("%d of %d chosen so far", chosen, looked) }
	var printing error
	call.Chose = func(m operations.Message, due, text string) {
		printing = errors.Join(printing, c.chose(call.Queue, m, due, text))
	}
	more, err := c.Choose(ctx, call)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: nothing was changed")
	case err != nil || printing != nil:
		return errors.Join(err, printing)
	}
	if c.unread > 0 {
		c.e.Warn("%s could not be read, and %s not chosen: give -codec NAME, or -classes FILE.jar with their classes", screen.Count(c.unread, "payload"), screen.Verb(c.unread, "is", "are"))
	}
	switch {
	case c.chosen == 0:
		c.e.Warn("queue %s has no pending message that is chosen", screen.Name(call.Queue))
		return nil
	case c.dry:
		return c.showMany(call.Queue, false)
	}
	if !c.Yes {
		if err = c.askMany(call.Queue, more); err != nil {
			return err
		}
	}
	return c.Audited(ctx, call, c.filter.String(), func(ctx context.Context) (string, error) { return c.apply(ctx, call) })
}

// read returns what is shown of a message, and its value.
func (c *changing) read(p framework.PendingMessage[[]byte]) (line string, value any) {
	if p.Body != nil {
		if line, value, ok := c.reading.Shown(p.Body); ok {
			return line, value
		}
	}
	c.unread++
	return "", nil
}

// chose keeps what is shown of a message before it is changed.
func (c *changing) chose(queue string, one operations.Message, due, text string) error {
	if c.chosen++; c.chosen == 1 {
		c.first = c.e.Clock().At(one.Due)
	}
	c.last = c.e.Clock().At(one.Due)
	switch {
	case c.e.JSON && c.dry:
		return c.e.Line(c.lineOf(queue, one, due))
	case !c.e.JSON && c.chosen <= previewed:
		c.shown.Row(c.last, screen.Due(one.Due, time.Now()), screen.Clean(string(one.ID)), text)
	}
	return nil
}

// lineOf returns the line of a message that is chosen.
func (c *changing) lineOf(queue string, one operations.Message, due string) line {
	l := line{Queue: queue, ID: string(one.ID), Due: due, Dry: c.dry}
	if was := words.Stamp(one.Due); was != due {
		l.Was = was
	}
	return l
}

// showMany shows what is chosen.
func (c *changing) showMany(queue string, asks bool) error {
	if c.e.JSON {
		return nil
	}
	out := c.e.Stdout
	if asks {
		out = c.e.Stderr
	}
	if err := c.shown.Write(out); err != nil {
		return err
	}
	if rest := c.chosen - previewed; rest > 0 {
		fmt.Fprintf(out, "and %d more\n", rest)
	}
	if asks {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s of queue %s would be %s, due from %s to %s%s\n", screen.Count(c.chosen, "message"), screen.Name(queue), c.Done, c.first, c.last, c.takes())
	return err
}

// takes says how long the change takes.
func (c *changing) takes() string {
	rate, _ := c.Arg("rate").To.(*float64)
	if rate == nil || *rate == 0 {
		return ""
	}
	return fmt.Sprintf("; at %g a second that takes %s", *rate, words.Span(time.Duration(float64(c.chosen) / *rate * float64(time.Second))))
}

func (c *changing) askMany(queue string, more bool) error {
	if err := c.showMany(queue, true); err != nil {
		return err
	}
	these := "these " + screen.Count(c.chosen, "message")
	switch {
	case more:
		these = fmt.Sprintf("more than %d messages", c.chosen)
	case c.chosen == 1:
		these = "this message"
	}
	return c.Ask(these+" of queue "+screen.Name(queue), c.takes())
}

// apply changes what was chosen, and says how far it came.
func (c *changing) apply(ctx context.Context, call *operations.Call) (result string, err error) {
	var printing error
	done := int64(0)
	call.Progress = func(n int64, _ *operations.Filter) { done = n }
	call.Changed = func(one operations.Message, due string, failed error) {
		c.progress.Tell("%d of %d %s so far", done, c.chosen, c.Done)
		if !c.e.JSON {
			return
		}
		l := c.lineOf(call.Queue, one, due)
		if l.Done = failed == nil; failed != nil {
			l.Error = failed.Error()
		}
		if !l.Done || l.Was == "" { // it is due no more
			l.Due = ""
		}
		printing = errors.Join(printing, c.e.Line(l))
	}
	n, err := c.All(ctx, call)
	if result = n.Text(c.Done); !c.e.JSON {
		fmt.Fprintln(c.e.Stdout, result)
	}
	switch {
	case err == nil:
		return result, printing
	case ctx.Err() != nil:
		err = errors.New("interrupted: what was done stays done, and " + c.rest(n.Left))
	default:
		err = fmt.Errorf("%w; what was done stays done, and %s", err, c.rest(n.Left))
	}
	return result, errors.Join(err, printing)
}

// rest says how to go on with what is left.
func (c *changing) rest(left operations.Filter) string {
	with := ""
	if in := c.Arg("in"); in != nil && in.Given() {
		to, _ := c.Arg("at").To.(*time.Time)
		with += " -at " + words.Stamp(*to) + " in place of -in"
	}
	if !left.From.IsZero() {
		with += " -due-from " + words.Stamp(left.From)
	}
	if !left.Before.IsZero() {
		with += " -due-before " + words.Stamp(left.Before)
	}
	if with == "" {
		return "the same command goes on with the rest"
	}
	return "the same command goes on with the rest, with" + with
}
