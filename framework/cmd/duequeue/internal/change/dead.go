package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/handlers"
)

const deadHelp = `
A message that cannot be handled goes to the dead store of its queue, with its
bytes and the reason. QUEUE is the name that Java gives to getBlockingQueue.

Filters go with list, export, and -all of redrive and drop; an entry must match all of
them: -reason, -text, -since, -until, -after, -digest, -min-failed, -max-failed,
-min-redriven, -codec, -class, -group. Times are RFC 3339 (2026-01-31T08:00:00Z), or a time ago
(90m, 36h). -dry-run changes nothing and says what would be done.

Any of these may run while others run, and you may interrupt it and run it again: what
is done stays done. Progress goes to stderr. The exit code is 1 when an entry that was
named was not there or not put back, or something failed.
`

// deadCommand looks at dead letters, puts them back, keeps or drops them.
func deadCommand(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "dead", Short: "look at messages that died, put them back, keep or drop them; bury others", Group: env.GroupChange, Long: deadHelp,
		Commands: slices.Concat([]*cli.Command{list(e), groups(e), show(e)}, letterCommands(e), []*cli.Command{export(e)}, readyCommands(e)),
	})
}

// deadRun is one run of a verb.
type deadRun struct {
	e       *env.Env
	filters []cli.Flag // that choose entries
	limit   int64
	drops   bool // export -drop

	reasons      string
	codec        string
	since, until string
	filter       framework.DeadFilter

	payloads reading.Payloads
	client   *framework.Client
	name     string
	queue    *framework.Queue[[]byte]
	progress *screen.Progress
}

// choosing returns the flags that choose entries.
func (d *deadRun) choosing(limit int64) []cli.Flag {
	d.filters = []cli.Flag{env.Int64(&d.limit, "limit", limit, "most entries; 0 is no limit")}
	return append(slices.Clone(d.filters), d.filtering()...)
}

// filtering returns those of them that say which, of however many.
func (d *deadRun) filtering() []cli.Flag {
	f := &d.filter
	flags := []cli.Flag{
		env.String(&d.reasons, "reason", "", "entries with one of these `REASONS`, by comma: "+strings.Join(handlers.Reasons(), ", ")),
		env.String(&f.Text, "text", "", "entries with this `TEXT` in their detail, in any case"),
		env.String(&f.Digest, "digest", "", "entries whose payload has this `DIGEST`, as logs and traces name it"),
		env.String(&d.since, "since", "", "entries that died at this `TIME` or later"),
		env.String(&d.until, "until", "", "entries that died before this `TIME`"),
		env.String(&f.After, "after", "", "entries that died after this `ENTRY`"),
		env.Int(&f.MinFailed, "min-failed", 0, "entries that failed so often at least"),
		env.Int(&f.MaxFailed, "max-failed", 0, "entries that failed so often at most; 0 is no bound"),
		env.Int(&f.MinRedriven, "min-redriven", 0, "entries that had been redriven so often at least"),
		env.String(&d.codec, "codec", "", "entries whose bytes look most like this codec's `NAME`: a guess"),
		env.String(&f.Class, "class", "", "entries with this `NAME` in their payload, a Java class for example"),
		env.String(&f.Group, "group", "", "entries of the group with this `KEY`, see \"duequeue help dead groups\"; give the same -classes"),
	}
	d.filters = append(d.filters, flags...)
	return append(flags, d.payloads.FlagsWithoutCodec()...)
}

// chosen returns the first flag that chooses entries and was given, "" for none.
func (d *deadRun) chosen() string {
	for _, f := range d.filters {
		if f.IsSet() {
			return f.Names()[0]
		}
	}
	return ""
}

func list(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	oldest := false
	return e.Command(env.Spec{
		Name: "list", Args: "QUEUE", Short: "list dead letters, the newest first", JSON: deadletter.Line{},
		Examples: []string{"duequeue dead list ORDERS", "duequeue dead list ORDERS -reason rejected -since 2h"},
		Flags:    append([]cli.Flag{env.Bool(&oldest, "oldest", false, "the oldest first")}, d.choosing(100)...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "list", args, 0, func(ctx context.Context) error { return d.list(ctx, oldest) })
		},
	})
}

func show(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	return e.Command(env.Spec{
		Name: "show", Args: "QUEUE ENTRY", Short: "show one with its payload, its former deaths, and which codec may have written it", JSON: deadletter.Line{},
		Examples: []string{"duequeue dead show ORDERS 1700000120000-0", "duequeue dead show ORDERS 1700000120000-0 -classes shop.jar"},
		Flags:    append([]cli.Flag{d.payloads.WholeFlag()}, d.payloads.Flags()...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "show", args, 1, func(ctx context.Context) error { return d.show(ctx, args[1]) })
		},
	})
}

func export(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	return e.Command(env.Spec{
		Name: "export", Args: "QUEUE", Short: "write dead letters with their payloads as lines of JSON, the oldest first", JSON: deadletter.Line{},
		Examples: []string{"duequeue dead export ORDERS > dead.jsonl"},
		Flags:    append([]cli.Flag{env.Bool(&d.drops, "drop", false, "delete what was written")}, d.choosing(0)...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "export", args, 0, func(ctx context.Context) error {
				if !d.drops {
					_, err := d.export(ctx)
					return err
				}
				a := admin.Action{Action: "drop", Queue: d.name, Target: d.filter.String()}
				return e.Audited(ctx, d.client, a, d.export)
			})
		},
	})
}

// open checks the command line, connects and does something. So many entries are named behind the
// queue; with a negative number as many as there are.
func (d *deadRun) open(ctx context.Context, what string, args []string, named int, do func(context.Context) error) error {
	var err error
	switch entries := len(args) - 1; {
	case entries < 0:
		err = fmt.Errorf("dead %s: no queue given", what)
	case named >= 0 && entries != named:
		err = fmt.Errorf("dead %s: %d entries given", what, entries)
	case d.limit < 0:
		err = fmt.Errorf("dead %s: -limit must not be negative", what)
	}
	if err = errors.Join(err, d.choose(time.Now())); err != nil {
		return env.Usage(err)
	}
	return d.payloads.With(ctx, d.e, func(ctx context.Context, client *framework.Client) (err error) {
		d.client, d.name, d.progress = client, args[0], screen.NewProgress(d.e.Stderr)
		if d.queue, err = d.e.Queue(ctx, client, d.name); err != nil {
			return err
		}
		if err = do(ctx); ctx.Err() != nil {
			return env.Interrupted()
		}
		return err
	})
}

// choose reads the filters that are more than a value.
func (d *deadRun) choose(now time.Time) error {
	if d.reasons != "" {
		d.filter.Reasons = strings.Split(d.reasons, ",")
	}
	var errs []error
	for _, reason := range d.filter.Reasons {
		if known := handlers.Reasons(); !slices.Contains(known, reason) {
			errs = append(errs, fmt.Errorf("dead: there is no reason %q%s; there are %s", reason, env.DidYouMean(reason, known), strings.Join(known, ", ")))
		}
	}
	errs = append(errs, setTime("since", d.since, now, &d.filter.Since), setTime("until", d.until, now, &d.filter.Until))
	if d.filter.Group != "" {
		d.filter.Choose = admin.DeadGroup{Key: d.filter.Group}.Filter(admin.Payloads{Decode: d.payloads.Decode}).Choose
	}
	if d.codec != "" {
		if _, err := catalog.Find(d.codec); err != nil {
			errs = append(errs, fmt.Errorf("dead: -codec: %w", err))
		}
		codec := catalog.Canonical(d.codec)
		d.filter.Payload = func(body []byte) bool { return sniff.Like(body, codec) }
	}
	return errors.Join(errs...)
}

// setTime reads the time of a flag, which may be how long ago it was.
func setTime(flag, text string, now time.Time, to *time.Time) error {
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		ago, wrong := time.ParseDuration(text)
		if wrong != nil {
			return fmt.Errorf("dead: -%s %q: a time such as 2026-01-31T08:00:00Z, or how long ago, such as 36h", flag, text)
		}
		at = now.Add(-ago)
	}
	*to = at
	return nil
}
