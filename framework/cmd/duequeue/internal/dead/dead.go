// Package dead has the commands for dead letters.
package dead

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

// Command returns the command that looks at dead letters, puts them back, keeps or drops them.
func Command(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "dead", Short: "look at messages that died, put them back, keep or drop them; bury others", Group: env.GroupChange, Long: deadHelp,
		Commands: []*cli.Command{list(e), groups(e), show(e), redrive(e), drop(e), export(e), bury(e)},
	})
}

// deadRun is one run of a verb.
type deadRun struct {
	e       *env.Env
	filters []cli.Flag // that choose entries
	all     bool
	limit   int64
	more    int64 // entries behind the limit
	harmful int64 // entries that redrive -all leaves
	dry     bool
	drops   bool // export -drop
	yes     bool // drop -all, without a question

	reasons      string
	codec        string
	since, until string
	filter       framework.DeadFilter
	redriving    framework.RedriveOptions

	payloads reading.Payloads
	client   *framework.Client
	name     string
	queue    *framework.Queue[[]byte]
	failed   bool
	result   string // what was done, for the audit
	progress *screen.Progress

	wouldBe     *screen.Table // entries that a dry run chose
	wouldBeMore int           // how many, those that are not in the table included
}

// choosing returns the flags that choose entries.
func (d *deadRun) choosing(limit int64, limited string) []cli.Flag {
	f := &d.filter
	d.filters = []cli.Flag{
		env.Int64(&d.limit, "limit", limit, "most entries"+limited),
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
	return slices.Concat(d.filters, d.payloads.FlagsWithoutCodec())
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
		Flags:    append([]cli.Flag{env.Bool(&oldest, "oldest", false, "the oldest first")}, d.choosing(100, "; 0 is no limit")...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "list", args, 0, 0, func(ctx context.Context) error { return d.list(ctx, oldest) })
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
			return d.open(ctx, "show", args, 1, 1, func(ctx context.Context) error { return d.show(ctx, args[1]) })
		},
	})
}

const redriveHelp = `
redrive puts entries back to the end of the ready list, or with -delay among the delayed
ones, as new messages without attempts but with their history; do it once the cause is
gone. With -all it puts back all that the filters choose, at -rate a second.

Messages that killed their processes (crash-loop) or hung (hung) do so again while the
cause is there. With -all they stay unless -harmful, -reason or -group chooses them, and
it says how many stay.

Malformed entries are elements that fit no layout of Redisson's, not payloads: they stay
where they are unless -malformed says otherwise.
`

func redrive(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	o := &d.redriving
	return e.Command(env.Spec{
		Name: "redrive", Args: "QUEUE ENTRY... | -all QUEUE", Short: "put dead letters back into the queue", Long: redriveHelp, JSON: doneLine{},
		Examples: []string{"duequeue dead redrive ORDERS 1700000120000-0", "duequeue dead redrive ORDERS -all -reason rejected -rate 5 -dry-run"},
		Flags: append([]cli.Flag{
			env.Bool(&d.all, "all", false, "all entries that the filters choose"),
			env.Bool(&d.dry, "dry-run", false, "change nothing, say what would be done"),
			env.Bool(&o.Malformed, "malformed", false, "malformed entries, too"),
			env.Bool(&o.Harmful, "harmful", false, "with -all: messages that killed processes or hung, too"),
			env.Float(&o.Rate, "rate", framework.DefaultRedriveRate, "with -all: entries a second; 0 is no limit"),
			env.Duration(&o.Delay, "delay", 0, "due so long after they are put back"),
			env.Duration(&o.Spread, "spread", 0, "a random time up to so long is added to each delay"),
		}, d.choosing(0, ", with -all; 0 is no limit")...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "redrive", args, 0, -1, func(ctx context.Context) error {
				return d.audited(ctx, "redrive", args[1:], func(ctx context.Context) error { return d.redrive(ctx, args[1:]) })
			})
		},
	})
}

func drop(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	return e.Command(env.Spec{
		Name: "drop", Args: "QUEUE ENTRY... | -all QUEUE", Short: "delete dead letters for good", JSON: doneLine{},
		Long:     "\nWith -all it deletes all that the filters choose; it asks first, and without a terminal it\nneeds -yes.\n",
		Examples: []string{"duequeue dead drop ORDERS 1700000120000-0", "duequeue dead drop ORDERS -all -until 720h -yes"},
		Flags: append([]cli.Flag{
			env.Bool(&d.all, "all", false, "all entries that the filters choose"),
			env.Bool(&d.dry, "dry-run", false, "change nothing, say what would be done"),
			env.Bool(&d.yes, "yes", false, "do not ask"),
		}, d.choosing(0, ", with -all; 0 is no limit")...),
		Run: func(ctx context.Context, args []string) error {
			if err := d.check("drop", args, 0, -1); err != nil {
				return env.Usage(err)
			}
			if d.all && !d.dry && !d.yes && !screen.IsTerminal(e.Stdin) {
				return env.Usagef("dead drop: -all deletes for good: add -yes, or -dry-run to see what would go")
			}
			return d.open(ctx, "drop", args, 0, -1, func(ctx context.Context) error {
				if d.all && !d.dry && !d.yes {
					if err := d.confirm(ctx); err != nil {
						return err
					}
				}
				return d.audited(ctx, "drop", args[1:], func(ctx context.Context) error { return d.drop(ctx, args[1:]) })
			})
		},
	})
}

func export(e *env.Env) *cli.Command {
	d := &deadRun{e: e}
	return e.Command(env.Spec{
		Name: "export", Args: "QUEUE", Short: "write dead letters with their payloads as lines of JSON, the oldest first", JSON: deadletter.Line{},
		Examples: []string{"duequeue dead export ORDERS > dead.jsonl"},
		Flags:    append([]cli.Flag{env.Bool(&d.drops, "drop", false, "delete what was written")}, d.choosing(0, "; 0 is no limit")...),
		Run: func(ctx context.Context, args []string) error {
			return d.open(ctx, "export", args, 0, 0, func(ctx context.Context) error {
				if !d.drops {
					return d.export(ctx)
				}
				return d.audited(ctx, "drop", nil, d.export)
			})
		},
	})
}

// open checks the command line, connects and does something. Between least and most entries
// are named behind the queue; most is negative where -all may take their place.
func (d *deadRun) open(ctx context.Context, what string, args []string, least, most int, do func(context.Context) error) error {
	if err := errors.Join(d.check(what, args, least, most), d.choose(time.Now())); err != nil {
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
		if err == nil && d.failed {
			return env.ErrReported
		}
		return err
	})
}

func (d *deadRun) check(what string, args []string, least, most int) error {
	entries := len(args) - 1
	switch {
	case entries < 0:
		return fmt.Errorf("dead %s: no queue given", what)
	case most >= 0 && (entries < least || entries > most):
		return fmt.Errorf("dead %s: %d entries given", what, entries)
	case most < 0 && d.all == (entries > 0):
		return fmt.Errorf("dead %s: name entries, or say -all", what)
	case most < 0 && !d.all && d.chosen() != "":
		return fmt.Errorf("dead %s: -%s goes with -all", what, d.chosen())
	case d.limit < 0 || d.redriving.Rate < 0 || d.redriving.Delay < 0 || d.redriving.Spread < 0:
		return fmt.Errorf("dead %s: -limit, -rate, -delay and -spread must not be negative", what)
	}
	return nil
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

// doneLine says in JSON how many entries were dealt with, and how many not.
type doneLine struct {
	Queue    string `json:"queue"`
	Redriven *int64 `json:"redriven,omitempty"`
	Left     *int64 `json:"left,omitempty"`
	Dropped  *int64 `json:"dropped,omitempty"`
	Buried   *int64 `json:"buried,omitempty"`
	Missing  *int64 `json:"missing,omitempty"`
	Harmful  int64  `json:"harmful,omitempty"` // of those left, what killed processes or hung
	More     int64  `json:"more,omitempty"`    // entries that a limit has left; 10,000 stands for more, too
	Dry      bool   `json:"dryRun,omitempty"`  // it would be done
}

// audited carries out a change of the entries named or, without, of those that the filters
// choose, and writes it to the audit.
func (d *deadRun) audited(ctx context.Context, what string, entries []string, change func(ctx context.Context) error) error {
	if d.dry {
		return change(ctx)
	}
	target := strings.Join(entries, " ")
	if target == "" {
		target = d.filter.String()
	}
	return d.e.Audited(ctx, d.client, admin.Action{Action: what, Queue: d.name, Target: target}, func(ctx context.Context) (string, error) {
		err := change(ctx)
		return d.result, err
	})
}

// say says how many entries were dealt with, and how many not.
func (d *deadRun) say(line doneLine, what string, n int64, others string, rest int64) error {
	// Where a limit has left some, these are what is left.
	others = fmt.Sprintf(", %d %s", rest, others)
	if d.more > 0 && rest == 0 {
		others = ""
	}
	others += d.moreText()
	if d.harmful > 0 {
		others += fmt.Sprintf("; %d of them killed processes or hung, and stay: -harmful puts them back", d.harmful)
	}
	d.result = fmt.Sprintf("%d %s%s", n, what, others)
	if d.e.JSON {
		line.Queue, line.Dry, line.More, line.Harmful = d.name, d.dry, d.more, d.harmful
		return d.e.Line(line)
	}
	if d.dry {
		what = "would be " + what
	}
	_, err := fmt.Fprintf(d.e.Stdout, "%d %s%s\n", n, what, others)
	return err
}

// moreText says how many entries a limit has left.
func (d *deadRun) moreText() string {
	switch {
	case d.more == 0:
		return ""
	case d.more >= mostMore:
		return fmt.Sprintf(", %d or more match (-limit)", mostMore)
	}
	return fmt.Sprintf(", %d more match (-limit)", d.more)
}
